"""create with the policy block: who waits is woken by room and by the end, and never waits for itself."""

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import EmitResult, Stream, StreamEmitter
from reactivestreams.errors import WouldDeadlockError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.sources.pushed_emitter import Pushed, pushed

ACCEPTED, CANCELLED = EmitResult.ACCEPTED, EmitResult.CANCELLED
TERMINATED, TIMED_OUT = EmitResult.TERMINATED, EmitResult.TIMED_OUT
WAIT_SECONDS = 30.0
SHORT_SECONDS = 0.01


def full(**options: Any) -> tuple[StreamEmitter[Any], RecordingSubscriber]:
    """A stream without demand whose one place is taken."""
    emitter, subscriber = pushed(on_overflow="block", capacity=1, **options)
    assert emitter.emit("first") is ACCEPTED
    return emitter, subscriber


class Producers:
    """Threads that emit a number each; what became of it."""

    def __init__(self, emitter: StreamEmitter[Any], count: int) -> None:
        self.results: dict[int, object] = {}
        self.emitter = emitter
        self.threads = [threading.Thread(target=self._emit, args=(number,)) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def _emit(self, number: int) -> None:
        try:
            self.results[number] = self.emitter.emit(number)
        except Exception as error:
            self.results[number] = error

    def join(self) -> dict[int, object]:
        for thread in self.threads:
            thread.join(WAIT_SECONDS)
        assert not any(thread.is_alive() for thread in self.threads)
        return self.results


def test_who_finds_no_room_gives_up_after_the_time_limit() -> None:
    emitter, subscriber = full(block_timeout_seconds=SHORT_SECONDS)
    assert emitter.emit("second") is TIMED_OUT
    subscriber.request(5)
    assert (emitter.emit("third"), subscriber.elements) == (ACCEPTED, ["first", "third"])


@pytest.mark.parametrize("n", [8, UNBOUNDED])
def test_who_waits_goes_on_when_elements_are_requested(n: int) -> None:
    emitter, subscriber = full()
    producers = Producers(emitter, 7)
    subscriber.request(n)
    assert producers.join() == dict.fromkeys(range(7), ACCEPTED)
    assert (subscriber.elements[0], sorted(subscriber.elements[1:])) == ("first", list(range(7)))
    assert subscriber.faults == []


def test_each_request_makes_room_for_one() -> None:
    emitter, subscriber = full()
    producers = Producers(emitter, 4)
    for _ in range(5):
        subscriber.request(1)
    assert producers.join() == dict.fromkeys(range(4), ACCEPTED)
    assert sorted(subscriber.elements[1:]) == list(range(4))


@pytest.mark.parametrize(
    ("end", "result"),
    [
        (lambda emitter, subscriber: emitter.complete(), TERMINATED),
        (lambda emitter, subscriber: emitter.fail(ValueError("why")), TERMINATED),
        (lambda emitter, subscriber: subscriber.cancel(), CANCELLED),
    ],
    ids=["complete", "fail", "cancel"],
)
def test_who_waits_goes_on_when_the_stream_is_over(end: Callable[[Any, Any], object], result: EmitResult) -> None:
    emitter, subscriber = full()
    producers = Producers(emitter, 4)
    end(emitter, subscriber)
    assert producers.join() == dict.fromkeys(range(4), result)
    assert subscriber.elements == []


def test_an_illegal_request_ends_the_wait() -> None:
    emitter, subscriber = full()
    producers = Producers(emitter, 2)
    subscriber.subscription.request(-1)
    assert set(producers.join().values()) <= {CANCELLED}
    assert subscriber.outcome[1].startswith("InvalidRequestError")


# --- who would wait for itself ----------------------------------------------------------------------------------------


def test_the_thread_that_delivers_is_told_instead_of_waiting() -> None:
    caught: list[str] = []

    class Emitting(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element == 0:
                assert emitter.emit(1) is ACCEPTED
                with pytest.raises(WouldDeadlockError) as raised:
                    emitter.emit(2)
                caught.append(str(raised.value))

    callback, subscriber = Pushed(), Emitting(first_request=UNBOUNDED)
    stream = Stream.create(callback, on_overflow="block", capacity=1)
    stream.subscribe(subscriber)
    (emitter,) = callback.emitters
    emitter.emit(0)
    assert subscriber.elements == [0, 1]
    expected = (
        f"emit(2) found 1 elements waiting in rx://sources/create assembled at {stream.assembly}, and this thread is "
        f"running the stream: it would wait for itself; emit from another thread, raise capacity, or choose another "
        f"on_overflow"
    )
    assert caught == [expected]


def test_so_is_the_thread_that_delivers_from_inside_another_stream() -> None:
    caught: list[object] = []

    def emit_inside(element: int) -> int:
        (emitter,) = callback.emitters
        emitter.emit("fills")
        try:
            Stream.just(1).for_each(lambda _: emitter.emit("too much"))
        except WouldDeadlockError as error:
            caught.append(type(error))
        return element

    callback = Pushed()
    subscriber = RecordingSubscriber(first_request=1)
    Stream.create(callback, on_overflow="block", capacity=1).map(emit_inside).subscribe(subscriber)
    callback.emitters[0].emit(0)
    assert (caught, subscriber.elements) == ([WouldDeadlockError], [0])


@pytest.fixture
def worker() -> Iterator[WorkerScheduler]:
    with WorkerScheduler(name="reactivestreams-delivers") as worker:
        yield worker


def in_worker(worker: WorkerScheduler, action: Callable[[], object]) -> object:
    """Run an action as a task; return what it returned, or the type of what it raised."""
    outcome: list[object] = []
    done = threading.Event()

    def task() -> None:
        try:
            outcome.append(action())
        except Exception as error:
            outcome.append(type(error))
        done.set()

    worker.schedule(task)
    assert done.wait(WAIT_SECONDS)
    return outcome[0]


def test_a_task_of_the_scheduler_that_drains_the_source_is_reported(worker: WorkerScheduler) -> None:
    callback, subscriber = Pushed(), RecordingSubscriber()
    stream = Stream.create(callback, on_overflow="block", capacity=1)
    stream.bind(subscriber).initialize(SimpleNamespace(scheduler=worker))
    (emitter,) = callback.emitters
    assert in_worker(worker, lambda: emitter.emit(0)) is ACCEPTED
    assert in_worker(worker, lambda: emitter.emit(1)) is WouldDeadlockError
    producers = Producers(emitter, 1)  # another thread may wait
    subscriber.request(2)
    assert producers.join() == {0: ACCEPTED}


def test_a_task_of_a_scheduler_further_down_is_reported(worker: WorkerScheduler) -> None:
    callback, subscriber = Pushed(), RecordingSubscriber()
    stream = Stream.create(callback, on_overflow="block", capacity=1).map(str).observe_on(worker, prefetch=2)
    stream.subscribe(subscriber)
    (emitter,) = callback.emitters
    results = [in_worker(worker, lambda number=number: emitter.emit(number)) for number in range(4)]  # type: ignore[misc]
    assert results == [ACCEPTED, ACCEPTED, ACCEPTED, WouldDeadlockError]
    subscriber.cancel()


def test_another_task_of_no_concern_may_wait(worker: WorkerScheduler) -> None:
    emitter, _ = full(block_timeout_seconds=SHORT_SECONDS)
    assert in_worker(worker, lambda: emitter.emit("second")) is TIMED_OUT


def test_who_would_wait_for_virtual_time_is_reported() -> None:
    class VirtualScheduler(ManualScheduler):
        is_virtual_time = True

    scheduler, callback, subscriber = VirtualScheduler(), Pushed(), RecordingSubscriber(first_request=1)
    stream = Stream.create(callback, on_overflow="block", capacity=1)
    stream.bind(subscriber).initialize(SimpleNamespace(scheduler=scheduler))
    (emitter,) = callback.emitters
    scheduler.run_waiting()
    assert (emitter.emit(0), subscriber.elements) == (ACCEPTED, [])
    with pytest.raises(WouldDeadlockError, match=r"the time of .*VirtualScheduler.* stands still meanwhile"):
        emitter.emit(1)
    scheduler.run_waiting()
    assert subscriber.elements == [0]
    subscriber.cancel()


def test_a_callback_in_the_thread_that_iterates_is_reported() -> None:
    def count(emitter: StreamEmitter[int]) -> None:
        for number in range(3):
            emitter.emit(number)

    numbers = iter(Stream.create(count, on_overflow="block", capacity=2))
    assert [next(numbers), next(numbers)] == [0, 1]
    with pytest.raises(WouldDeadlockError, match="the loop that takes elements out waits for the callback in this thr"):
        next(numbers)


def test_a_callback_that_starts_a_thread_may_be_iterated() -> None:
    def count(emitter: StreamEmitter[int]) -> None:
        for number in range(200):
            emitter.emit(number)
        emitter.complete()

    def start(emitter: StreamEmitter[int]) -> None:
        threading.Thread(target=count, args=(emitter,)).start()

    stream = Stream.create(start, on_overflow="block", capacity=2)
    assert list(stream) == list(range(200))


def test_so_is_a_callback_in_the_thread_that_iterates_behind_a_boundary(worker: WorkerScheduler) -> None:
    def count(emitter: StreamEmitter[int]) -> None:
        for number in range(100):
            emitter.emit(number)

    stream = Stream.create(count, on_overflow="block", capacity=2).observe_on(worker, prefetch=4)
    numbers = stream.iterate(prefetch=1)
    with pytest.raises(WouldDeadlockError):
        list(numbers)
