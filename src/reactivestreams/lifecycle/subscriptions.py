"""Handles of other handles: several at once, one that is assigned later, one after the other, none."""

import threading
from abc import abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NoReturn, Self

from reactivestreams.dropped import dropped
from reactivestreams.lifecycle.errors import LifecycleError
from reactivestreams.lifecycle.once import Once
from reactivestreams.lifecycle.subscription import NodeVisitor, OperatorSubscription, checked_subscription
from rs_core.stream.nop_subscription import NOP, NopSubscription

__all__ = [
    "NOP",
    "CompositeSubscription",
    "DynamicCompositeSubscription",
    "FutureSubscription",
    "NopSubscription",
    "SerialSubscription",
    "SingleAssignmentSubscription",
    "StableCompositeSubscription",
    "StaticCompositeSubscription",
]


class CompositeSubscription(OperatorSubscription):
    """Hold several subscriptions, in the order in which they were added; the same one may be added more than once.

    Iteration, length and visits see the members of one moment, independent of concurrent changes. `remove` and
    `dispose` dispose members outside of every lock, once.

    Threads: any, all methods, also inside a member's `dispose`, inside visits, and in finalizers and signal handlers,
    which may run at any point of a method. So locks are re-entrant, and each step reads fields again.
    """

    __slots__ = ("__weakref__",)

    @abstractmethod
    def add(self, subscription: OperatorSubscription) -> None:
        """Add a member; if this composite is disposed, dispose the member instead.

        Raises:
            ArgumentTypeError: It is None or not a subscription.
            LifecycleError: The members of this composite are fixed.
        """

    @abstractmethod
    def remove(self, subscription: OperatorSubscription) -> None:
        """Remove the first member that is this object, and dispose it; other objects are ignored.

        Raises:
            ArgumentTypeError: It is None or not a subscription.
            LifecycleError: The members of this composite are fixed.
        """

    @abstractmethod
    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the current members."""

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Call the visitor with each member, in order."""
        for member in self.members():
            member.accept(visitor)

    def __iter__(self) -> Iterator[OperatorSubscription]:
        return iter(self.members())

    def __len__(self) -> int:
        return len(self.members())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.dispose()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)}>"


class StaticCompositeSubscription(CompositeSubscription):
    """Hold fixed members, which remain visitable after `dispose`.

    Args:
        subscriptions: The members.

    Raises:
        ArgumentTypeError: One of them is no subscription.

    Example:
        >>> from reactivestreams.lifecycle import NOP
        >>> both = StaticCompositeSubscription(NOP, NOP)
        >>> both.dispose()
        >>> len(both)
        2
    """

    __slots__ = ("_disposal", "_members")

    def __init__(self, *subscriptions: OperatorSubscription) -> None:
        call = "StaticCompositeSubscription(subscriptions)"
        self._members = tuple(checked_subscription(each, call) for each in subscriptions)
        self._disposal = Once()

    def add(self, subscription: OperatorSubscription) -> NoReturn:
        """Refuse: the members are fixed."""
        raise self._is_fixed("add", subscription)

    def remove(self, subscription: OperatorSubscription) -> NoReturn:
        """Refuse: the members are fixed."""
        raise self._is_fixed("remove", subscription)

    def _is_fixed(self, call: str, subscription: OperatorSubscription) -> LifecycleError:
        checked_subscription(subscription, f"{call}(subscription)")
        return LifecycleError(
            f"{call}({subscription!r}): the {len(self._members)} members of {self!r} are fixed; "
            f"use a StableCompositeSubscription if they change"
        )

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the members, also after `dispose`."""
        return self._members

    def dispose(self) -> None:
        """Dispose each member. Further calls do nothing."""
        if self._disposal.begin():
            dispose_all(self._members, origin=type(self).__name__)


class StableCompositeSubscription(CompositeSubscription):
    """Hold members that change rarely: each change makes a new tuple, so reading needs neither a lock nor a copy.

    Args:
        subscriptions: The first members.

    Raises:
        ArgumentTypeError: One of them is no subscription.

    Example:
        >>> from reactivestreams.lifecycle import NOP
        >>> inputs = StableCompositeSubscription()
        >>> inputs.add_range([NOP, NOP])
        >>> len(inputs)
        2
    """

    # I1: `_members` is written only under the lock, and read as one reference; None means disposed.
    __slots__ = ("_lock", "_members")

    def __init__(self, *subscriptions: OperatorSubscription) -> None:
        self._lock = threading.RLock()
        self._members: tuple[OperatorSubscription, ...] | None = _checked(subscriptions, type(self).__name__)

    def add(self, subscription: OperatorSubscription) -> None:
        """Add a member at the end."""
        self._append((checked_subscription(subscription, "add(subscription)"),))

    def add_range(self, subscriptions: Iterable[OperatorSubscription]) -> None:
        """Add members at the end, all at once: readers never see only some of them.

        Raises:
            ArgumentTypeError: One of them is not a subscription; then none is added.
        """
        self._append(_checked(subscriptions, "add_range"))

    def _append(self, added: tuple[OperatorSubscription, ...]) -> None:
        with self._lock:
            while True:
                members = self._members
                longer = added if members is None else members + added
                if self._members is members:  # else a finalizer, run by what made the tuple, has changed it
                    break
            if members is not None:
                self._members = longer
        if members is None:
            dispose_all(added, origin=type(self).__name__)

    def remove(self, subscription: OperatorSubscription) -> None:
        """Remove the first member that is this object, and dispose it."""
        member = checked_subscription(subscription, "remove(subscription)")
        with self._lock:
            members = self._members or ()
            position = next((at for at, each in enumerate(members) if each is member), None)
            if position is None:
                return
            self._members = members[:position] + members[position + 1 :]
        member.dispose()

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the current members; empty after `dispose`."""
        return self._members or ()

    def dispose(self) -> None:
        """Dispose and remove each member. Further calls do nothing."""
        with self._lock:
            members, self._members = self._members or (), None
        dispose_all(members, origin=type(self).__name__)


