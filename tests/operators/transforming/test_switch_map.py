"""switch_map and exhaust_map: one stream at a time, the newest or the one that runs."""

from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.testing import ColdStream, TestScheduler, on_complete, on_next
from rs_core.stream.tree_walk import nodes_of
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract
from tests.operators.recovering.contracts import resumes_everywhere

METHODS = ["switch_map", "exhaust_map"]


class Newest(OperatorContract, StateContract, SerializableContract):
    """Only the stream of the last element has an element; upstream is read whatever the demand is."""

    reads_ahead = 12
    # Upstream may send as many as it likes: each that is taken makes room for another.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements if element == 11]


class TestSwitchMap(Newest):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().switch_map(lambda element: Stream.just(element).filter(lambda n: n == 11), prefetch=2)


class TestExhaustMap(Newest):
    """The stream of the first element runs until there is demand, and the others are dropped or have nothing."""

    elements: ClassVar[list[Any]] = [11, 12, 13]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().exhaust_map(lambda element: [element] if element == 11 else ())


class Outer:
    """An operator over a publisher that the test feeds, and of which it feeds the streams."""

    def __init__(self, method: str, request: int = UNBOUNDED, **options: Any) -> None:
        self.source = ManualPublisher()
        self.inner = [ManualPublisher() for _ in range(4)]
        self.subscriber = RecordingSubscriber(first_request=request)
        stream = getattr(Stream.from_publisher(self.source), method)(lambda n: self.inner[n], **options)
        self.handle = stream.bind(self.subscriber)
        self.handle.initialize()


def test_new_element_cancels_the_stream_that_runs() -> None:
    outer = Outer("switch_map")
    outer.source.send(0)
    outer.inner[0].send("a", "b")
    outer.source.send(1)
    assert outer.inner[0].cancels == 1
    with recorded_drops():
        outer.inner[0].send("late")
    outer.inner[1].send("c")
    outer.source.complete()
    assert outer.subscriber.outcome == (["a", "b", "c"], "open")
    outer.inner[1].send("d")
    outer.inner[1].complete()
    assert outer.subscriber.outcome == (["a", "b", "c", "d"], "complete")


def test_elements_that_come_while_a_stream_runs_are_dropped_and_counted() -> None:
    missed: list[int] = []
    outer = Outer("exhaust_map", on_drop=missed.append)
    outer.source.send(0, 1, 2)
    outer.inner[0].send("a")
    outer.inner[0].complete()
    outer.source.send(3)
    outer.inner[3].send("b")
    outer.source.complete()
    assert outer.subscriber.outcome == (["a", "b"], "open")
    outer.inner[3].complete()
    assert outer.subscriber.outcome == (["a", "b"], "complete")
    assert missed == [1, 2]
    assert [each.requests for each in outer.inner[1:3]] == [[], []]


def test_count_of_dropped_elements_is_kept_in_the_state() -> None:
    stream = Stream.range(9).exhaust_map(lambda _: Stream.never())
    handle, loaded = stream.bind(RecordingSubscriber()), stream.bind(RecordingSubscriber())
    handle.initialize()
    load_tree(loaded, save_tree(handle))
    assert [node.dropped for tree in (handle, loaded) for node in nodes_of(tree) if hasattr(node, "dropped")] == [8, 8]


@pytest.mark.parametrize("method", METHODS)
def test_demand_is_carried_over_exactly(method: str) -> None:
    outer = Outer(method, request=5)
    outer.source.send(0)
    assert outer.inner[0].requests == [5]
    outer.inner[0].send("a", "b")
    if method == "exhaust_map":
        outer.inner[0].complete()
    outer.source.send(1)
    assert outer.inner[1].requests == [3]
    outer.subscriber.request(1)
    assert outer.inner[1].requests == [3, 1]


@pytest.mark.parametrize("method", METHODS)
def test_upstream_is_taken_without_demand(method: str) -> None:
    outer = Outer(method, request=1, prefetch=4)
    assert outer.source.requests == [4]
    outer.source.send(0)
    outer.inner[0].send("a")
    outer.source.send(1, 2)
    assert outer.source.requested == 7


@pytest.mark.parametrize("method", METHODS)
def test_stream_that_has_its_elements_at_hand_is_over_before_the_next_element(method: str) -> None:
    assert getattr(Stream.range(3), method)(lambda n: Stream.just(n, n)).to_list() == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("method", METHODS)
def test_error_of_upstream_cancels_the_stream_that_runs(method: str) -> None:
    outer = Outer(method)
    outer.source.send(0)
    outer.source.fail(OSError("x"))
    assert outer.subscriber.outcome == ([], "OSError('x')")
    assert outer.inner[0].cancels == 1


@pytest.mark.parametrize("method", METHODS)
def test_error_of_the_stream_that_runs_cancels_upstream(method: str) -> None:
    outer = Outer(method)
    outer.source.send(0)
    outer.inner[0].send("a")
    outer.inner[0].fail(OSError("x"))
    assert outer.subscriber.outcome == (["a"], "OSError('x')")
    assert outer.source.cancels == 1


@pytest.mark.parametrize("method", METHODS)
def test_cancel_reaches_upstream_and_the_stream_that_runs(method: str) -> None:
    outer = Outer(method)
    outer.source.send(0)
    outer.subscriber.cancel()
    assert (outer.source.cancels, outer.inner[0].cancels) == (1, 1)


def test_end_of_a_stream_does_not_end_upstream() -> None:
    outer = Outer("switch_map")
    outer.source.send(0)
    outer.inner[0].complete()
    assert outer.subscriber.outcome == ([], "open")
    outer.source.complete()
    assert outer.subscriber.outcome == ([], "complete")


