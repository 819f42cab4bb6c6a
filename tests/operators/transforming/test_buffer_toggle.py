"""buffer_toggle: lists that one stream opens, and each of which a stream of its own ends."""

from datetime import timedelta
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.testing import TestScheduler, on_complete, on_next
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestToggleNever(OperatorContract, StateContract):
    """Nothing opens a list: all elements are dropped."""

    reads_ahead = 12
    # Upstream may send as many as it likes: each that is taken makes room for another.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer_toggle(Stream.never(), lambda _: [0], prefetch=3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return []

    test_state_is_not_saved_while_elements_flow = None  # type: ignore[assignment]  # nothing comes before the end


class Doors:
    """A stream with all its inputs in hand: those of `closing` by the element that opened the list."""

    def __init__(self, request: int = UNBOUNDED, **arguments: Any) -> None:
        self.main, self.openings = ManualPublisher(), ManualPublisher()
        self.ends: dict[Any, ManualPublisher] = {}
        self.subscriber = RecordingSubscriber(first_request=request)
        stream: Stream[Any] = Stream.from_publisher(self.main, recovery="exact")
        self.handle = stream.buffer_toggle(
            Stream.from_publisher(self.openings, recovery="exact"), self.end_of, **arguments
        ).bind(self.subscriber)

    def end_of(self, opening: Any) -> Stream[Any]:
        self.ends[opening] = ManualPublisher()
        return Stream.from_publisher(self.ends[opening], recovery="exact")

    def initialized(self) -> "Doors":
        self.handle.initialize()
        return self

    def play(self, actions: str) -> None:
        """Do what is written: 1 sends it, +a opens a list, -a ends it, /a ends it by completing, # completes."""
        for action in actions.split():
            kind, name = action[0], action[1:]
            if kind == "+":
                self.openings.send(name)
            elif kind == "-":
                self.ends[name].send("end")
            elif kind == "/":
                self.ends[name].complete()
            elif action == "#":
                self.main.complete()
            elif action == "+#":
                self.openings.complete()
            else:
                self.main.send(int(action))


@pytest.mark.parametrize(
    ("actions", "expected", "end"),
    [
        ("1 +a 2 3 -a 4 +b 5 /b 6", [[2, 3], [5]], "open"),
        ("+a 1 +b 2 -a 3 -b", [[1, 2], [2, 3]], "open"),
        ("+a 1 +b 2 -b 3 -a", [[2], [1, 2, 3]], "open"),
        ("+a -a", [[]], "open"),
        ("+a 1 +b 2 +c #", [[1, 2], [2], []], "complete"),
        ("1 2 #", [], "complete"),
    ],
)
def test_each_list_has_what_came_between_its_opening_and_its_end(actions: str, expected: Any, end: str) -> None:
    doors = Doors().initialized()
    doors.play(actions)
    assert doors.subscriber.outcome == (expected, end)


def test_stream_completes_with_the_last_open_list_when_the_openings_have() -> None:
    doors = Doors().initialized()
    doors.play("+a 1")
    doors.openings.complete()
    doors.play("2")
    assert doors.subscriber.outcome == ([], "open")
    doors.play("-a")
    assert doors.subscriber.outcome == ([[1, 2]], "complete")
    assert doors.main.cancels == 1


def test_openings_that_complete_while_no_list_is_open_end_the_stream() -> None:
    doors = Doors().initialized()
    doors.play("+a 1 -a")
    doors.openings.complete()
    assert doors.subscriber.outcome == ([[1]], "complete")
    assert doors.main.cancels == 1


@pytest.mark.parametrize("failing", ["main", "openings", "end"])
def test_error_of_any_input_gives_up_the_lists_and_cancels_the_others(failing: str) -> None:
    doors = Doors().initialized()
    doors.play("+a +b 1")
    inputs = {"main": doors.main, "openings": doors.openings, "end": doors.ends["a"], "other": doors.ends["b"]}
    inputs.pop(failing).fail(ValueError("why"))
    assert doors.subscriber.outcome == ([], "ValueError('why')")
    assert [each.cancels for each in inputs.values()] == [1, 1, 1]


def test_end_of_a_list_that_comes_first_cancels_what_ends_it() -> None:
    doors = Doors().initialized()
    doors.play("+a -a")
    assert doors.ends["a"].cancels == 1


def test_cancel_reaches_all_inputs() -> None:
    doors = Doors().initialized()
    doors.play("+a")
    doors.subscriber.cancel()
    assert [each.cancels for each in (doors.main, doors.openings, doors.ends["a"])] == [1, 1, 1]


