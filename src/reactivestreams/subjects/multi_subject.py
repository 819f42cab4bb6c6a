"""The base of subjects with known types: producers push elements in, subscribers receive them."""

from typing import Any, Generic, TypeVar

from reactivestreams.lifecycle import OperatorSubscription, Subscribable
from reactivestreams.spec import Subscriber
from rs_core.interp.deferred_functions import refuses_deferred_hooks

__all__ = ["MultiSubject"]

T_in_contra = TypeVar("T_in_contra", contravariant=True)
T_out_co = TypeVar("T_out_co", covariant=True)


@refuses_deferred_hooks("and await before it is called")
class MultiSubject(Subscribable, Generic[T_in_contra, T_out_co]):
    """Accept elements from producers and send them to subscribers; documented as a base.

    A subclass defines `create_observer` and `bind`, how many observers there may be, and what a terminal signal of one
    of them means.

    Demand, Errors, State, Threads: as for the subclass.
    Rules: §1.9, §1.11.
    """

    def create_observer(self) -> Subscriber[T_in_contra]:
        """Return an observer: a Subscriber to push into, or to subscribe to a publisher."""
        raise NotImplementedError(f"{type(self).__name__} has to define create_observer()")

    def bind(self, subscriber: Subscriber[T_out_co], /) -> OperatorSubscription:
        """Return the handle of a new subscription; nothing flows until it is started."""
        raise NotImplementedError(f"{type(self).__name__} has to define bind(subscriber)")

    def subscribe(self, subscriber: Subscriber[T_out_co], /) -> None:
        """Subscribe a subscriber to the signals from now on; the method of Publisher."""
        handle: Any = self.bind(subscriber)
        handle.initialize()

    def dispose(self) -> None:
        """Stop; by default this does nothing."""
