"""The snapshots that this release promises to read for ever: how each was made, and where it lies.

python -m tests.state.golden_streams writes those that are missing. One that was released is never written again: where
an operator changes its layout, it raises its version, its file stays, and a new one is added beside it.
"""

import asyncio
import operator
import sys
from asyncio import AbstractEventLoop
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from reactivestreams import Collector, OnNext, RetryPolicy, Stream, pipeline
from reactivestreams.lifecycle import DefaultOperatorContext, MultiInputNode
from reactivestreams.metrics import MemoryMetrics
from reactivestreams.schedulers import VirtualTimeScheduler
from reactivestreams.state import SnapshotWriter, load_tree, save_tree, stateful_nodes
from rs_core.operators.python_operator import PythonStage
from tests.contracts.executors import TaskExecutor
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.stepped_loop import SteppedLoop
from tests.lifecycle.joining_nodes import Publishing
from tests.state.shop import shop
from tests.state.test_codec_values import EXAMPLES

FOLDER = Path(__file__).parent / "golden"
VALUES = "values.1.state"
EXAMPLES_AT_RELEASE = 45  # later ones are not in that file

Touch = Callable[[Any], object]


class Echo(PythonStage):
    """Emits each element three times: has elements in both of its queues."""

    name = "golden/echo"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(1)

    def on_next(self, element: Any) -> None:
        for _ in range(3):
            self.emit(element)
        self.request_upstream(1)

    def save_fields(self, writer: Any) -> None:
        with writer.create_child() as child:
            child.write("echo")

    def load_fields(self, reader: Any, version: Any) -> None:
        with reader.create_child() as child:
            assert child.read(str) == "echo"


@dataclass(frozen=True)
class Golden:
    """A stream that is saved behind an element of its source.

    Attributes:
        build: Makes the stream, with a function to call for each element of the source, and a scheduler.
        parks_at: The element of the source behind which the stream is parked.
        requested: How much is requested before.
        is_older: Whether an earlier version of the operator wrote the file, so that a save writes another one.
    """

    build: Callable[[Touch, ManualScheduler], Stream[Any]]
    parks_at: int = 5
    requested: int = UNBOUNDED
    is_older: bool = False

    def run(self, *, from_state: bytes | None = None, parks: bool = False) -> tuple[list[Any], bytes]:
        """Run the stream, from its beginning or a state; return what came, and the state behind it."""
        scheduler, subscriber = ManualScheduler(), RecordingSubscriber()

        def touch(element: Any) -> None:
            if parks and element == self.parks_at:
                for node, _ in stateful_nodes(handle):
                    if hasattr(node, "pause"):
                        node.pause()

        handle = self.build(touch, scheduler).bind(subscriber)
        if from_state is not None:
            load_tree(handle, from_state)
            assert (save_tree(handle) == from_state) is not self.is_older
        handle.initialize()
        handle.request(self.requested if parks else UNBOUNDED)
        scheduler.run_waiting()
        state = save_tree(handle)
        handle.cancel()
        scheduler.run_waiting()
        return subscriber.elements, state


@dataclass(frozen=True)
class HostedGolden(Golden):
    """A stream under a host that is saved while signals wait for the host, and an element for demand."""

    def run(self, *, from_state: bytes | None = None, parks: bool = False) -> tuple[list[Any], bytes]:
        """Run the stream as Golden does; the scheduler that its description gets is another one than the host's."""
        host, other, subscriber = ManualScheduler(), ManualScheduler(), RecordingSubscriber()
        handle = self.build(lambda element: None, other).bind(subscriber)
        if from_state is not None:
            load_tree(handle, from_state)
            assert save_tree(handle) == from_state
        handle.initialize(DefaultOperatorContext("rx://golden", host))
        handle.request(self.requested if parks else UNBOUNDED)
        host.run_waiting()
        other.run_waiting()
        if not parks:
            host.run_waiting()
        state = save_tree(handle)
        handle.cancel()
        host.run_waiting()
        return subscriber.elements, state


