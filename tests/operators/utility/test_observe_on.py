"""observe_on: signals change to the threads of a scheduler."""

import contextvars
import threading
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError, StateError
from reactivestreams.schedulers import ImmediateScheduler, WorkerScheduler
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.operator_contract import WAIT_SECONDS, OperatorContract, OperatorSubject
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save
from tests.contracts.state_contract import StateContract


class Boundaries(OperatorSubject):
    """A boundary whose tasks run when the test lets them."""

    scheduler: ManualScheduler

    @pytest.fixture(autouse=True)
    def scheduler_of_the_test(self) -> None:
        self.scheduler = ManualScheduler()

    def settle(self) -> None:
        self.scheduler.run_waiting()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements

    def start_settling(self, stream: Stream[Any], subscriber: RecordingSubscriber) -> None:
        stream.subscribe(subscriber)
        while not subscriber.ended.wait(0.001):
            self.settle()


class TestObserveOn(Boundaries, OperatorContract, StateContract):
    reads_ahead = 4

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().observe_on(self.scheduler, prefetch=4)


class TestObserveOnWithThePrefetchOfOne(Boundaries, OperatorContract, StateContract):
    reads_ahead = 1

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().observe_on(self.scheduler, prefetch=1)


class TestObserveOnThatHoldsTheWholeInput(Boundaries, OperatorContract, StateContract):
    reads_ahead = 1024

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().observe_on(self.scheduler)


class TestObserveOnAnImmediateScheduler(OperatorContract, StateContract):
    reads_ahead = 4

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().observe_on(ImmediateScheduler(), prefetch=4)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def test_elements_arrive_in_the_named_thread_and_in_order() -> None:
    names: set[str] = set()
    with WorkerScheduler(name="delivering") as worker:
        stream = Stream.range(5_000).observe_on(worker, prefetch=16)
        arrived = stream.do(lambda _: names.add(threading.current_thread().name)).to_list()
    assert (arrived, names) == (list(range(5_000)), {"delivering"})


def test_source_is_read_in_the_thread_that_subscribes_first() -> None:
    readers: list[str] = []
    with WorkerScheduler(name="delivering") as worker:
        stream = Stream.range(3).do(lambda _: readers.append(threading.current_thread().name))
        assert stream.observe_on(worker).to_list() == [0, 1, 2]
    assert readers == [threading.current_thread().name] * 3


def test_chain_of_boundaries_keeps_the_order() -> None:
    with WorkerScheduler(name="a") as a, WorkerScheduler(name="b") as b, WorkerScheduler(name="c") as c:
        stream = Stream.range(3_000).observe_on(a, prefetch=8).map(str).observe_on(b, prefetch=2).map(int)
        assert stream.observe_on(c).to_list() == list(range(3_000))


def test_burst_costs_one_scheduled_task() -> None:
    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(500).observe_on(scheduler).subscribe(subscriber)
    assert (scheduler.schedule_calls, subscriber.elements) == (1, [])
    scheduler.run_waiting()
    assert subscriber.outcome == (list(range(500)), "complete")
    assert scheduler.schedule_calls == 1


def test_tasks_are_as_many_as_turns_not_as_elements() -> None:
    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(10_000).observe_on(scheduler, prefetch=100).subscribe(subscriber)
    scheduler.run_waiting()
    assert subscriber.outcome == (list(range(10_000)), "complete")
    assert 10_000 // 100 <= scheduler.schedule_calls <= 2 * 10_000 // 75


def test_turn_passes_on_no_more_than_the_prefetch() -> None:
    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(100).observe_on(scheduler, prefetch=8).subscribe(subscriber)
    before = 0
    while scheduler.run_next():
        assert len(subscriber.elements) - before <= 8
        before = len(subscriber.elements)
    assert subscriber.outcome == (list(range(100)), "complete")


@pytest.mark.parametrize("prefetch", [1, 3, 4, 1024])
def test_end_right_behind_a_full_queue_arrives(prefetch: int) -> None:
    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(prefetch).observe_on(scheduler, prefetch=prefetch).subscribe(subscriber)
    scheduler.run_waiting()
    assert subscriber.outcome == (list(range(prefetch)), "complete")


def test_memory_stays_flat_behind_a_slow_consumer() -> None:
    produced, taken = [0], [0]
    most = [0]

    def produce(_: int) -> None:
        produced[0] += 1
        most[0] = max(most[0], produced[0] - taken[0])

    def take(_: int) -> None:
        taken[0] += 1

    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=1, then_request=1)
    Stream.range(2_000).do(produce).observe_on(scheduler, prefetch=32).do(take).subscribe(subscriber)
    scheduler.run_waiting()
    assert subscriber.outcome == (list(range(2_000)), "complete")
    assert (produced, taken) == ([2_000], [2_000])
    assert most[0] <= 32


def test_upstream_is_asked_again_at_three_quarters() -> None:
    publisher, scheduler, subscriber = (
        ManualPublisher(),
        ManualScheduler(),
        RecordingSubscriber(first_request=UNBOUNDED),
    )
    Stream.from_publisher(publisher).observe_on(scheduler, prefetch=8).subscribe(subscriber)
    assert publisher.requests == [8]
    publisher.send(1, 2, 3, 4, 5)
    scheduler.run_waiting()
    assert publisher.requests == [8]
    publisher.send(6)
    scheduler.run_waiting()
    assert publisher.requests == [8, 6]


