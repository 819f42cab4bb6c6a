"""The base of hot and cold test streams: notifications, spans of subscriptions, and demand."""

from typing import Any

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import OperatorNode, OperatorPublisher
from reactivestreams.schedulers import VirtualTimeScheduler
from reactivestreams.testing.recorded import Notification, OnComplete, OnError, OnNext, Recorded
from reactivestreams.testing.subscription_span import SubscriptionSpan
from rs_core.demand import Demand

__all__ = ["RecordedStream", "RecordedSubscription"]


class RecordedStream(OperatorPublisher[Any]):
    """A stream of given notifications in virtual time.

    Attributes:
        messages: The notifications that it sends.
        subscriptions: The spans of the subscriptions, in the order in which they began.
    """

    def __init__(self, scheduler: VirtualTimeScheduler, messages: tuple[Recorded[Notification], ...]) -> None:
        for message in messages:
            _check_message(message, type(self).__name__)
        self.messages = messages
        self.subscriptions: list[SubscriptionSpan] = []
        self.scheduler = scheduler

    def open_span(self) -> int:
        """Record the begin of a subscription; return its position."""
        self.subscriptions.append(SubscriptionSpan(self.scheduler.clock.ticks))
        return len(self.subscriptions) - 1

    def close_span(self, position: int) -> None:
        """Record the end of a subscription."""
        began = self.subscriptions[position].subscribed
        self.subscriptions[position] = SubscriptionSpan(began, self.scheduler.clock.ticks)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self.messages)} messages)"


class RecordedSubscription(OperatorNode):
    """The subscription of one subscriber to a recorded stream; a node of the subscriber's tree."""

    def __init__(self, stream: RecordedStream, subscriber: Any) -> None:
        self.stream = stream
        self.subscriber = subscriber
        self.demand: Demand = Demand()
        self._span: int | None = None

    def on_start(self) -> None:
        """Begin."""
        self._span = self.stream.open_span()
        self.subscriber.on_subscribe(self)

    def on_dispose(self) -> None:
        """End."""
        if self._span is not None:
            self.stream.close_span(self._span)

    def request(self, n: int) -> None:
        """Add demand; n that is not positive ends the stream (§3.9)."""
        try:
            self.demand.add(n)
        except (TypeError, ValueError) as error:
            if not self.is_disposed:
                self.dispose()  # §1.6, §1.7: first, because the signal may request
                self.subscriber.on_error(error)

    def cancel(self) -> None:
        """End, without a signal."""
        self.dispose()

    def may_deliver(self, notification: Notification) -> bool:
        """Return whether a notification may be signalled now: an element needs demand."""
        return not self.is_disposed and (not isinstance(notification, OnNext) or self.demand.value > 0)

    def deliver(self, notification: Notification) -> None:
        """Signal a notification for which `may_deliver` is True."""
        if isinstance(notification, OnNext):
            self.demand.take(1)
            notification.accept(self.subscriber)
        else:
            self.dispose()  # §1.6, §1.7: first, because the signal may request
            notification.accept(self.subscriber)


def _check_message(message: object, kind: str) -> None:
    match message:
        case Recorded(value=OnNext() | OnError() | OnComplete()):
            return
        case _:
            raise ArgumentTypeError(
                f"{kind}(messages) needs recorded notifications, got {message!r} ({type(message).__name__}); "
                f"pass on_next(tick, element), on_error(tick, error), on_complete(tick)"
            )
