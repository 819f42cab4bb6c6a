"""A test stream that sends whether or not it has subscribers."""

from typing import Any

from reactivestreams.lifecycle import OperatorSubscription
from reactivestreams.schedulers import ActionTask, VirtualTimeScheduler
from reactivestreams.schedulers.task import HARNESS_PRIORITY
from reactivestreams.spec import Subscriber
from reactivestreams.testing.recorded import Notification, Recorded
from reactivestreams.testing.recorded_stream import RecordedStream, RecordedSubscription

__all__ = ["HotStream"]


class HotStream(RecordedStream):
    """Send notifications at ticks of virtual time, to the subscribers at that tick; made by `create_hot`.

    At its tick a notification is sent before operators run. A subscriber that has not requested an element does not get
    it.

    Attributes:
        missed: The elements that a subscriber had not requested, once for each such subscriber.

    Demand: an element without demand is missed.
    Errors: the given ones.
    State: none.
    Threads: one.
    Rules: §1.1, §1.5, §1.6, §1.7, §3.6, §3.9.
    """

    def __init__(self, scheduler: VirtualTimeScheduler, *messages: Recorded[Notification]) -> None:
        super().__init__(scheduler, messages)
        self.missed: list[Recorded[Notification]] = []
        self._listening: dict[HotSubscription, None] = {}
        for message in messages:
            task = ActionTask(self._send, message, priority=HARNESS_PRIORITY)
            scheduler.schedule_at(message.tick, task)

    def create_operator(self, subscriber: Subscriber[Any]) -> OperatorSubscription:
        """Return the node of a new subscription."""
        return HotSubscription(self, subscriber)

    def join(self, subscription: "HotSubscription") -> None:
        """Add a subscription, which gets the notifications from now on."""
        self._listening[subscription] = None

    def leave(self, subscription: "HotSubscription") -> None:
        """Remove a subscription."""
        self._listening.pop(subscription, None)

    def _send(self, message: Recorded[Notification]) -> None:
        for subscription in list(self._listening):
            if subscription.may_deliver(message.value):
                subscription.deliver(message.value)
            elif not subscription.is_disposed:
                self.missed.append(message)


class HotSubscription(RecordedSubscription):
    """The subscription of one subscriber to a hot stream."""

    stream: HotStream

    def on_start(self) -> None:
        """Join the stream."""
        self.stream.join(self)
        super().on_start()

    def on_dispose(self) -> None:
        """Leave the stream."""
        self.stream.leave(self)
        super().on_dispose()