class DynamicCompositeSubscription(CompositeSubscription):
    """Hold members that change often: adding and removing take constant time.

    Args:
        subscriptions: The first members.

    Raises:
        ArgumentTypeError: One of them is no subscription.

    Example:
        >>> class Node:
        ...     def accept(self, visitor):
        ...         visitor.visit(self)
        ...
        ...     def dispose(self):
        ...         print("disposed")
        >>> first, second = Node(), Node()
        >>> inner = DynamicCompositeSubscription(first, second)
        >>> inner.remove(first)
        disposed
        >>> list(inner) == [second]
        True
        >>> inner.dispose()
        disposed
    """

    # I1: `_members` has the members by increasing numbers, so in order; `_numbers` has the numbers of each member by
    # its id, the lowest first. I2: both are used only under the lock; None means disposed.
    __slots__ = ("_lock", "_members", "_next_number", "_numbers")

    def __init__(self, *subscriptions: OperatorSubscription) -> None:
        self._lock = threading.RLock()
        self._members: dict[int, OperatorSubscription] | None = {}
        self._numbers: dict[int, deque[int]] = {}
        self._next_number = 0
        for subscription in subscriptions:
            self.add(subscription)

    def add(self, subscription: OperatorSubscription) -> None:
        """Add a member at the end."""
        member = checked_subscription(subscription, "add(subscription)")
        with self._lock:
            number = self._next_number
            self._next_number = number + 1
            members = self._members
            if members is not None:
                members[number] = member
                self._numbers.setdefault(id(member), deque()).append(number)
            is_late = self._members is None  # now, since a finalizer may have disposed this in between
        if is_late:
            member.dispose()

    def remove(self, subscription: OperatorSubscription) -> None:
        """Remove the first member that is this object, and dispose it."""
        member = checked_subscription(subscription, "remove(subscription)")
        with self._lock:
            numbers = self._numbers.get(id(member))
            if self._members is None or not numbers:
                return
            del self._members[numbers.popleft()]
            if not numbers:
                del self._numbers[id(member)]
        member.dispose()

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the current members; empty after `dispose`."""
        with self._lock:
            return () if self._members is None else tuple(self._members.values())

    def dispose(self) -> None:
        """Dispose and remove each member. Further calls do nothing."""
        with self._lock:
            members, self._members, self._numbers = self._members, None, {}
        if members is not None:
            dispose_all(members.values(), origin=type(self).__name__)


class FutureSubscription(OperatorSubscription):
    """Hold at most one subscription, which is assigned later.

    The content is disposed outside of every lock.

    Threads: any, all members, also inside the content's `dispose`, and in finalizers and signal handlers: locks are
    re-entrant.
    """

    __slots__ = ("__weakref__",)

    @property
    @abstractmethod
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before it was assigned and after this was disposed.

        If this is already disposed, the assigned subscription is disposed at once.

        Raises:
            ArgumentTypeError: What is assigned is None, or no subscription.
        """

    @subscription.setter
    @abstractmethod
    def subscription(self, subscription: OperatorSubscription) -> None:
        pass