@dataclass(frozen=True)
class TimedGolden(Golden):
    """A stream in virtual time that is saved at a tick."""

    parks_at: int = 45

    def run(self, *, from_state: bytes | None = None, parks: bool = False) -> tuple[list[Any], bytes]:
        """Run the stream as Golden does; from a state, beginning at the tick at which it was saved."""
        scheduler, subscriber = VirtualTimeScheduler(), RecordingSubscriber()
        handle = self.build(lambda element: None, ManualScheduler()).bind(subscriber)
        if from_state is not None:
            load_tree(handle, from_state)
            assert save_tree(handle) == from_state
            scheduler.clock.advance_to(self.parks_at)
        handle.initialize(DefaultOperatorContext("rx://golden", scheduler))
        handle.request(self.requested)
        if parks:
            scheduler.clock.advance_to(self.parks_at)
        else:
            scheduler.clock.start()
        state = save_tree(handle)
        handle.cancel()
        return subscriber.elements, state


@dataclass(frozen=True)
class LoopGolden:
    """A stream with calls in an event loop, saved while some of them have not ended.

    Attributes:
        build: Makes the stream, with a coroutine function to call for each element, and the loop.
        parks_at: The element from which on calls do not end.
    """

    build: Callable[[Callable[[Any], Awaitable[Any]], AbstractEventLoop], Stream[Any]]
    parks_at: int = 5

    def run(self, *, from_state: bytes | None = None, parks: bool = False) -> tuple[list[Any], bytes]:
        """Run the stream as Golden does."""

        async def negated(element: Any) -> Any:
            if parks and element >= self.parks_at:
                await asyncio.Event().wait()
            return -element

        subscriber = RecordingSubscriber()
        with SteppedLoop() as stepped:
            handle = self.build(negated, stepped.loop).bind(subscriber)
            if from_state is not None:
                load_tree(handle, from_state)
                assert save_tree(handle) == from_state
            handle.initialize()
            handle.request(UNBOUNDED)
            stepped.settle()
            state = save_tree(handle)
            handle.cancel()
        return subscriber.elements, state


class Collecting(MultiInputNode[Any]):
    """Passes on what two inputs send; the first one comes by another scheduler."""

    name = "golden/collecting"

    def __init__(self, subscriber: Any, scheduler: ManualScheduler) -> None:
        super().__init__(subscriber)
        self.scheduler = scheduler

    def sources(self) -> Iterable[Stream[Any]]:
        return [Stream.range(4).observe_on(self.scheduler), Stream.range(10, 12)]

    def on_start(self) -> None:
        self.request_input(0, 9)
        self.request_input(1, 9)

    def on_next(self, index: int, element: Any) -> None:
        self.emit(element)


def _collected(scheduler: ManualScheduler) -> Stream[Any]:
    return Stream.from_publisher(Publishing(lambda subscriber: Collecting(subscriber, scheduler)))


def _numbers(touch: Touch) -> Stream[Any]:
    return Stream.range(12).do(touch)


def _right_of_a_join() -> Any:
    numbers = Stream.from_iterable([0, 3, 1, 4, 6, 5, 9, 12])
    return numbers.with_timestamps(lambda n: n, max_lateness=3).key_by(lambda n: f"key {n % 2}")


def _ticks(number: int) -> timedelta:
    return timedelta(microseconds=number)


def _timed() -> Stream[int]:
    return Stream.interval(_ticks(10), unrequested="keep").take(12)


def _begins_four(number: int) -> bool:
    return number % 4 < 2


def _folded(method: str, *arguments: Any, of: Callable[[Any], bool] = lambda _: True) -> Golden:
    """Return the golden stream of an operator with one result, of those numbers for which a function is true."""
    return Golden(lambda touch, _: _numbers(touch).filter(of).through(getattr(pipeline(), method)(*arguments)))


def _numbered_queue() -> asyncio.Queue[int | None]:
    numbers: asyncio.Queue[int | None] = asyncio.Queue()
    for number in (*range(12), None):
        numbers.put_nowait(number)
    return numbers


def _with_key(group: Any) -> Stream[Any]:
    return group.map(lambda element: (group.key, element))


def _total(group: Any) -> Stream[Any]:
    return _with_key(group.scan(operator.add, 0).take_last(1))


def _mod3(number: int) -> int:
    return number % 3


def _late(number: int) -> bool:
    return number > 7