def test_error_that_was_missed_is_reported_as_dropped() -> None:
    error = OSError("x")
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)

    def fail_in_the_callback(element: str) -> None:
        inner.fail(error)
        source.send(1)

    source, inner = ManualPublisher(), ManualPublisher()
    stream = Stream.from_publisher(source).switch_map(lambda n: Stream.just("b") if n else inner)
    stream.take(2).do(on_next=lambda element: fail_in_the_callback(element) if element == "a" else None).subscribe(
        subscriber
    )
    source.send(0)
    with recorded_drops() as drops:
        inner.send("a")
    signalled = [] if subscriber.error is None else [subscriber.error]
    assert signalled + [value for _, value, _ in drops if value is error] == [error]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("position", range(3))
def test_function_that_raises_ends_the_stream(method: str, position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.range(3), method)(lambda n: [n // (n - position)]).subscribe(subscriber)
    assert subscriber.elements == [n // (n - position) for n in range(position)]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_function_for_dropped_elements_that_raises_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.range(3).exhaust_map(lambda n: Stream.never(), on_drop=lambda n: 1 // (2 - n))
    stream.subscribe(subscriber)
    assert isinstance(subscriber.error, ZeroDivisionError)


@pytest.mark.parametrize("method", METHODS)
def test_result_that_is_no_source_ends_the_stream(method: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{method}\(function\), by what it returned for 'x', needs a stream"):
        getattr(Stream.just("x"), method)(lambda _: 3).to_list()


@pytest.mark.parametrize("method", METHODS)
def test_state_is_loaded_at_each_element_of_the_stream_that_runs(method: str) -> None:
    resumes_everywhere(getattr(Stream.just(3), method)(lambda n: Stream.range(n, n + 5).map(int)), [3, 4, 5, 6, 7])


@pytest.mark.parametrize("method", METHODS)
def test_state_of_a_cancelled_stream_is_loaded_as_such(method: str) -> None:
    stream = getattr(Stream.just(3), method)(lambda n: Stream.range(n, n + 5).map(int))
    before, after = RecordingSubscriber(first_request=2), RecordingSubscriber()
    handle, loaded = stream.bind(before), stream.bind(after)
    handle.initialize()
    before.cancel()
    load_tree(loaded, save_tree(handle))
    loaded.initialize()
    assert loaded.is_disposed
    assert after.elements == []


def test_streams_in_another_thread_take_turns() -> None:
    with WorkerScheduler(name="inner") as scheduler:
        stream = Stream.range(200).switch_map(lambda n: Stream.range(n, n + 50).observe_on(scheduler, prefetch=4))
        elements = stream.to_list(timeout_seconds=60)
    assert elements[-50:] == list(range(199, 249))


@pytest.mark.parametrize("method", METHODS)
def test_hundreds_in_a_row_need_a_flat_stack(method: str) -> None:
    stream: Stream[int] = Stream.range(3)
    for _ in range(300):
        stream = getattr(stream, method)(lambda n: (n,))
    assert stream.to_list() == [0, 1, 2]


@pytest.mark.parametrize("method", METHODS)
def test_bad_arguments_are_refused_when_the_stream_is_built(method: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{method}\(function\) needs a callable, got \[\] \(list\)"):
        getattr(Stream.just(1), method)([])
    for prefetch in (0, -1, 2**24 + 1):
        with pytest.raises(ArgumentError, match=rf"{method}\(prefetch\) needs a count from 1"):
            getattr(Stream.just(1), method)(list, prefetch=prefetch)


def test_function_for_dropped_elements_that_is_not_callable_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"exhaust_map\(on_drop\) needs a callable, got 3 \(int\)"):
        Stream.just(1).exhaust_map(list, on_drop=3)  # type: ignore[arg-type]


def test_calls_are_written_as_they_were_made() -> None:
    written = repr(Stream.just(1).switch_map(range, prefetch=4).exhaust_map(range, on_drop=print))
    assert "switch_map(range, prefetch=4)" in written
    assert "exhaust_map(range, on_drop=print)" in written


def test_times_are_those_of_the_reference() -> None:
    """The vector `switch` of the reference: the elements of a stream end where the next one begins."""
    scheduler = TestScheduler()

    def timed(name: str, ticks: tuple[int, ...], end: int) -> ColdStream:
        return scheduler.create_cold(*[on_next(tick, f"{name}{tick}") for tick in ticks], on_complete(end))

    inner = [
        timed("P", (10, 20, 110, 120, 210, 220), 230),
        timed("Q", (10, 20, 30, 40), 50),
        timed("R", (10, 20, 30, 40), 150),
    ]
    outer = scheduler.create_hot(on_next(300, 0), on_next(400, 1), on_next(500, 2), on_complete(600))
    observer = scheduler.start(lambda: Stream.from_publisher(outer).switch_map(lambda n: inner[n]))
    expected = [310, 320, 410, 420, 430, 440, 510, 520, 530, 540, 650]
    assert all(0 <= message.tick - tick <= 2 for message, tick in zip(observer.messages, expected, strict=True))
    assert [repr(message.value) for message in observer.messages] == [
        *(
            f"on_next('{name}{tick}')"
            for name, count in (("P", 2), ("Q", 4), ("R", 4))
            for tick in range(10, 10 * count + 1, 10)
        ),
        "on_complete()",
    ]


@pytest.mark.parametrize("method", ["switch_map", "exhaust_map"])
def test_streams_pass_on_what_they_have_at_hand_before_the_next_element_comes(method: str) -> None:
    def inner(number: int) -> Stream[int]:
        return Stream.just(number).concat_with(Stream.just(-number).merge_with([]))

    expected = [each for number in range(1, 301) for each in (number, -number)]
    assert getattr(Stream.range(1, 301), method)(inner).to_list() == expected
