"""A test stream that starts again for each subscriber."""

from collections import deque
from typing import Any

from reactivestreams.lifecycle import OperatorSubscription, StatefulNode, StateReader, StateWriter, Version
from reactivestreams.schedulers import TICK, ActionTask, VirtualTimeScheduler
from reactivestreams.schedulers.task import HARNESS_PRIORITY
from reactivestreams.spec import Subscriber
from reactivestreams.testing.recorded import Notification, Recorded
from reactivestreams.testing.recorded_stream import RecordedStream, RecordedSubscription

__all__ = ["ColdStream"]


class ColdStream(RecordedStream):
    """Send notifications at ticks counted from the start of each subscription; made by `create_cold`.

    Demand: from its tick on an element waits for demand, and the later ones wait with it.
    Errors: the given ones.
    State: how many notifications were delivered; the others are sent at their ticks after the start of a recovery.
        Version 1.0.0.0.
    Threads: one.
    Rules: §1.1, §1.5, §1.6, §1.7, §3.6, §3.9.
    """

    def __init__(self, scheduler: VirtualTimeScheduler, *messages: Recorded[Notification]) -> None:
        super().__init__(scheduler, messages)

    def create_operator(self, subscriber: Subscriber[Any]) -> OperatorSubscription:
        """Return the node of a new subscription."""
        return ColdSubscription(self, subscriber)


class ColdSubscription(RecordedSubscription, StatefulNode):
    """The subscription of one subscriber to a cold stream."""

    name = "rx://testing/cold"

    def __init__(self, stream: RecordedStream, subscriber: Any) -> None:
        super().__init__(stream, subscriber)
        self._delivered = 0
        self._is_delivering = False
        self._due: deque[Notification] = deque()  # at most as many as the stream has messages

    def on_start(self) -> None:
        """Start with the first notification that was not delivered."""
        super().on_start()
        for message in self.stream.messages[self._delivered :]:
            task = ActionTask(self._fall_due, message.value, priority=HARNESS_PRIORITY)
            self.stream.scheduler.schedule(task, due=message.tick * TICK)

    def request(self, n: int) -> None:
        """Add demand, and deliver the notifications that waited for it."""
        super().request(n)
        self._deliver_due()

    def save_fields(self, writer: StateWriter) -> None:
        """Write how many notifications were delivered."""
        writer.write(self._delivered)

    def load_fields(self, reader: StateReader, version: Version) -> None:
        """Read how many notifications were delivered."""
        self._delivered = reader.read_count(len(self.stream.messages))

    def _fall_due(self, notification: Notification) -> None:
        self._due.append(notification)
        self._deliver_due()

    def _deliver_due(self) -> None:
        if self._is_delivering:  # §3.3: a request inside a signal only adds demand
            return
        self._is_delivering = True
        try:
            while self._due and self.may_deliver(self._due[0]):
                notification = self._due.popleft()
                self._delivered += 1
                self.mark_changed()
                self.deliver(notification)
        finally:
            self._is_delivering = False
