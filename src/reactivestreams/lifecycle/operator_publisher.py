"""The base of publishers whose subscriptions are nodes written in Python."""

from abc import abstractmethod
from typing import Any, Generic, TypeVar

from reactivestreams.errors import ArgumentTypeError, NullElementError
from reactivestreams.lifecycle.initialize_visitor import set_tree_context, start_tree, subscribe_tree
from reactivestreams.lifecycle.signal_checker import SignalChecker
from reactivestreams.lifecycle.subscribable import Subscribable
from reactivestreams.lifecycle.subscription import OperatorSubscription
from reactivestreams.spec import Subscriber
from rs_core.debug_checks import are_debug_checks_on
from rs_core.interp.deferred_functions import refuses_deferred_hooks
from rs_core.stream.nop_subscription import NOP

__all__ = ["OperatorPublisher"]

T = TypeVar("T")


@refuses_deferred_hooks("and make the operator before")
class OperatorPublisher(Subscribable, Generic[T]):
    """Describe a stream whose operator is your own node; documented as a base.

    It is a Publisher. `Stream.from_publisher` makes a stream of it whose nodes hosts can visit. While debug checks are
    on (`REACTIVESTREAMS_DEBUG=1`), a node that checks the signals is added below each operator.

    Demand: that of the operator.
    Errors: with `subscribe`, exceptions of `create_operator` and of the nodes before their start become `on_error`
        (§1.9); `bind` raises exceptions of `create_operator`.
    State: none.
    Threads: `bind` and `subscribe` may be called in any thread.
    Rules: §1.4, §1.9, §1.11.
    """

    @abstractmethod
    def create_operator(self, subscriber: Subscriber[T]) -> OperatorSubscription:
        """Return a new node that sends to a subscriber, and calls its `on_subscribe` when it is started."""

    def bind(self, subscriber: Subscriber[T], /) -> OperatorSubscription:
        """Return the handle of a new subscription. Nothing is sent. Runs `create_operator`.

        Raises:
            NullElementError: The subscriber is None (§1.9).
            ArgumentTypeError: It is not a Subscriber.
        """
        checked = _checked_subscriber(subscriber, "bind")
        if not are_debug_checks_on():
            return self.create_operator(checked)
        checker = SignalChecker(checked, type(self).__name__)
        checker.check(self.create_operator(checker))
        return checker

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Send elements to a subscriber on demand; the Publisher's method, without a host.

        Raises:
            NullElementError: The subscriber is None (§1.9).
            ArgumentTypeError: It is not a Subscriber.
        """
        checked = _checked_subscriber(subscriber, "subscribe")
        handle: OperatorSubscription | None = None
        has_begun = False
        try:
            handle = self.bind(checked)
            subscribe_tree(handle)
            set_tree_context(handle, None)
            has_begun = True
            start_tree(handle)
        except BaseException as error:
            if handle is not None:
                handle.dispose()  # nothing is left half started
            if has_begun or not isinstance(error, Exception):
                raise
            checked.on_subscribe(NOP)
            checked.on_error(error)


def _checked_subscriber(subscriber: Subscriber[Any] | None, call: str) -> Subscriber[Any]:
    if subscriber is None:
        raise NullElementError(f"§1.9: {call}(None): a subscriber is needed; pass a Subscriber", rule="1.9")
    if isinstance(subscriber, type):
        raise ArgumentTypeError(
            f"{call}(subscriber) needs a Subscriber, got the class {subscriber.__qualname__}; pass an instance of it, "
            f"as {subscriber.__qualname__}()"
        )
    if not isinstance(subscriber, Subscriber):
        raise ArgumentTypeError(
            f"{call}(subscriber) needs a Subscriber, got {subscriber!r} ({type(subscriber).__name__}); "
            f"pass an object with on_subscribe, on_next, on_error and on_complete"
        )
    return subscriber