@pytest.mark.parametrize("end", ["-", "/"])
def test_list_that_has_ended_without_demand_waits_and_holds_up_all_inputs(end: str) -> None:
    doors = Doors(1).initialized()
    doors.play(f"+a +b 1 -a 2 {end}b 3 +c 4")
    assert doors.subscriber.outcome == ([[1]], "open")
    assert "c" not in doors.ends
    doors.subscriber.request(1)
    assert doors.subscriber.outcome == ([[1], [1, 2]], "open")
    assert "c" in doors.ends


def test_without_demand_lists_are_opened_and_filled_until_one_has_ended() -> None:
    doors = Doors(0, prefetch=2).initialized()
    doors.play("1 2 3 4 +a 5 6 +b 7")
    assert list(doors.ends) == ["a", "b"]
    doors.play("-a")
    doors.subscriber.request(1)
    assert doors.subscriber.outcome == ([[5, 6, 7]], "open")


def test_open_lists_at_the_completion_go_out_one_for_each_request() -> None:
    doors = Doors(1).initialized()
    doors.play("+a 1 +b 2 +c 3 #")
    assert doors.subscriber.outcome == ([[1, 2, 3]], "open")
    doors.subscriber.request(1)
    assert doors.subscriber.outcome == ([[1, 2, 3], [2, 3]], "open")
    doors.play("-c")  # it has ended already
    doors.subscriber.request(1)
    assert doors.subscriber.outcome == ([[1, 2, 3], [2, 3], [3]], "complete")


def test_full_list_waits_for_its_end_and_the_upstream_with_it() -> None:
    doors = Doors(max_elements=3, prefetch=4).initialized()
    doors.play("+a 1 +b 2 3 4 5 6 7")
    assert doors.main.requested == 7
    doors.play("-a")
    assert doors.subscriber.elements == [[1, 2, 3]]
    doors.play("-b")
    assert doors.subscriber.elements == [[1, 2, 3], [2, 3, 4]]
    assert doors.main.requested > 7


def test_one_open_list_too_many_ends_the_stream() -> None:
    doors = Doors(max_lists=2).initialized()
    doors.play("+a +b -a +c")
    assert doors.subscriber.outcome == ([[]], "open")
    doors.play("+d")
    assert isinstance(doors.subscriber.error, CapacityError)
    assert str(doors.subscriber.error).startswith("buffer_toggle(max_lists=2): 'd' would open one list more; raise")


def test_no_more_than_the_prefetch_is_requested_of_an_input() -> None:
    doors = Doors(0, prefetch=4).initialized()
    assert (doors.main.requested, doors.openings.requested) == (4, 4)


