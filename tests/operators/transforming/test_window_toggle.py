"""window_toggle: streams that one stream opens, and each of which a stream of its own ends."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import GroupedStream, Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, WouldDeadlockError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class TestToggleNever(OperatorContract):
    """Nothing opens a window: all elements are dropped."""

    reads_ahead = 12
    # Upstream may send as many as it likes: each that is taken makes room for another.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().window_toggle(Stream.never(), lambda _: [0]).map(lambda window: window.key)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []


def as_list(window: Stream[Any]) -> Stream[list[Any]]:
    return window.through(pipeline().to_list())


class Doors:
    """A stream with all its inputs in hand; of each window that passes what came and how it ended."""

    def __init__(self, request: int = UNBOUNDED, *, consumes: bool = True, **arguments: Any) -> None:
        self.main, self.openings = ManualPublisher(), ManualPublisher()
        self.ends: dict[Any, ManualPublisher] = {}
        self.windows: list[RecordingSubscriber] = []
        self.subscriber = RecordingSubscriber(first_request=request)
        stream = Stream.from_publisher(self.main).window_toggle(
            Stream.from_publisher(self.openings), self.end_of, **arguments
        )
        self.handle = (stream.map(self.consumed) if consumes else stream).bind(self.subscriber)
        self.handle.initialize()

    def consumed(self, window: GroupedStream[int, Any]) -> int:
        self.windows.append(RecordingSubscriber(first_request=UNBOUNDED))
        window.subscribe(self.windows[-1])
        return window.key

    def end_of(self, opening: Any) -> Stream[Any]:
        self.ends[opening] = ManualPublisher()
        return Stream.from_publisher(self.ends[opening])

    @property
    def outcomes(self) -> list[Any]:
        return [window.outcome for window in self.windows]

    def play(self, actions: str) -> None:
        """Do what is written: 1 sends it, +a opens a window, -a ends it, /a ends it by completing, # completes."""
        for action in actions.split():
            kind, name = action[0], action[1:]
            if action == "#":
                self.main.complete()
            elif action == "+#":
                self.openings.complete()
            elif kind == "+":
                self.openings.send(name)
            elif kind == "-":
                self.ends[name].send("end")
            elif kind == "/":
                self.ends[name].complete()
            else:
                self.main.send(int(action))


@pytest.mark.parametrize(
    ("actions", "expected", "end"),
    [
        ("1 +a 2 3 -a 4 +b 5 /b 6", [([2, 3], "complete"), ([5], "complete")], "open"),
        ("+a 1 +b 2 -a 3 -b", [([1, 2], "complete"), ([2, 3], "complete")], "open"),
        ("+a 1 +b 2 -b 3 -a", [([1, 2, 3], "complete"), ([2], "complete")], "open"),
        ("+a -a", [([], "complete")], "open"),
        ("+a 1 +b 2 +c #", [([1, 2], "complete"), ([2], "complete"), ([], "complete")], "complete"),
        ("+a 1 +# 2 -a", [([1, 2], "complete")], "complete"),
        ("+a 1 -a +#", [([1], "complete")], "complete"),
        ("+a 1 +b 2", [([1, 2], "open"), ([2], "open")], "open"),
        ("1 2 #", [], "complete"),
    ],
)
def test_each_window_has_what_came_between_its_opening_and_its_end(actions: str, expected: Any, end: str) -> None:
    doors = Doors()
    doors.play(actions)
    assert doors.outcomes == expected
    assert doors.subscriber.outcome == (list(range(len(expected))), end)
    if end == "complete":
        cancelled = {"#": 0, "a": 1}[actions[-1]] if "+#" not in actions else 1
        assert doors.main.cancels == cancelled


@pytest.mark.parametrize("actions", ["+a 1 +b 2 -a 3 -b 4 +c 5 #", "+a +b 1 -b 2 #", "+a 1 +# 2 -a"])
def test_lists_of_windows_are_those_of_buffer_toggle(actions: str) -> None:
    lists: list[list[Any]] = []
    for method in ("window_toggle", "buffer_toggle"):
        doors = Doors(consumes=False)
        stream: Any = getattr(Stream.from_publisher(doors.main), method)(
            Stream.from_publisher(doors.openings), doors.end_of
        )
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        (stream.flat_map(as_list) if method == "window_toggle" else stream).subscribe(subscriber)
        doors.play(actions)
        assert subscriber.is_complete
        lists.append(sorted(subscriber.elements))
    assert lists[0] == lists[1]


@pytest.mark.parametrize("failing", ["main", "openings", "end"])
def test_error_of_any_input_goes_to_all_windows_and_the_subscriber_and_cancels_the_others(failing: str) -> None:
    doors = Doors()
    doors.play("+a +b 1")
    inputs = {"main": doors.main, "openings": doors.openings, "end": doors.ends["a"], "other": doors.ends["b"]}
    inputs.pop(failing).fail(ValueError("why"))
    assert doors.outcomes == [([1], "ValueError('why')")] * 2
    assert isinstance(doors.subscriber.error, ValueError)
    assert [each.cancels for each in inputs.values()] == [1, 1, 1]


def test_cancel_ends_the_windows_and_reaches_all_inputs() -> None:
    doors = Doors()
    doors.play("+a 1")
    doors.subscriber.cancel()
    assert "the stream of windows was cancelled, so that window 0 gets nothing more" in str(doors.windows[0].error)
    assert [each.cancels for each in (doors.main, doors.openings, doors.ends["a"])] == [1, 1, 1]


