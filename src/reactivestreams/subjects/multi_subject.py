"""What every subject with known types is: producers push into it, subscribers take from it."""

from typing import Any, Generic, TypeVar

from reactivestreams.lifecycle import OperatorSubscription, Subscribable
from reactivestreams.spec import Subscriber
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["MultiSubject"]

T_in_contra = TypeVar("T_in_contra", contravariant=True)
T_out_co = TypeVar("T_out_co", covariant=True)


@refuses_deferred_hooks("and await before it is called")
class MultiSubject(Subscribable, Generic[T_in_contra, T_out_co]):
    """Take elements of producers and give them to subscribers; documented as a base.

    By itself it is neither: a subclass defines `create_observer` and `bind`. How many observers there may be, and what
    an end that one of them signals means, is the subject's own rule.

    Demand, Errors, State, Threads: the subject's.
    Rules: §1.9, §1.11.
    """

    def create_observer(self) -> Subscriber[T_in_contra]:
        """Return an entrance: a Subscriber, to push into or to subscribe to a publisher."""
        raise NotImplementedError(f"{type(self).__name__} has to define create_observer()")

    def bind(self, subscriber: Subscriber[T_out_co], /) -> OperatorSubscription:
        """Return the handle of a new subscription; nothing flows until it is started."""
        raise NotImplementedError(f"{type(self).__name__} has to define bind(subscriber)")

    def subscribe(self, subscriber: Subscriber[T_out_co], /) -> None:
        """Have a subscriber get what comes from now on, as it requests it; the Publisher's method."""
        handle: Any = self.bind(subscriber)
        handle.initialize()

    def dispose(self) -> None:
        """Take and give nothing any more; by default there is nothing to do."""
