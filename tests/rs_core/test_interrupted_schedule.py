"""A scheduler is interrupted in `schedule` before it has taken a task: that is raised, and a cancel is carried out."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.rs_core.author_subscribers import AsyncNoting, subscribed
from tests.rs_core.recording_subscriber import RecordingSubscriber

Dropped = list[tuple[str, Any, str]]


class Interrupt(KeyboardInterrupt):
    pass


class Interrupted(ManualScheduler):
    """Is interrupted once it is armed, behind what it was armed with."""

    act: Callable[[], object] | None = None

    def schedule(self, task: Any, *, due: Any = None) -> None:
        act, self.act = self.act, None
        if act is not None:
            act()
            raise Interrupt
        super().schedule(task, due=due)


def test_interrupt_of_a_request_beside_a_cancel_is_raised(dropped_signals: Dropped) -> None:
    scheduler = Interrupted()
    subscriber = RecordingSubscriber(demand=None)
    Stream.range(9).observe_on(scheduler, prefetch=2).subscribe(subscriber)
    scheduler.run_waiting()
    scheduler.act = subscriber.cancel
    with pytest.raises(Interrupt):
        subscriber.subscription.request(1)
    scheduler.run_waiting()
    assert (subscriber.names, dropped_signals) == (["on_subscribe"], [])


@pytest.mark.parametrize("before", ["nothing", "a request"])
def test_interrupted_cancel_of_an_asynchronous_subscriber_reaches_the_publisher(before: str) -> None:
    publisher, scheduler = ManualPublisher(), Interrupted()
    subscriber: AsyncNoting = subscribed(publisher, scheduler, first_request=None)
    if before == "a request":
        subscriber.request(2)
        scheduler.run_waiting()
    scheduler.act = int
    with pytest.raises(Interrupt):
        subscriber.cancel()
    scheduler.run_waiting()
    assert publisher.cancels == 1
    assert subscriber.names == ["subscribe", "cancel"]
    subscriber.cancel()
    assert publisher.cancels == 1