def test_error_comes_behind_the_queued_elements() -> None:
    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=1)
    source = CountedIterable([1, 2], fails_with=ValueError("why"))
    Stream.from_iterable(source).observe_on(scheduler).subscribe(subscriber)
    scheduler.run_waiting()
    assert subscriber.outcome == ([1], "open")
    subscriber.request(1)
    scheduler.run_waiting()
    assert subscriber.outcome == ([1, 2], "ValueError('why')")


def test_cancel_empties_the_queue_without_the_scheduler() -> None:
    class Element:
        alive = 0

        def __init__(self) -> None:
            Element.alive += 1

        def __del__(self) -> None:
            Element.alive -= 1

    scheduler, subscriber = ManualScheduler(), RecordingSubscriber()
    Stream.range(5).map(lambda _: Element()).observe_on(scheduler).subscribe(subscriber)
    scheduler.run_waiting()
    assert Element.alive == 5
    subscriber.cancel()
    assert Element.alive == 0


def test_functions_below_see_the_context_variables_of_the_subscriber() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")
    seen: list[str] = []

    def look(_: int) -> None:
        seen.append(user.get())
        user.set("changed by a callback")

    with WorkerScheduler(name="delivering") as worker:
        user.set("subscriber")
        stream = Stream.range(2).observe_on(worker).do(look)
        user.set("later")
        stream.run()
    assert seen[0] == "later"
    assert user.get() == "later"


def test_each_turn_enters_a_copy_of_its_own() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")
    seen: list[str] = []

    def look(_: int) -> None:
        seen.append(user.get())
        user.set("changed by a callback")

    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=UNBOUNDED)
    publisher = ManualPublisher()
    Stream.from_publisher(publisher).observe_on(scheduler).do(look).subscribe(subscriber)
    for element in (1, 2):
        publisher.send(element)
        scheduler.run_waiting()
    assert seen == ["nobody", "nobody"]


def test_scheduler_disposed_before_the_turn_ends_the_stream() -> None:
    scheduler, subscriber = ManualScheduler(), RecordingSubscriber(first_request=UNBOUNDED)
    source = CountedIterable([1, 2, 3])
    Stream.from_iterable(source).observe_on(scheduler).subscribe(subscriber)
    scheduler.dispose()
    assert isinstance(subscriber.error, SchedulerDisposedError)
    assert (subscriber.elements, subscriber.faults, source.is_closed) == ([], [], True)


def test_scheduler_disposed_while_idle_ends_the_stream_with_the_next_element() -> None:
    publisher, scheduler, subscriber = (
        ManualPublisher(),
        ManualScheduler(),
        RecordingSubscriber(first_request=UNBOUNDED),
    )
    Stream.from_publisher(publisher).observe_on(scheduler).subscribe(subscriber)
    scheduler.run_waiting()
    scheduler.dispose()
    assert subscriber.outcome == ([], "open")
    publisher.send(1)
    assert isinstance(subscriber.error, SchedulerDisposedError)
    assert (subscriber.elements, publisher.cancels) == ([], 1)


@pytest.mark.parametrize("disposed_first", [False, True])
def test_scheduler_disposed_behind_a_cancelled_stream_has_nothing_to_tell(disposed_first: bool) -> None:
    scheduler, subscriber, source = ManualScheduler(), RecordingSubscriber(first_request=2), CountedIterable([1, 2, 3])
    with recorded_drops() as drops:
        Stream.from_iterable(source).observe_on(scheduler).subscribe(subscriber)
        assert subscriber.subscription is not None
        if disposed_first:
            scheduler.run_waiting()
            scheduler.dispose()
            subscriber.subscription.cancel()
        else:
            subscriber.subscription.cancel()
            scheduler.dispose()
    assert (subscriber.ended.is_set(), subscriber.faults, source.is_closed, drops) == (False, [], True, [])


def test_worker_disposed_from_a_callback_ends_the_stream() -> None:
    worker = WorkerScheduler(name="reactivestreams-disposed")
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    with recorded_drops() as drops:
        Stream.range(100).observe_on(worker, prefetch=2).do(lambda _: worker.dispose()).subscribe(subscriber)
        assert subscriber.ended.wait(WAIT_SECONDS)
    assert isinstance(subscriber.error, SchedulerDisposedError)
    assert (subscriber.faults, drops) == ([], [])
    worker.dispose()


def test_queue_is_not_saved_while_its_input_flows() -> None:
    """The boundary itself is idle, but the drainer above puts elements into its queue."""
    scheduler, subscriber = ManualScheduler(), RecordingSubscriber()
    refused: list[bool] = []

    def try_to_save() -> None:
        scheduler.run_waiting()
        with pytest.raises(StateError, match="cannot save"):
            save(handle.inputs[0])
        refused.append(True)

    source = CountedIterable([1, 2, 3], at=(2, try_to_save))
    handle = Stream.from_iterable(source).observe_on(scheduler).bind(subscriber)
    handle.initialize()
    assert refused == [True]
    handle.cancel()


def test_what_is_no_scheduler_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"observe_on\(scheduler\) needs a Scheduler, got 'io' \(str\); pass e\.g\."
    ):
        Stream.just(1).observe_on("io")  # type: ignore[arg-type]


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(prefetch: int) -> None:
    with pytest.raises(ArgumentError, match=rf"observe_on\(prefetch\) needs a count from 1 to {2**24}, got {prefetch}"):
        Stream.just(1).observe_on(ImmediateScheduler(), prefetch=prefetch)