class _AssignedSubscription(FutureSubscription):
    """The content, and whether this is disposed; each subclass defines the effect of a second assignment."""

    # I1: both fields are written only under the lock.
    __slots__ = ("_content", "_is_disposed", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._content: OperatorSubscription | None = None
        self._is_disposed = False

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Call the visitor with the current content."""
        content = self._content
        if content is not None:
            content.accept(visitor)


class SingleAssignmentSubscription(_AssignedSubscription):
    """Hold one subscription that is assigned once, and remains visitable after it was disposed.

    So its nodes keep their positions among the saved records: a part of the tree that has ended is saved as disposed.

    Example:
        >>> from reactivestreams.lifecycle import NOP, StableCompositeSubscription
        >>> later = SingleAssignmentSubscription()
        >>> later.dispose()
        >>> members = StableCompositeSubscription(NOP)
        >>> later.subscription = members  # assigned after the disposal
        >>> later.subscription is None, len(members)
        (True, 0)
    """

    # I2: `_content` is the first assigned subscription, disposed or not: visitors reach it.
    __slots__ = ()

    @property
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before it was assigned and after this was disposed.

        If this is already disposed, the assigned subscription is disposed at once; the first one remains visitable.

        Raises:
            ArgumentTypeError: What is assigned is None, or no subscription.
            LifecycleError: It was assigned before, and this is not disposed.
        """
        with self._lock:
            return None if self._is_disposed else self._content

    @subscription.setter
    def subscription(self, subscription: OperatorSubscription) -> None:
        content = checked_subscription(subscription, "subscription = value")
        with self._lock:
            previous = self._content
            if previous is None:
                self._content = content
            is_late = self._is_disposed
        if is_late:
            content.dispose()
        elif previous is not None:
            raise LifecycleError(
                f"subscription = {content!r}: {previous!r} was assigned before, and this is assigned once; "
                f"use a SerialSubscription to replace it"
            )

    def dispose(self) -> None:
        """Dispose the content, now or as soon as it is assigned. Further calls do nothing."""
        with self._lock:
            content = None if self._is_disposed else self._content
            self._is_disposed = True
        if content is not None:
            content.dispose()


class SerialSubscription(_AssignedSubscription):
    """Hold one subscription at a time: a new one replaces the one before, which is disposed.

    After it was disposed it is empty, and nothing is visited. An operator that uses it must save whether there is a
    content, so that the saved records keep their positions.

    Example:
        >>> from reactivestreams.lifecycle import NOP, StaticCompositeSubscription
        >>> serial = SerialSubscription()
        >>> serial.subscription = StaticCompositeSubscription(NOP)
        >>> serial.subscription = NOP  # disposes the composite
        >>> serial.subscription is NOP
        True
    """

    # I2: after disposal `_content` is None.
    __slots__ = ()

    @property
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before one was assigned and after this was disposed.

        Assigning disposes the previous content; if this is already disposed, the assigned subscription is disposed.

        Raises:
            ArgumentTypeError: What is assigned is None, or no subscription.
        """
        return self._content

    @subscription.setter
    def subscription(self, subscription: OperatorSubscription) -> None:
        content = checked_subscription(subscription, "subscription = value")
        over: OperatorSubscription | None = content
        with self._lock:
            if not self._is_disposed:
                over, self._content = self._content, content
        if over is not None and over is not self._content:
            over.dispose()

    def dispose(self) -> None:
        """Dispose and remove the content. Further calls do nothing."""
        with self._lock:
            self._is_disposed = True
            content, self._content = self._content, None
        if content is not None:
            content.dispose()


def dispose_all(subscriptions: Iterable[OperatorSubscription], *, origin: str) -> None:
    """Dispose subscriptions in order; call it without a lock, because it runs their code.

    Args:
        subscriptions: Each is disposed, whatever the others raise.
        origin: The name of the disposing object, for dropped errors.

    Raises:
        BaseException: The first exception; further ones are passed to the hook for dropped signals.
    """
    first_error: BaseException | None = None
    for subscription in subscriptions:
        try:
            subscription.dispose()
        except BaseException as error:
            if first_error is None:
                first_error = error
            else:
                dropped("dispose", error, origin=origin)
    if first_error is not None:
        raise first_error


def _checked(subscriptions: Iterable[OperatorSubscription], call: str) -> tuple[OperatorSubscription, ...]:
    return tuple(checked_subscription(each, f"{call}(subscriptions)") for each in subscriptions)
