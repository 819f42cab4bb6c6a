"""pause_while: nothing is requested while the latest element of another stream is true."""

import threading
from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import BroadcastSubject, SimpleSubject, buffer
from reactivestreams.testing import TestScheduler, on_complete, on_next
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestPauseWhileNothingIsSaid(OperatorContract, StateContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().pause_while(Stream.never())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestPauseWhileMuchIsSaid(OperatorContract, StateContract):
    """The pauser ends after a pause, so the stream goes on."""

    reads_ahead = 2

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().pause_while([False, True, False, True], prefetch=2)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Paused:
    """A stream with both inputs in hand, and what it requests of the one above."""

    def __init__(self, request: int = 0, **arguments: Any) -> None:
        self.source, self.pauser = ManualPublisher(), ManualPublisher()
        self.asked: list[int] = []
        self.subscriber = RecordingSubscriber(first_request=request)
        elements: Stream[Any] = Stream.from_publisher(self.source, recovery="exact").do(on_request=self.asked.append)
        pauser = Stream.from_publisher(self.pauser, recovery="exact")
        self.handle = elements.pause_while(pauser, **arguments).bind(self.subscriber)

    def initialized(self) -> "Paused":
        self.handle.initialize()
        return self


def test_nothing_is_requested_during_a_pause_and_what_was_asked_for_meanwhile_after_it() -> None:
    paused = Paused(request=2).initialized()
    paused.pauser.send(True)
    paused.subscriber.request(3)
    paused.subscriber.request(1)
    assert paused.asked == [2]
    paused.pauser.send(False)
    assert paused.asked == [2, 4]


def test_what_was_requested_before_a_pause_passes_during_it() -> None:
    paused = Paused(request=3).initialized()
    paused.pauser.send(True)
    paused.source.send(1, 2, 3)
    assert paused.subscriber.outcome == ([1, 2, 3], "open")
    paused.source.complete()
    assert paused.subscriber.outcome == ([1, 2, 3], "complete")
    assert paused.pauser.cancels == 1


@pytest.mark.parametrize(("said", "asked"), [(["yes"], []), (["yes", 0], [5]), ([1, [1], []], [5]), ([], [5])])
def test_elements_of_the_pauser_count_by_their_truth_and_the_latest_one_does(said: list[Any], asked: list[int]) -> None:
    paused = Paused().initialized()
    paused.pauser.send(*said)
    paused.subscriber.request(5)
    assert paused.asked == asked


@pytest.mark.parametrize("prefetch", [1, 4])
def test_at_most_prefetch_elements_come_after_a_pause_began(prefetch: int) -> None:
    paused = Paused(UNBOUNDED, prefetch=prefetch).initialized()
    paused.pauser.send(1)
    paused.source.send(*range(prefetch))
    assert paused.asked == [prefetch]
    assert paused.subscriber.elements == list(range(prefetch))
    paused.pauser.send(0)
    assert paused.asked == [prefetch, prefetch]


def test_callback_of_the_stream_may_pause_it() -> None:
    busy = SimpleSubject[bool]()
    came: list[int] = []

    def process(number: int) -> None:
        came.append(number)
        if number == 2:
            busy.on_next(True)

    handle = Stream.range(8).pause_while(busy, prefetch=1).subscribe(on_next=process)
    assert came == [0, 1, 2]
    busy.on_next(False)
    assert came == [0, 1, 2, 3, 4, 5, 6, 7]
    handle.cancel()


def test_pauser_that_says_so_at_once_is_heard_after_the_first_request() -> None:
    for upstream in (Stream.range(9), Stream.range(9).merge_with(())):
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        pauser = Stream.just(True).concat_with(Stream[Any].never())
        upstream.pause_while(pauser, prefetch=2).subscribe(subscriber)
        assert subscriber.outcome == ([0, 1], "open")


def test_end_of_the_pauser_lets_the_stream_go_on_for_good() -> None:
    paused = Paused(request=2).initialized()
    paused.pauser.send(True)
    paused.subscriber.request(2)
    paused.pauser.complete()
    assert paused.asked == [2, 2]
    paused.source.send(1, 2, 3, 4)
    paused.source.complete()
    assert paused.subscriber.outcome == ([1, 2, 3, 4], "complete")
    assert Stream.range(300).pause_while([True]).to_list() == list(range(300))


def test_error_of_either_stream_ends_it_during_a_pause_and_cancels_the_other() -> None:
    for failing in range(2):
        paused = Paused(request=1).initialized()
        inputs = [paused.source, paused.pauser]
        paused.pauser.send(True)
        inputs[failing].fail(ValueError("broken"))
        assert paused.subscriber.outcome == ([], "ValueError('broken')")
        assert [each.cancels for each in inputs] == [failing, 1 - failing]


def test_element_without_a_truth_ends_the_stream_and_is_named() -> None:
    class Undecided:
        def __bool__(self) -> bool:
            raise ValueError("neither")

        def __repr__(self) -> str:
            return "Undecided()"

    paused = Paused(request=1).initialized()
    paused.pauser.send(Undecided())
    assert repr(paused.subscriber.error) == "ValueError('neither')"
    assert "Undecided()" in str(paused.subscriber.error.__notes__)  # type: ignore[union-attr]
    assert (paused.source.cancels, paused.pauser.cancels) == (1, 1)


def test_cancel_during_a_pause_reaches_both_inputs() -> None:
    paused = Paused(request=1).initialized()
    paused.pauser.send(True)
    paused.subscriber.cancel()
    assert (paused.source.cancels, paused.pauser.cancels) == (1, 1)


def test_pause_is_saved_and_goes_on_when_it_was_loaded() -> None:
    before = Paused(request=4, prefetch=4).initialized()
    before.source.send(1, 2)
    before.pauser.send(True)
    state = save_tree(before.handle)
    after = Paused(prefetch=4)
    load_tree(after.handle, state)
    after.handle.initialize()
    after.subscriber.request(3)
    assert after.asked == []
    after.pauser.send(False)
    assert after.asked == [3]
    after.source.send(3, 4, 5)
    assert (before.subscriber.elements, after.subscriber.elements) == ([1, 2], [3, 4, 5])


def test_end_of_the_pauser_is_saved() -> None:
    before = Paused().initialized()
    before.pauser.send(True)
    before.pauser.complete()
    after = Paused()
    load_tree(after.handle, save_tree(before.handle))
    after.handle.initialize()
    after.subscriber.request(3)
    assert after.asked == [3]


def test_stream_is_paused_at_the_ticks_of_its_pauser() -> None:
    scheduler = TestScheduler()
    numbers = scheduler.create_hot(*[on_next(210 + 10 * n, n) for n in range(6)], on_complete(290))
    switches = scheduler.create_hot(on_next(215, True), on_next(235, False), on_next(245, True), on_next(275, ""))
    observer = scheduler.start(
        lambda: (
            Stream.from_publisher(numbers)
            .on_backpressure_buffer(9)
            .pause_while(Stream.from_publisher(switches), prefetch=1)
        )
    )
    # What was requested before a pause passes; each of both operators has its turn a tick after its input.
    assert observer.messages == [
        on_next(212, 0),
        on_next(222, 1),
        on_next(238, 2),
        on_next(242, 3),
        on_next(252, 4),
        on_next(278, 5),
        on_complete(292),
    ]


def test_pauses_of_a_timer_hold_up_a_stream_that_is_ready() -> None:
    scheduler = TestScheduler()
    switches = scheduler.create_hot(on_next(205, 1), on_next(240, 0))
    clock = Stream.interval(timedelta(microseconds=10)).on_backpressure_latest()
    observer = scheduler.start(lambda: clock.pause_while(Stream.from_publisher(switches), prefetch=1).take(2))
    # One was requested before the pause; the latest one waits for its end, a tick before the next one comes.
    assert [(message.tick, message.value.element) for message in observer.messages[:2]] == [(213, 0), (243, 2)]


def test_pausing_from_another_thread_loses_and_repeats_nothing() -> None:
    # Only the latest element counts, and the thread may speak before the pauser's first request.
    busy = BroadcastSubject[bool](policy=buffer(on_overflow="latest"))
    done = threading.Event()

    def switch() -> None:
        while not done.is_set():
            busy.on_next(True)
            busy.on_next(False)

    thread = threading.Thread(target=switch, name="switches")
    with WorkerScheduler(name="reactivestreams-paused") as worker:
        stream = Stream.range(20_000).observe_on(worker).pause_while(Stream.from_publisher(busy), prefetch=8)
        thread.start()
        try:
            assert stream.to_list(timeout_seconds=60) == list(range(20_000))
        finally:
            done.set()
            thread.join()


def test_bad_arguments_are_refused() -> None:
    wrong: Any = 3
    with pytest.raises(ArgumentTypeError, match=r"^pause_while\(pauser\) needs a stream, a publisher, an iterable"):
        Stream.range(3).pause_while(wrong)
    with pytest.raises(ArgumentError, match=r"^pause_while\(prefetch\) needs a count from 1"):
        Stream.range(3).pause_while([], prefetch=0)


def test_call_is_written_as_one_would_write_it() -> None:
    described = str(pipeline().pause_while(Stream.never(), prefetch=6))
    assert described == "pipeline().pause_while(Stream.never(), prefetch=6)"
