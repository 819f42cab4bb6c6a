"""Handles that hold other handles: several at once, one that comes later, one after the other, none."""

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
    """Hold several subscriptions, in the order in which they were added; one may be in it more than once.

    Iteration, length and visits see the members of one moment: who adds or removes meanwhile does not disturb them.
    What is disposed, by `remove` or `dispose`, is disposed outside of every lock, once.

    Threads: any, all methods, also from inside a member's `dispose`, from inside visits, and from finalizers and signal
    handlers, which may come at any point of a method: so locks are re-entrant, and no step trusts what it read before.
    """

    __slots__ = ("__weakref__",)

    @abstractmethod
    def add(self, subscription: OperatorSubscription) -> None:
        """Add a member; once this composite is disposed, dispose it instead.

        Raises:
            ArgumentTypeError: It is None, or no subscription.
            LifecycleError: The members of this composite are fixed.
        """

    @abstractmethod
    def remove(self, subscription: OperatorSubscription) -> None:
        """Take the first member out that is this object, and dispose it; what is no member is left alone.

        Raises:
            ArgumentTypeError: It is None, or no subscription.
            LifecycleError: The members of this composite are fixed.
        """

    @abstractmethod
    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the members of this moment."""

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Have a visitor visit each member, in their order."""
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
    """Hold members that are fixed; they stay members after `dispose`, and can be visited.

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
            f"use a StableCompositeSubscription where they change"
        )

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the members, also after `dispose`."""
        return self._members

    def dispose(self) -> None:
        """Dispose each member; later calls do nothing."""
        if self._disposal.begin():
            dispose_all(self._members, origin=type(self).__name__)


class StableCompositeSubscription(CompositeSubscription):
    """Hold members that change seldom: each change makes a new tuple, so that reading them takes no lock and no copy.

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

    # I1: `_members` is written under the lock only, and read as one reference; None: disposed.
    __slots__ = ("_lock", "_members")

    def __init__(self, *subscriptions: OperatorSubscription) -> None:
        self._lock = threading.RLock()
        self._members: tuple[OperatorSubscription, ...] | None = _checked(subscriptions, type(self).__name__)

    def add(self, subscription: OperatorSubscription) -> None:
        """Add a member at the end."""
        self._append((checked_subscription(subscription, "add(subscription)"),))

    def add_range(self, subscriptions: Iterable[OperatorSubscription]) -> None:
        """Add members at the end, all at once: no reader sees a part of them.

        Raises:
            ArgumentTypeError: One of them is no subscription; then none is added.
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
        """Take the first member out that is this object, and dispose it."""
        member = checked_subscription(subscription, "remove(subscription)")
        with self._lock:
            members = self._members or ()
            position = next((at for at, each in enumerate(members) if each is member), None)
            if position is None:
                return
            self._members = members[:position] + members[position + 1 :]
        member.dispose()

    def members(self) -> tuple[OperatorSubscription, ...]:
        """Return the members of this moment; none after `dispose`."""
        return self._members or ()

    def dispose(self) -> None:
        """Dispose each member and forget it; later calls do nothing."""
        with self._lock:
            members, self._members = self._members or (), None
        dispose_all(members, origin=type(self).__name__)


class DynamicCompositeSubscription(CompositeSubscription):
    """Hold members that come and go: adding and removing take the same time whatever the number of members.

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

    # I1: `_members` has the members by the numbers under which they were added, so in their order; `_numbers` has those
    # numbers by the identity of the member, the lowest first. I2: both are used under the lock only; None: disposed.
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
        """Take the first member out that is this object, and dispose it."""
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
        """Return the members of this moment; none after `dispose`."""
        with self._lock:
            return () if self._members is None else tuple(self._members.values())

    def dispose(self) -> None:
        """Dispose each member and forget it; later calls do nothing."""
        with self._lock:
            members, self._members, self._numbers = self._members, None, {}
        if members is not None:
            dispose_all(members.values(), origin=type(self).__name__)


class FutureSubscription(OperatorSubscription):
    """Hold at most one subscription, which is assigned when it is known.

    What is disposed is disposed outside of every lock.

    Threads: any, all members, also from inside the content's `dispose`, from finalizers and signal handlers: locks are
    re-entrant.
    """

    __slots__ = ("__weakref__",)

    @property
    @abstractmethod
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before it was assigned and after this was disposed.

        Assigned once this is disposed, it is disposed at once.

        Raises:
            ArgumentTypeError: What is assigned is None, or no subscription.
        """

    @subscription.setter
    @abstractmethod
    def subscription(self, subscription: OperatorSubscription) -> None:
        pass


class _AssignedSubscription(FutureSubscription):
    """What is assigned, and whether this is disposed; each subclass says what a second assignment does."""

    # I1: both fields are written under the lock only.
    __slots__ = ("_content", "_is_disposed", "_lock")

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._content: OperatorSubscription | None = None
        self._is_disposed = False

    def accept(self, visitor: NodeVisitor, /) -> None:
        """Have a visitor visit the content of this moment."""
        content = self._content
        if content is not None:
            content.accept(visitor)


class SingleAssignmentSubscription(_AssignedSubscription):
    """Hold one subscription that is assigned once, and can be visited for good, also after it was disposed.

    So what is behind it keeps its place among the saved records: a part of the tree that is over is saved as disposed.

    Example:
        >>> from reactivestreams.lifecycle import NOP, StableCompositeSubscription
        >>> later = SingleAssignmentSubscription()
        >>> later.dispose()
        >>> members = StableCompositeSubscription(NOP)
        >>> later.subscription = members  # it comes too late
        >>> later.subscription is None, len(members)
        (True, 0)
    """

    # I2: `_content` is the first that was assigned, disposed or not: visitors reach it.
    __slots__ = ()

    @property
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before it was assigned and after this was disposed.

        Assigned once this is disposed, it is disposed at once; the first such can be visited anyway.

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
        """Dispose the content, now or as soon as it is assigned; later calls do nothing."""
        with self._lock:
            content = None if self._is_disposed else self._content
            self._is_disposed = True
        if content is not None:
            content.dispose()


class SerialSubscription(_AssignedSubscription):
    """Hold one subscription at a time: a new one takes the place of the one before, which is disposed.

    Once it is disposed it holds nothing, and nothing is visited behind it. An operator that uses it has to save whether
    there is a content, or the records of its state lose their places.

    Example:
        >>> from reactivestreams.lifecycle import NOP, StaticCompositeSubscription
        >>> serial = SerialSubscription()
        >>> serial.subscription = StaticCompositeSubscription(NOP)
        >>> serial.subscription = NOP  # disposes the composite
        >>> serial.subscription is NOP
        True
    """

    # I2: once disposed, `_content` is None.
    __slots__ = ()

    @property
    def subscription(self) -> OperatorSubscription | None:
        """The content; None before one was assigned and after this was disposed.

        Assigning disposes the content before it; once this is disposed, what is assigned is disposed at once.

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
        """Dispose the content and forget it; later calls do nothing."""
        with self._lock:
            self._is_disposed = True
            content, self._content = self._content, None
        if content is not None:
            content.dispose()


def dispose_all(subscriptions: Iterable[OperatorSubscription], *, origin: str) -> None:
    """Dispose subscriptions in their order; call it without a lock, since it runs what belongs to them.

    Args:
        subscriptions: Each is disposed, whatever the others raise.
        origin: Who disposes them, for the hook that takes what cannot be raised.

    Raises:
        BaseException: What the first one raised that did; what others raised goes to the hook for dropped signals.
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