def test_closing_that_raises_or_returns_no_stream_ends_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.never().buffer_toggle([0], lambda n: [1 // n]).subscribe(subscriber)
    assert isinstance(subscriber.error, ZeroDivisionError)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    wrong: Any = lambda n: 7  # noqa: E731
    Stream.never().buffer_toggle([0], wrong).subscribe(subscriber)
    assert str(subscriber.error).startswith(
        "buffer_toggle(closing), by what it returned for 0, needs a stream, a publisher"
    )


def test_list_that_ends_at_once_is_empty() -> None:
    assert Stream.never().buffer_toggle([0, 1, 2], lambda _: ()).to_list(timeout_seconds=60) == [[], [], []]
    assert Stream.never().buffer_toggle([0, 1, 2], lambda n: [n]).to_list(timeout_seconds=60) == [[], [], []]


def test_list_that_fails_below_ends_with_the_error_only() -> None:
    doors, subscriber = Doors(), RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.from_publisher(doors.main).buffer_toggle([0], lambda _: Stream.never())
    stream.map(lambda each: each[5]).subscribe(subscriber)
    doors.main.send(1)
    doors.main.complete()
    assert isinstance(subscriber.error, IndexError)


def ticks(number: int) -> timedelta:
    return timedelta(microseconds=number)


@pytest.mark.parametrize(
    ("requests", "last"),
    [(None, [7, 8, 9]), ({200: 1, 400: 2}, [7, 8, 9]), ({400: 1, 500: 1, 600: 1}, [6, 7, 8, 9])],
    ids=["unbounded", "in time", "late"],
)
def test_lists_end_at_their_times(requests: dict[int, int] | None, last: list[int]) -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*[on_next(200 + 10 * number, number) for number in range(1, 10)], on_complete(350))
    doors = scheduler.create_hot(on_next(225, 30), on_next(245, 100), on_next(265, 1000))
    observer = scheduler.start(
        lambda: Stream.from_publisher(hot).buffer_toggle(
            Stream.from_publisher(doors), lambda length: Stream.timer(ticks(length))
        ),
        **({} if requests is None else {"requests": requests}),
    )
    lists = [message.value.element for message in observer.messages[:-1]]
    assert lists[0] == [3, 4, 5]
    assert lists[1:] == [[5, 6, 7, 8, 9], last]
    assert observer.messages[-1] == on_complete(observer.messages[-2].tick)


SCRIPT = "1 +a 2 +b 3 -a 4 +c 5 /c 6 +d 7 #"
WHOLE = [[2, 3], [5], [3, 4, 5, 6, 7], [7]]


@pytest.mark.parametrize("requested", [0, 1, 2, UNBOUNDED])
@pytest.mark.parametrize("position", range(len(SCRIPT.split())))
def test_state_is_saved_and_loaded_at_every_signal(position: int, requested: int) -> None:
    actions = SCRIPT.split()
    before, after = Doors(requested).initialized(), Doors(UNBOUNDED)
    before.ends = {name: ManualPublisher() for name in "abcd"}  # of those that are not made for want of demand
    if requested == UNBOUNDED:
        before.play(" ".join(actions[:position]))
    else:
        play_what_is_there(before, actions[:position])
    load_tree(after.handle, save_tree(before.handle))
    after.handle.initialize()
    if requested == UNBOUNDED:
        after.play(" ".join(actions[position:]))
        assert before.subscriber.elements + after.subscriber.elements == WHOLE
    else:
        play_what_is_there(after, actions[position:])
    assert after.subscriber.outcome[1] == "complete"


def play_what_is_there(doors: Doors, actions: list[str]) -> None:
    """Do all but what ends a list that was not opened for want of demand."""
    for action in actions:
        if action[0] not in "-/" or (action[1:] in doors.ends and doors.ends[action[1:]].requested):
            doors.play(action)


def test_lists_that_wait_for_demand_after_the_end_are_saved_and_loaded() -> None:
    before, after = Doors(1).initialized(), Doors(0)
    before.play("+a 1 +b 2 +c 3 #")
    load_tree(after.handle, save_tree(before.handle))
    after.handle.initialize()
    assert after.subscriber.outcome == ([], "open")
    after.subscriber.request(2)
    assert after.subscriber.outcome == ([[2, 3], [3]], "complete")


def test_end_that_waits_for_demand_is_saved_and_loaded() -> None:
    before, after = Doors(1).initialized(), Doors(1)
    before.play("+a +b 1 /a /b")
    assert before.subscriber.elements == [[1]]
    load_tree(after.handle, save_tree(before.handle))
    after.handle.initialize()
    assert after.subscriber.outcome == ([[1]], "open")


@pytest.mark.parametrize(
    ("actions", "bounds", "message"),
    [
        ("+a +b 1 2 3", {"max_elements": 2}, "cannot load 3 elements into lists of 2; load the state with the bound"),
        ("+a 1 2 3 -a", {"max_elements": 2}, "cannot load 3 elements into lists of 2; load the state with the bound"),
        ("+a +b 1 2 3", {"max_lists": 1}, "2"),
    ],
)
def test_state_of_more_than_the_bounds_is_refused(actions: str, bounds: dict[str, int], message: str) -> None:
    before = Doors(0).initialized()
    before.play(actions)
    with pytest.raises(StateError, match=message):
        load_tree(Doors(**bounds).handle, save_tree(before.handle))


def test_inputs_in_other_threads_make_lists_of_neighbors() -> None:
    with WorkerScheduler(name="a") as a, WorkerScheduler(name="b") as b:
        numbers = Stream.range(5_000).observe_on(a, prefetch=32)
        doors = Stream.range(10**9).observe_on(b, prefetch=32)
        lists = numbers.buffer_toggle(doors, lambda n: Stream.just(n).observe_on(b), max_lists=2**24).to_list(
            timeout_seconds=60
        )
    assert all(each == list(range(each[0], each[0] + len(each))) for each in lists if each)


@pytest.mark.parametrize("openings", [None, 3])
def test_openings_that_are_no_stream_are_refused(openings: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^buffer_toggle\(openings\) needs a stream, a publisher, an iterable"):
        Stream.range(3).buffer_toggle(openings, lambda _: [0])


def test_closing_that_is_not_callable_is_refused() -> None:
    closing: Any = [0]
    with pytest.raises(ArgumentTypeError, match=r"buffer_toggle\(closing\) needs a callable, got \[0\]"):
        Stream.range(3).buffer_toggle([1], closing)


@pytest.mark.parametrize("name", ["max_elements", "max_lists", "prefetch"])
def test_bound_out_of_bounds_is_refused(name: str) -> None:
    bounds: Any = {name: 0}
    with pytest.raises(ArgumentError, match=rf"buffer_toggle\({name}\) needs a count from 1 to 16777216, got 0"):
        Stream.range(3).buffer_toggle([], list, **bounds)


def test_call_is_written_as_one_would_write_it() -> None:
    described = str(pipeline().buffer_toggle(Stream.never(), list, max_elements=5, max_lists=6, prefetch=1))
    assert described == ("pipeline().buffer_toggle(Stream.never(), list, max_elements=5, max_lists=6, prefetch=1)")