def test_end_of_a_window_that_comes_first_cancels_what_ends_it() -> None:
    doors = Doors()
    doors.play("+a -a")
    assert doors.ends["a"].cancels == 1


def test_windows_wait_for_requests_and_keep_what_comes_meanwhile() -> None:
    doors = Doors(1)
    doors.play("+a +b 1 -a 2 -b 3")
    assert doors.outcomes == [([1], "complete")]
    doors.subscriber.request(1)
    assert doors.outcomes[1] == ([1, 2], "complete")


def test_full_queue_holds_up_all_inputs_until_somebody_takes_the_elements() -> None:
    doors = Doors(consumes=False, prefetch=2)
    doors.play("+a +b")
    first, second = doors.subscriber.elements
    slow, fast = RecordingSubscriber(first_request=0), RecordingSubscriber(first_request=UNBOUNDED)
    first.subscribe(slow)
    second.subscribe(fast)
    doors.play("1 2 3 -b +c 4")
    assert (slow.elements, fast.outcome) == ([], ([1, 2], "open"))
    assert "c" not in doors.ends
    slow.request(UNBOUNDED)
    assert fast.outcome == ([1, 2, 3], "complete") or fast.outcome == ([1, 2, 3, 4], "complete")
    assert slow.elements == [1, 2, 3, 4]
    assert "c" in doors.ends


def test_window_that_waits_for_its_turn_while_another_is_full_is_an_error_that_names_it() -> None:
    stream = Stream.range(50).window_toggle(Stream.range(2), lambda _: Stream.never(), prefetch=2)
    with pytest.raises(WouldDeadlockError, match="window 1 has 2 elements waiting and no subscriber"):
        stream.concat_map(lambda window: window).to_list(timeout_seconds=60)


def test_windows_that_were_dropped_hold_up_nothing() -> None:
    doors = Doors(consumes=False, prefetch=1)
    doors.play("+a")
    doors.subscriber.elements.clear()
    doors.play("1 2 3 4 5 -a")
    assert doors.main.requested > 5


def test_one_open_window_too_many_ends_the_stream() -> None:
    doors = Doors(max_windows=2)
    doors.play("+a +b -a +c")
    assert doors.subscriber.elements == [0, 1, 2]
    doors.play("+d")
    assert isinstance(doors.subscriber.error, CapacityError)
    assert str(doors.subscriber.error).startswith("window_toggle(max_windows=2): 'd' would open one window more; raise")
    assert isinstance(doors.windows[-1].error, CapacityError)


def test_closing_that_raises_or_returns_no_stream_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.never().window_toggle([0], lambda n: [1 // n]).subscribe(subscriber)
    assert isinstance(subscriber.error, ZeroDivisionError)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    wrong: Any = lambda n: 7  # noqa: E731
    Stream.never().window_toggle([0], wrong).subscribe(subscriber)
    assert str(subscriber.error).startswith(
        "window_toggle(closing), by what it returned for 0, needs a stream, a publisher"
    )


@pytest.mark.parametrize("closing", [lambda _: (), lambda n: [n]])
def test_window_that_ends_at_once_is_empty(closing: Any) -> None:
    windows = Stream.never().window_toggle([0, 1, 2], closing)
    assert windows.concat_map(as_list).to_list(timeout_seconds=60) == [[], [], []]


def test_inputs_in_other_threads_make_windows_of_neighbors() -> None:
    with WorkerScheduler(name="a") as a, WorkerScheduler(name="b") as b:
        numbers = Stream.range(3_000).observe_on(a, prefetch=32)
        doors = Stream.range(10**9).observe_on(b, prefetch=32)
        windows = numbers.window_toggle(doors, lambda n: Stream.just(n).observe_on(b), max_windows=2**20)
        lists = windows.flat_map(as_list, concurrency=2**20).to_list(timeout_seconds=60)
    assert all(each == list(range(each[0], each[0] + len(each))) for each in lists if each)


def test_bad_arguments_are_refused() -> None:
    wrong: Any = 3
    with pytest.raises(ArgumentTypeError, match=r"^window_toggle\(openings\) needs a stream, a publisher, an iterable"):
        Stream.range(3).window_toggle(wrong, lambda _: [0])
    with pytest.raises(ArgumentTypeError, match=r"^window_toggle\(closing\) needs a callable, got 3"):
        Stream.range(3).window_toggle([0], wrong)
    with pytest.raises(ArgumentError, match=r"^window_toggle\(max_windows\) needs a count from 1"):
        Stream.range(3).window_toggle([0], list, max_windows=0)


def test_call_is_written_as_one_would_write_it() -> None:
    described = str(pipeline().window_toggle(Stream.never(), list, prefetch=1, max_windows=6))
    assert described == "pipeline().window_toggle(Stream.never(), list, prefetch=1, max_windows=6)"


@pytest.mark.parametrize("closing", [lambda _: [0], lambda _: Stream.empty()], ids=["element", "completion"])
def test_window_that_ends_at_once_makes_room_for_the_next_one(closing: Callable[[int], Any]) -> None:
    windows = Stream.never().window_toggle(Stream.range(50), closing, max_windows=1)
    subscriber = RecordingSubscriber(first_request=1, then_request=1)
    windows.map(lambda window: window.key).subscribe(subscriber)
    assert subscriber.outcome == (list(range(50)), "complete")
