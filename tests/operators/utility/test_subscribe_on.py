"""subscribe_on: the stream above is made, and runs, in the threads of a scheduler."""

import asyncio
import contextvars
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, SchedulerDisposedError
from reactivestreams.lifecycle import DefaultOperatorContext
from reactivestreams.schedulers import EventLoopScheduler, ImmediateScheduler, VirtualTimeScheduler, WorkerScheduler
from rs_core.operators.python_operator import PythonStage
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.operator_contract import WAIT_SECONDS, OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


def thread_name(*_: object) -> str:
    return threading.current_thread().name


class TestSubscribeOn(OperatorContract, StateContract):
    """A stream above that runs when the test lets it."""

    reads_ahead = 128
    scheduler: ManualScheduler
    # These ticks are of another scheduler than the stream above is on.
    test_run_over_hot_ticks_resumes_at_every_tick = None  # type: ignore[assignment]
    test_run_over_cold_ticks_resumes_at_every_tick_under_random_demand = None  # type: ignore[assignment]

    @pytest.fixture(autouse=True)
    def scheduler_of_the_test(self) -> None:
        self.scheduler = ManualScheduler()

    def settle(self) -> None:
        self.scheduler.run_waiting()

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().subscribe_on(self.scheduler)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def start_settling(self, stream: Stream[Any], subscriber: RecordingSubscriber) -> None:
        stream.subscribe(subscriber)
        while not subscriber.ended.wait(0.001):
            self.settle()


class TestSubscribeOnAnImmediateScheduler(OperatorContract, StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().subscribe_on(ImmediateScheduler())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def test_all_that_is_above_runs_on_the_scheduler() -> None:
    names: list[str] = []

    def note(*_: object) -> None:
        names.append(thread_name())

    def opened(_: object) -> Stream[int]:
        note()
        return Stream.defer(lambda: (note(), Stream.range(3))[1])

    with WorkerScheduler(name="above") as worker:
        above = Stream.using(note, opened, note).do(note, on_subscribe=note, on_request=note, on_complete=note)
        assert above.subscribe_on(worker).to_list() == [0, 1, 2]
    assert set(names) == {"above"}
    assert len(names) >= 9


def test_what_was_moved_by_observe_on_stays_there() -> None:
    with WorkerScheduler(name="above") as above, WorkerScheduler(name="below") as below:
        stream = Stream.range(3).map(lambda n: (n, thread_name())).observe_on(below).map(lambda n: (*n, thread_name()))
        assert stream.subscribe_on(above).to_list() == [(n, "above", "below") for n in range(3)]


def test_of_several_the_next_to_the_source_counts() -> None:
    with WorkerScheduler(name="first") as first, WorkerScheduler(name="second") as second:
        stream = Stream.from_callable(thread_name).subscribe_on(first).map(lambda name: (name, thread_name()))
        assert stream.subscribe_on(second).first() == ("first", "first")


def test_source_that_blocks_holds_up_neither_subscribe_nor_request() -> None:
    opened = threading.Event()

    def blocking() -> Iterator[int]:
        for number in range(3):
            assert opened.wait(WAIT_SECONDS)
            yield number

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    with WorkerScheduler(name="above") as worker:
        Stream.from_iterable(blocking()).subscribe_on(worker).subscribe(subscriber)
        subscriber.request(1)
        assert subscriber.outcome == ([], "open")
        opened.set()
        assert subscriber.ended.wait(WAIT_SECONDS)
    assert subscriber.outcome == ([0, 1, 2], "complete")


def test_nothing_runs_before_the_scheduler_does() -> None:
    scheduler, subscriber, source = ManualScheduler(), RecordingSubscriber(first_request=2), CountedIterable(range(9))
    made: list[int] = []
    counted = Stream.defer(lambda: (made.append(1), Stream.from_iterable(source))[1])
    counted.subscribe_on(scheduler).subscribe(subscriber)
    assert (made, source.taken) == ([], 0)
    scheduler.run_waiting()
    assert (made, source.taken, subscriber.elements) == ([1], 2, [0, 1])
    subscriber.request(3)
    assert source.taken == 2
    scheduler.run_waiting()
    assert (source.taken, subscriber.elements) == (5, [0, 1, 2, 3, 4])


def test_cancel_before_the_start_subscribes_to_nothing() -> None:
    scheduler, subscriber, publisher = ManualScheduler(), RecordingSubscriber(first_request=1), ManualPublisher()
    Stream.from_publisher(publisher).subscribe_on(scheduler).subscribe(subscriber)
    subscriber.cancel()
    scheduler.run_waiting()
    assert (publisher.subscriber, subscriber.outcome) == (None, ([], "open"))


def test_event_loop_as_the_place_of_the_source() -> None:
    async def main() -> list[str]:
        async def numbers() -> Any:
            for _ in range(2):
                await asyncio.sleep(0)
                yield thread_name()

        scheduler = EventLoopScheduler(asyncio.get_running_loop())
        return [name async for name in Stream.from_callable(thread_name).subscribe_on(scheduler)]

    assert asyncio.run(main()) == [threading.current_thread().name]


def test_time_above_is_that_of_the_scheduler() -> None:
    scheduler, subscriber = VirtualTimeScheduler(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.timer(timedelta(days=1)).subscribe_on(scheduler).subscribe(subscriber)
    scheduler.clock.start()
    assert subscriber.outcome == ([0], "complete")


def test_host_keeps_its_settings_above() -> None:
    seen: list[Any] = []

    class Looking(PythonStage[int, int]):
        name = "test/looking"

        def on_start(self) -> None:
            seen.append(self.context)

        def on_next(self, element: int) -> None:
            self.emit(element)

    host, above = VirtualTimeScheduler(), VirtualTimeScheduler()
    context = DefaultOperatorContext("rx://test", host, elements={"rx://limit": 3})
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1).lift(Looking).subscribe_on(above).lift(Looking).bind(subscriber).initialize(context)
    host.clock.start()
    assert (seen, subscriber.elements) == ([context], [])
    above.clock.start()
    host.clock.start()
    assert subscriber.outcome == ([1], "complete")
    made = seen[1]
    assert (made.scheduler, made.instance_id, made.try_get_element("rx://limit")) == (above, "rx://test", (True, 3))
    assert (made.trace, made.reactive_service, made.execution_environment) == (context.trace, None, None)


def test_context_variables_are_those_of_the_thread_that_subscribes() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")
    variable.set("mine")
    with WorkerScheduler(name="above") as worker:
        assert Stream.from_callable(variable.get).subscribe_on(worker).first() == "mine"


def test_scheduler_that_was_disposed_ends_the_stream() -> None:
    worker = WorkerScheduler(name="above")
    worker.dispose()
    with pytest.raises(SchedulerDisposedError, match="takes no task"):
        Stream.range(3).subscribe_on(worker).to_list()


@pytest.mark.parametrize("scheduler", [None, 3, WorkerScheduler])
def test_what_is_no_scheduler_is_refused_when_the_stream_is_built(scheduler: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"subscribe_on\(scheduler\) needs a Scheduler, got .*; pass e\.g\."):
        Stream.range(3).subscribe_on(scheduler)
