"""What a subscription is that holds several others."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Self

from reactivestreams.lifecycle.subscription import NodeVisitor, OperatorSubscription

__all__ = ["CompositeSubscription"]


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