STREAMS: dict[str, Golden | LoopGolden] = {
    "range.1": Golden(lambda touch, _: _numbers(touch)),
    "from_iterable.1": Golden(lambda touch, _: Stream.from_iterable(list(range(12))).do(touch)),
    "generate.1": Golden(lambda touch, _: Stream.generate(0, lambda n: (n, n + 1) if n < 12 else None).do(touch)),
    "repeat_value.1": Golden(lambda touch, _: Stream.repeat_value(5, 4).do(touch)),
    "timer.1": TimedGolden(lambda _touch, _: Stream.timer(_ticks(50)).concat_with([5])),
    "interval.1": TimedGolden(lambda _touch, _: _timed()),
    "from_callable.1": Golden(lambda touch, _: Stream.from_callable(lambda: 5).do(touch)),
    "defer.1": Golden(lambda touch, _: Stream.defer(lambda: Stream.range(12)).do(touch)),
    "using.1": Golden(lambda touch, _: Stream.using(lambda: 12, Stream.range, int).do(touch)),
    "from_queue.1": LoopGolden(
        lambda call, loop: Stream.from_queue(_numbered_queue(), loop=loop, prefetch=8, recovery="skips").map_async(
            call, concurrency=2, loop=loop
        )
    ),
    "amb.1": Golden(lambda touch, _: Stream.amb(_numbers(touch), [7])),
    "when_all.1": Golden(lambda touch, _: Stream.when_all(_numbers(touch), [7], prefetch=4)),
    "take.1": Golden(lambda touch, _: _numbers(touch).take(9)),
    "take_ended.1": Golden(lambda touch, _: _numbers(touch).take(3)),
    "skip.1": Golden(lambda touch, _: _numbers(touch).skip(7)),
    "take_while.1": Golden(lambda touch, _: _numbers(touch).take_while(lambda n: n < 9)),
    "skip_while.1": Golden(lambda touch, _: _numbers(touch).skip_while(lambda n: n < 3)),
    "take_until.1": Golden(lambda touch, _: _numbers(touch).take_until(lambda n: n == 9)),
    "take_until_stream.1": Golden(lambda touch, _: _numbers(touch).take_until(Stream.never())),
    "skip_until.1": Golden(lambda touch, _: _numbers(touch).skip_until(lambda n: n == 3)),
    "skip_until_stream.1": Golden(lambda touch, _: _numbers(touch).skip_until(Stream.just(1))),
    "distinct.1": Golden(lambda touch, _: _numbers(touch).distinct(lambda n: n // 2)),
    "distinct_until_changed.1": Golden(lambda touch, _: _numbers(touch).distinct_until_changed(lambda n: n // 2)),
    "take_last.1": Golden(lambda touch, _: _numbers(touch).take_last(5)),
    "skip_last.1": Golden(lambda touch, _: _numbers(touch).skip_last(3)),
    "ignore_elements.1": Golden(lambda touch, _: _numbers(touch).ignore_elements()),
    "of_type.1": Golden(lambda touch, _: _numbers(touch).of_type(int)),
    "cast.1": Golden(lambda touch, _: _numbers(touch).cast(int)),
    "handle.1": Golden(lambda touch, _: _numbers(touch).handle(lambda n, sink: sink.emit(-n) if n % 2 else None)),
    "map_indexed.1": Golden(lambda touch, _: _numbers(touch).map_indexed(operator.mul)),
    "filter_indexed.1": Golden(lambda touch, _: _numbers(touch).filter_indexed(lambda n, index: index % 2)),
    "map.1": Golden(lambda touch, _: _numbers(touch).map(operator.neg)),
    "map_not_none.1": Golden(lambda touch, _: _numbers(touch).map_not_none(lambda n: None if n % 2 else -n)),
    "filter.1": Golden(lambda touch, _: _numbers(touch).filter(lambda n: n % 2 == 0)),
    "scan.1": Golden(lambda touch, _: _numbers(touch).scan(operator.add, 0), is_older=True),
    "scan.2": Golden(lambda touch, _: _numbers(touch).scan(operator.add)),
    "enumerate.1": Golden(lambda touch, _: _numbers(touch).enumerate(7)),
    "starmap.1": Golden(lambda touch, _: _numbers(touch).map(lambda n: (n, 5)).starmap(divmod)),
    "pluck.1": Golden(lambda touch, _: _numbers(touch).map(lambda n: (n, 5)).pluck(0)),
    "pluck_attr.1": Golden(lambda touch, _: _numbers(touch).pluck_attr("real")),
    "keyed_scan.1": Golden(lambda touch, _: _numbers(touch).key_by(lambda n: f"key {n % 3}").scan(operator.add, 0)),
    "keyed_take.1": Golden(lambda touch, _: _numbers(touch).key_by(lambda n: f"key {n % 3}").take(3)),
    "keyed_distinct.1": Golden(
        lambda touch, _: _numbers(touch).key_by(lambda n: f"key {n % 3}").distinct(lambda n: n // 4)
    ),
    "keyed_count.1": Golden(lambda touch, _: _numbers(touch).key_by(lambda n: f"key {n % 3}").count()),
    "keyed_reduce.1": Golden(lambda touch, _: _numbers(touch).key_by(lambda n: f"key {n % 3}").reduce(operator.add, 0)),
    "keyed_aggregate.1": Golden(
        lambda touch, _: (
            _numbers(touch).key_by(lambda n: f"key {n % 3}").aggregate(numbers="count", mean="mean", last="last")
        )
    ),
    "keyed_buffer.1": Golden(lambda touch, _: _numbers(touch).key_by(lambda n: f"key {n % 3}").buffer(3)),
    # The input has ended, and two keys wait for demand.
    "keyed_count_at_end.1": Golden(lambda touch, _: _numbers(touch).key_by(_mod3).count(), parks_at=99, requested=1),
    "keyed.1": Golden(
        lambda touch, _: (
            _numbers(touch)
            .key_by(lambda n: f"key {n % 3}")
            .expire_after(60, event_time=lambda n: n)
            .reduce(operator.add, 0)
        ),
        is_older=True,
    ),
    # In the second file elements wait for the watermark.
    "keyed.2": Golden(
        lambda touch, _: (
            Stream.from_iterable([1, 0, 3, 2, 6, 5, 4, 8, 7, 11, 10, 9])
            .do(touch)
            .key_by(lambda n: f"key {n % 3}")
            .expire_after(1, event_time=lambda n: n, lateness=2)
            .reduce(operator.add, 0)
        )
    ),
    "keyed_windows.1": Golden(
        lambda touch, _: (
            Stream.from_iterable([1, 0, 3, 2, 6, 5, 4, 8, 7, 11, 10, 9])
            .do(touch)
            .with_timestamps(lambda n: n, max_lateness=2)
            .key_by(lambda n: f"key {n % 2}")
            .sliding(4, 2, allowed_lateness=1)
            .to_list()
            .map(lambda window: (window.key, window.start, window.end, window.value))
        )
    ),
    "keyed_join.1": Golden(
        lambda touch, _: (
            Stream.from_iterable([1, 0, 3, 2, 6, 5, 4, 8, 7, 11, 10, 9])
            .do(touch)
            .with_timestamps(lambda n: n, max_lateness=2)
            .key_by(lambda n: f"key {n % 2}")
            .join(_right_of_a_join(), within=(-4, 2), prefetch=4)
        ),
        requested=2,
    ),
    "keyed_group_join.1": Golden(
        lambda touch, _: (
            Stream.from_iterable([1, 0, 3, 2, 6, 5, 4, 8, 7, 11, 10, 9])
            .do(touch)
            .with_timestamps(lambda n: n, max_lateness=2)
            .key_by(lambda n: f"key {n % 2}")
            .group_join(_right_of_a_join(), within=(-4, 2), prefetch=4)
        ),
        requested=2,
    ),
    "keyed_sessions.1": Golden(
        lambda touch, _: (
            Stream.from_iterable([1, 0, 3, 2, 6, 5, 4, 8, 7, 11, 10, 9])
            .do(touch)
            .with_timestamps(lambda n: n, max_lateness=2)
            .key_by(lambda n: f"key {n % 3}")
            .session(2)
            .aggregate(numbers="count", mean="mean", last="last")
            .map(lambda window: (window.key, window.start, window.end, window.value))
        )
    ),
    "concat_with.1": Golden(lambda touch, _: Stream.range(3).concat_with(_numbers(touch))),
    "start_with.1": Golden(lambda touch, _: _numbers(touch).start_with(7, 8)),
    "append.1": Golden(lambda touch, _: Stream.range(3).append(7, 8), requested=4),
    "default_if_empty.1": Golden(lambda touch, _: _numbers(touch).default_if_empty(7)),
    "switch_if_empty.1": Golden(lambda touch, _: Stream.empty().switch_if_empty(_numbers(touch))),
    "repeat.1": Golden(lambda touch, _: Stream.range(3).repeat(4), requested=8),
    "retry.1": Golden(lambda touch, _: _numbers(touch).retry(2), is_older=True),
    # In the second file there is the state of a policy.
    "retry.2": Golden(lambda touch, _: _numbers(touch).retry(RetryPolicy(times=2, budget=3))),
    "repeat_when.1": Golden(lambda touch, _: Stream.range(3).repeat_when(lambda counts: counts.take(3)), requested=8),
    "retry_when.1": Golden(lambda touch, _: _numbers(touch).retry_when(lambda errors: errors)),
    "on_error_continue.1": Golden(
        lambda touch, _: _numbers(touch).map(lambda n: 12 // n).on_error_continue(lambda error, n: None)
    ),
    "on_error_return.1": Golden(lambda touch, _: _numbers(touch).on_error_return(7)),
    "on_error_resume.1": Golden(lambda touch, _: Stream.error(OSError("x")).on_error_resume(_numbers(touch))),
    "on_error_map.1": Golden(lambda touch, _: _numbers(touch).on_error_map(lambda error: error)),
    "buffer.1": Golden(lambda touch, _: _numbers(touch).buffer(4), is_older=True),
    "buffer.2": Golden(lambda touch, _: _numbers(touch).buffer(2, 5)),
    "buffer_overlap.1": Golden(lambda touch, _: _numbers(touch).buffer(4, 2)),
    "sliding.1": Golden(lambda touch, _: _numbers(touch).sliding(4, 2)),
    "pairwise.1": Golden(lambda touch, _: _numbers(touch).pairwise()),
    "split_when.1": Golden(lambda touch, _: _numbers(touch).split_when(lambda _, n: n % 4 == 0)),
    "buffer_until.1": Golden(lambda touch, _: _numbers(touch).buffer_until(lambda n: n % 4 == 0)),
    "buffer_while.1": Golden(lambda touch, _: _numbers(touch).buffer_while(lambda n: n % 4)),
    "group_by.1": Golden(lambda touch, _: _numbers(touch).group_by(_mod3, prefetch=2).flat_map(_total)),
    "group_by_until.1": Golden(
        lambda touch, _: _numbers(touch).group_by_until(_mod3, lambda _: Stream.never()).flat_map(_total)
    ),
    "window.1": Golden(lambda touch, _: _numbers(touch).window(5, 4).concat_map(_with_key)),
    "window_until.1": Golden(lambda touch, _: _numbers(touch).window_until(lambda n: n % 4 == 0).concat_map(_with_key)),
    "window_when.1": Golden(lambda touch, _: _numbers(touch).window_when(Stream.never()).concat_map(_with_key)),
    "window_toggle.1": Golden(
        lambda touch, _: _numbers(touch).window_toggle(Stream.just(1), lambda _: Stream.never()).concat_map(_with_key)
    ),
    "window_timeout.1": TimedGolden(
        lambda _touch, _: _timed().window_timeout(3, _ticks(25)).concat_map(lambda window: window.buffer(9))
    ),
    "buffer_toggle.1": Golden(
        lambda touch, _: _numbers(touch).buffer_toggle(
            Stream.range(3).concat_with(Stream.never()), lambda n: Stream.never() if n else [n], prefetch=4
        ),
        requested=2,
    ),
    "buffer_when.1": Golden(lambda touch, _: _numbers(touch).buffer_when(Stream.never(), prefetch=4), requested=2),
    "intersperse.1": Golden(lambda touch, _: Stream.range(12).intersperse(-1), requested=6),
    "cycle.1": Golden(lambda touch, _: Stream.range(3).cycle(4), requested=8),
    "flat_map.1": Golden(lambda touch, _: _numbers(touch).flat_map(lambda n: [n] * 3), requested=7, is_older=True),
    # In the second file a stream runs.
    "flat_map.2": Golden(
        lambda touch, _: _numbers(touch).flat_map(lambda n: Stream.range(n, n + 3).map(operator.neg), concurrency=1),
        requested=7,
    ),
    "materialize.1": Golden(lambda touch, _: _numbers(touch).materialize(), requested=4),
    "dematerialize.1": Golden(lambda touch, _: _numbers(touch).map(OnNext).dematerialize()),
    "finally.1": Golden(lambda touch, _: _numbers(touch).finally_(list)),
    "log.1": Golden(lambda touch, _: _numbers(touch).log()),
    "tap.1": Golden(lambda touch, _: _numbers(touch).tap(MemoryMetrics(), name="numbers")),
    "progress.1": Golden(lambda touch, _: _numbers(touch).progress("numbers", total=9)),
    "checkpoint.1": Golden(lambda touch, _: _numbers(touch).checkpoint("numbers")),
    "switch_map.1": Golden(
        lambda touch, _: Stream.just(5).switch_map(lambda n: _numbers(touch).map(lambda m: n * m)), requested=7
    ),
    "exhaust_map.1": Golden(
        lambda touch, _: Stream.just(5, 6).exhaust_map(lambda n: _numbers(touch).map(lambda m: n * m)), requested=7
    ),
    "expand.1": Golden(
        lambda touch, _: _numbers(touch).expand(lambda n: Stream.just(n % 2, 0) if n > 1 else (), prefetch=4)
    ),
    "delay.1": TimedGolden(lambda _touch, _: _timed().delay(_ticks(25), prefetch=4)),
    "delay_until.1": TimedGolden(lambda _touch, _: _timed().delay_until(lambda _: Stream.timer(_ticks(15)))),
    "delay_subscription.1": TimedGolden(lambda _touch, _: _timed().delay_subscription(_ticks(15))),
    "debounce.1": TimedGolden(lambda _touch, _: _timed().filter(_begins_four).debounce(_ticks(15))),
    "debounce_by.1": TimedGolden(
        lambda _touch, _: _timed().filter(_begins_four).debounce(lambda _: Stream.timer(_ticks(15)))
    ),
    "audit.1": TimedGolden(lambda _touch, _: _timed().audit(_ticks(25))),
    "throttle_latest.1": TimedGolden(lambda _touch, _: _timed().throttle_latest(_ticks(25))),
    "throttle_first.1": TimedGolden(lambda _touch, _: _timed().throttle_first(_ticks(25))),
    "sample.1": TimedGolden(lambda _touch, _: _timed().sample(_ticks(25))),
    "take_for.1": TimedGolden(lambda _touch, _: _timed().take_for(_ticks(85))),
    "skip_for.1": TimedGolden(lambda _touch, _: _timed().skip_for(_ticks(75))),
    "timeout.1": TimedGolden(lambda _touch, _: _timed().timeout(_ticks(25))),
    "buffer_timeout.1": TimedGolden(lambda _touch, _: _timed().buffer_timeout(4, _ticks(25))),
    "rate_limit.1": TimedGolden(lambda _touch, _: _timed().rate_limit(2, _ticks(30))),
    "on_backpressure_buffer.1": Golden(lambda touch, _: _numbers(touch).on_backpressure_buffer(8), requested=2),
    "on_backpressure_full.1": Golden(lambda touch, _: _numbers(touch).on_backpressure_buffer(2), requested=2),
    "on_backpressure_drop.1": Golden(
        lambda touch, _: _numbers(touch).on_backpressure_drop(on_dropped=operator.neg).on_backpressure_buffer(12)
    ),
    "on_backpressure_latest.1": Golden(
        lambda touch, _: _numbers(touch).on_backpressure_latest(on_dropped=operator.neg), requested=2
    ),
    "on_backpressure_error.1": Golden(
        lambda touch, _: _numbers(touch).on_backpressure_error().on_backpressure_buffer(12)
    ),
    "on_backpressure_reduce.1": Golden(
        lambda touch, _: _numbers(touch).on_backpressure_reduce(operator.add), requested=2
    ),
    "on_backpressure_batch.1": Golden(lambda touch, _: _numbers(touch).on_backpressure_batch(12)),
    "limit_rate.1": Golden(lambda touch, _: _numbers(touch).limit_rate(4, 2), requested=2),
    "timestamp.1": TimedGolden(lambda _touch, _: _timed().timestamp().map(operator.itemgetter(1))),
    "time_interval.1": TimedGolden(lambda _touch, _: _timed().time_interval().map(operator.itemgetter(1))),
    "then.1": Golden(lambda touch, _: Stream.range(3).then(_numbers(touch))),
    "merge_sorted.1": Golden(lambda touch, _: _numbers(touch).merge_sorted([3, 21], prefetch=4)),
    "merge_with.1": Golden(lambda touch, _: _numbers(touch).merge_with([20, 21], prefetch=4)),
    "zip_with.1": Golden(lambda touch, _: _numbers(touch).zip_with(range(20, 40), prefetch=4)),
    "zip_longest.1": Golden(lambda touch, _: _numbers(touch).zip_longest([20, 21], prefetch=4)),
    "compress.1": Golden(lambda touch, _: _numbers(touch).compress([1, 0] * 9, prefetch=4)),
    "combine_latest.1": Golden(lambda touch, _: _numbers(touch).combine_latest([20], prefetch=4)),
    "with_latest_from.1": Golden(lambda touch, _: _numbers(touch).with_latest_from([20], prefetch=4)),
    "map_in_executor.1": HostedGolden(
        lambda _, other: Stream.range(12).map_in_executor(operator.neg, TaskExecutor(other), chunk=2), requested=5
    ),
    "map_async.1": LoopGolden(lambda call, loop: Stream.range(12).map_async(call, concurrency=4, loop=loop)),
    "limit_weight.1": Golden(lambda touch, _: _numbers(touch).limit_weight(7, lambda n: 1 + n % 3), requested=2),
    "pause_while.1": Golden(lambda touch, _: _numbers(touch).pause_while([1, 0], prefetch=4), requested=2),
    "count.1": _folded("count"),
    "sum.1": _folded("sum"),
    "average.1": _folded("average"),
    "min.1": _folded("min", _mod3),
    "max.1": _folded("max", _mod3),
    "reduce.1": _folded("reduce", operator.add),
    "collect.1": _folded("collect", Collector(list, list.append, sum)),
    "to_list.1": _folded("to_list"),
    "to_set.1": _folded("to_set"),
    "to_dict.1": _folded("to_dict", _mod3),
    "to_lookup.1": _folded("to_lookup", _mod3),
    "all.1": _folded("all", lambda number: not _late(number)),
    "any.1": _folded("any", _late),
    "contains.1": _folded("contains", 9),
    "is_empty.1": _folded("is_empty", of=_late),
    "sequence_equal.1": _folded("sequence_equal", range(12)),
    "first.1": _folded("first", of=_late),
    "first_or_default.1": _folded("first_or_default", of=_late),
    "last.1": _folded("last"),
    "last_or_default.1": _folded("last_or_default"),
    "single.1": _folded("single", of=lambda number: number == 3),
    "single_or_default.1": _folded("single_or_default", of=lambda number: number == 3),
    "element_at.1": _folded("element_at", 9),
    "element_at_or_default.1": _folded("element_at_or_default", 9),
    "sorted.1": Golden(lambda touch, _: _numbers(touch).sorted(_mod3)),
    "subscribe_on.1": Golden(lambda touch, scheduler: _numbers(touch).subscribe_on(scheduler), requested=2),
    "observe_on.1": Golden(lambda touch, scheduler: _numbers(touch).observe_on(scheduler, prefetch=4), requested=2),
    "parallel.1": Golden(
        lambda touch, scheduler: (
            _numbers(touch).parallel(2, prefetch=2).run_on(scheduler, prefetch=2).filter(_late).sequential(ordered=True)
        ),
        requested=1,
    ),
    # In the first file of each of the two, what was received lies behind the hooks; in the second one, before them.
    "lift.1": Golden(lambda touch, _: _numbers(touch).lift(Echo), requested=4),
    "lift.2": Golden(lambda touch, _: _numbers(touch).lift(Echo), requested=4),
    "multi_input.1": HostedGolden(lambda _, scheduler: _collected(scheduler), requested=1),
    "multi_input.2": HostedGolden(lambda _, scheduler: _collected(scheduler), requested=1),
}


def values_snapshot() -> bytes:
    """Return a snapshot with a field of every kind of value."""
    snapshot = SnapshotWriter(registry=shop)
    with snapshot.create("golden/values", (1, 0, 0, 0)) as writer:
        for value, _ in EXAMPLES[:EXAMPLES_AT_RELEASE]:
            writer.write(value)
        with writer.create_child() as child:
            child.write("inside")
    return snapshot.finish()


def files() -> dict[str, Callable[[], bytes]]:
    """Return the name of each file with what makes its content."""
    made: dict[str, Callable[[], bytes]] = {VALUES: values_snapshot}
    for name, golden in STREAMS.items():
        made[f"{name}.state"] = lambda golden=golden: golden.run(parks=True)[1]  # type: ignore[misc]
    return made


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name, make in files().items():
        if not (FOLDER / name).exists():
            (FOLDER / name).write_bytes(make())
            print(f"wrote {FOLDER.name}/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
