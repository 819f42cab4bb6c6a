"""Streams that stand still, each for another reason; as a program one of them, until it is killed.

The program prints what the time-out of a blocking end says, then `STANDING_STILL`, and then waits in a blocking end
without a time-out, in its main thread.
"""

import asyncio
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from reactivestreams import MAX_DEMAND, OverflowPolicy, Stream, WorkerScheduler
from reactivestreams.errors import StreamCancelledError
from reactivestreams.inspection import allow_inspection, explain, running
from reactivestreams.schedulers import EventLoopScheduler, VirtualTimeScheduler
from reactivestreams.subjects import SimpleSubject, lockstep
from reactivestreams.subscriber import DefaultSubscriber
from rs_core.ends.blocking import ListEnd

STANDING_STILL = "stands still"
"""What the program prints when it is about to wait for ever."""


class Unbounded(DefaultSubscriber[Any]):
    """Requests all."""

    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(MAX_DEMAND)


def never(stack: ExitStack) -> Stream[Any]:
    return Stream[Any].never().map(str)


def endless_ticks(stack: ExitStack) -> Stream[Any]:
    return Stream.interval(3600.0).map(str)


def forgotten_complete(stack: ExitStack) -> Stream[Any]:
    return Stream.create(lambda emitter: emitter.emit(1), on_overflow=OverflowPolicy.ERROR)


def forgotten_complete_of_subject(stack: ExitStack) -> Stream[Any]:
    return Stream.from_publisher(SimpleSubject[int]())


def loop_that_does_not_run(stack: ExitStack) -> Stream[Any]:
    loop = asyncio.new_event_loop()
    stack.callback(loop.close)
    return Stream.range(3).observe_on(EventLoopScheduler(loop))


def lazy_subscriber(stack: ExitStack) -> Stream[Any]:
    subject = SimpleSubject[int](policy=lockstep())
    for subscriber in (Unbounded(), DefaultSubscriber[int]()):
        handle = Stream.from_publisher(subject).bind(subscriber)
        handle.initialize()
        stack.callback(handle.cancel)
    stack.callback(subject.dispose)
    Stream.range(3).subscribe(subject)
    return Stream.from_publisher(subject).map(str)


def full_ring(stack: ExitStack) -> Stream[Any]:
    worker = stack.enter_context(WorkerScheduler(name="reactivestreams-busy"))
    gate, begun = threading.Event(), threading.Event()

    def keep_busy() -> None:
        begun.set()
        gate.wait()

    stack.callback(gate.set)
    worker.schedule(keep_busy)
    begun.wait()
    return Stream.range(1000).observe_on(worker, prefetch=4)


def own_worker(stack: ExitStack) -> Stream[Any]:
    worker = stack.enter_context(WorkerScheduler(name="reactivestreams-own"))

    def wait_for_own_worker() -> None:
        with suppress(StreamCancelledError):
            Stream.range(3).observe_on(worker).to_list()

    worker.schedule(wait_for_own_worker)
    stack.callback(blocked_end(worker).cancel)
    return Stream.range(3).observe_on(worker)


def blocked_end(worker: WorkerScheduler) -> Any:
    """Return the blocking end that waits for elements of a worker, as soon as one does."""
    while True:
        for end in running():
            stages = explain(end).stages
            if stages[0].waiting_for == "end" and any(stage.facts.get("scheduler") is worker for stage in stages):
                return end


def inner_stream_without_demand(stack: ExitStack) -> Stream[Any]:
    return Stream.just(1).flat_map(lambda _: Stream.range(1000)).zip_with(Stream[Any].never(), prefetch=8)


def unread_group(stack: ExitStack) -> Stream[Any]:
    kept: list[Any] = []
    stack.callback(kept.clear)
    return Stream.range(10_000).group_by(lambda element: element % 3).do(on_next=kept.append)


def paused_scheduler(stack: ExitStack) -> Stream[Any]:
    worker = stack.enter_context(WorkerScheduler(name="reactivestreams-paused"))
    worker.pause()
    return Stream.range(3).observe_on(worker)


def paused_by_another_stream(stack: ExitStack) -> Stream[Any]:
    return Stream.range(3).pause_while(Stream.just(True).concat_with(Stream[Any].never()), prefetch=1)


def virtual_time(stack: ExitStack) -> Stream[Any]:
    scheduler = VirtualTimeScheduler()
    stack.callback(scheduler.dispose)
    return Stream.range(3).observe_on(scheduler)


def virtual_timer(stack: ExitStack) -> Stream[Any]:
    return Stream.timer(timedelta(seconds=1))


@dataclass(frozen=True)
class Standing:
    """How to make a stream that stands still, and what has to be said of it."""

    make: Callable[[ExitStack], Stream[Any]]
    operator: str
    cause: str
    remedy: str
    make_scheduler: Callable[[], Any] | None = None
    """Makes the scheduler that a host provides."""

    def run(self, stack: ExitStack, *, timeout_seconds: float | None = None) -> list[Any]:
        """Run it to its end, which does not come."""
        stream = self.make(stack)
        if self.make_scheduler is None:
            return stream.to_list(timeout_seconds=timeout_seconds)
        return ListEnd(stream).wait(context_of(self.make_scheduler()), timeout_seconds=timeout_seconds)


STANDING = {
    each.make.__name__: each
    for each in (
        Standing(never, "rx://sources/never", "never ends", "take_until"),
        Standing(endless_ticks, "rx://sources/interval", "never ends", "take"),
        Standing(forgotten_complete, "rx://sources/create", "nobody has called complete", "call complete()"),
        Standing(forgotten_complete_of_subject, "rx://subjects/subscription", "nobody has sent", "on_complete"),
        Standing(loop_that_does_not_run, "rx://operators/observe_on", "event loop that does not run", "_async()"),
        Standing(
            lazy_subscriber,
            "rx://subjects/subscription",
            "subscriber 2 of 3, subscriber DefaultSubscriber of the stream with rx://sources/from_publisher",
            "buffer()",
        ),
        Standing(full_ring, "rx://operators/observe_on", "queue is full", "return"),
        Standing(own_worker, "rx://operators/observe_on", "own worker waits in a blocking operation at", "flat_map()"),
        Standing(inner_stream_without_demand, "rx://operators/flat_map", "nothing below has requested", "request"),
        Standing(unread_group, "rx://operators/group_by", "nobody has subscribed to that group", "subscribe"),
        Standing(
            paused_scheduler, "rx://operators/observe_on", "'reactivestreams-paused', which is paused", "continue_"
        ),
        Standing(paused_by_another_stream, "rx://operators/pause_while", "its pauser was true", "that is false"),
        Standing(virtual_time, "rx://operators/observe_on", "virtual time", "advance_to"),
        Standing(virtual_timer, "rx://sources/timer", "virtual time", "advance_to", VirtualTimeScheduler),
    )
}


def context_of(scheduler: Any) -> Any:
    """Return what a host with a scheduler provides."""
    return SimpleNamespace(scheduler=scheduler)


def stand_still(standing: Standing) -> None:
    """Print what the time-out of a blocking end says, then wait for ever in one."""
    with allow_inspection():
        with ExitStack() as stack:
            try:
                standing.run(stack, timeout_seconds=0)
            except TimeoutError as error:
                print(*error.__notes__, sep="\n")
        print(STANDING_STILL, flush=True)
        with ExitStack() as stack:
            standing.run(stack)


if __name__ == "__main__":
    stand_still(STANDING[sys.argv[1]])
