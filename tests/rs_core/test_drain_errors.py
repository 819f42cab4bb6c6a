"""Exceptions of user functions: they become one on_error, with one note that says where the operator was added."""

import linecache
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Stream
from rs_core.dropped import set_hook
from rs_core.operators.python_operator import PythonStage
from tests.rs_core.callback_points import LAYOUTS, OPERATOR_POINTS, SOURCE_POINTS, Pair
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of

Dropped = list[tuple[str, Any, str]]


class TroubleError(Exception):
    pass


class WithoutNotesError(Exception):
    def add_note(self, note: str) -> None:
        raise AttributeError("no notes here")


def line_of(words: str) -> int:
    """Return the only line of this file that ends with a comment of these words."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, start=1) if line.endswith(f"# {words}")]
    assert len(found) == 1
    return found[0]


class Raiser:
    """Raises in one call of a callback."""

    def __init__(self, call: int) -> None:
        self.left = call
        self.error = TroubleError(call)
        self.has_raised = False

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.has_raised = True
            raise self.error


# Where an exception does not come back to the stream: Python itself reports what a finalizer raises, and what is raised
# while the stream is being released has nobody left to go to.
NOT_SIGNALLED = re.compile("death|closed|on_dispose")


@pytest.mark.parametrize("demand", [1, 2, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", [point for point in OPERATOR_POINTS if not NOT_SIGNALLED.search(point)])
def test_exception_in(point: str, layout: str, demand: int, dropped_signals: Dropped) -> None:
    for call in (1, 2, 4):
        raiser = Raiser(call)
        source = CountedElements(6)
        subscriber = RecordingSubscriber(demand=demand)
        stream = LAYOUTS[layout](
            Stream.from_iterable(source), lambda stream, raiser=raiser: OPERATOR_POINTS[point](stream, raiser)
        )
        stream.subscribe(subscriber)
        if raiser.has_raised:
            assert subscriber.errors == [raiser.error]
            # A keyed operator whose function raises names the key, too.
            assert len(raiser.error.__notes__) == 1 + (point == "keyed_scan, function")
        assert subscriber.names[-1] in {"on_error", "on_complete"}
        assert len(set(subscriber.names) & {"on_error", "on_complete"}) == 1
        assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
        assert [calls for calls in source.close_calls if calls != 1] == []
    # What do(on_error=...) was called for gives way to what it raised.
    assert [told for told in dropped_signals if not ("on_error" in point and isinstance(told[1], ValueError))] == []


@pytest.mark.parametrize("demand", [1, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", ["__iter__", "__next__", "generator", "subscribe of a publisher"])
def test_exception_in_a_source_in(point: str, layout: str, demand: int, dropped_signals: Dropped) -> None:
    raiser = Raiser(1)
    subscriber = RecordingSubscriber(demand=demand)
    LAYOUTS[layout](SOURCE_POINTS[point](raiser), lambda stream: stream).subscribe(subscriber)
    assert subscriber.signals == [("on_subscribe",), ("on_error", raiser.error)]
    assert dropped_signals == []


@pytest.mark.parametrize("point", ["closed generator", "close"])
def test_exception_while_a_source_is_closed_goes_to_the_hook(point: str, dropped_signals: Dropped) -> None:
    raiser = Raiser(1)
    subscriber = RecordingSubscriber(demand=1)
    subscriber.actions["on_next"] = subscriber.cancel
    SOURCE_POINTS[point](raiser).subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_next"]
    assert dropped_signals == [("close", raiser.error, "rx://sources/from_iterable")]


@pytest.mark.parametrize("demand", [1, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "point", [point for point in OPERATOR_POINTS if not NOT_SIGNALLED.search(point) and "on_error" not in point]
)
def test_exception_after_a_cancel_goes_to_the_hook_in(
    point: str, layout: str, demand: int, dropped_signals: Dropped
) -> None:
    raiser = Raiser(2)
    subscriber = RecordingSubscriber(demand=demand)

    def cancel_and_raise() -> None:
        if raiser.left == 1:
            subscriber.cancel()
        raiser()

    LAYOUTS[layout](Stream.range(6), lambda stream: OPERATOR_POINTS[point](stream, cancel_and_raise)).subscribe(
        subscriber
    )
    if raiser.has_raised:
        assert subscriber.names[-1] not in {"on_error", "on_complete"}
        assert [(signal, error) for signal, error, _ in dropped_signals] == [("on_error", raiser.error)]
    else:
        assert dropped_signals == []


def test_first_of_two_errors_before_the_start_goes_to_the_hook(dropped_signals: Dropped) -> None:
    class FailsAtStart(PythonStage):
        name = "test/fails_at_start"

        def __init__(self, error: Exception) -> None:
            self.error = error

        def on_start(self) -> None:
            raise self.error

        def on_next(self, element: Any) -> None:
            self.emit(element)

    upper, lower = TroubleError("upper"), TroubleError("lower")
    subscriber = RecordingSubscriber()
    Stream.range(3).lift(FailsAtStart, upper).lift(FailsAtStart, lower).subscribe(subscriber)
    assert subscriber.signals == [("on_subscribe",), ("on_error", upper)]
    assert [(signal, error) for signal, error, _ in dropped_signals] == [("on_error", lower)]


def test_exception_while_a_generator_of_flat_map_is_closed_goes_to_the_hook(dropped_signals: Dropped) -> None:
    raiser = Raiser(1)
    subscriber = RecordingSubscriber(demand=1)
    subscriber.actions["on_next"] = subscriber.cancel
    OPERATOR_POINTS["flat_map, closed generator"](Stream.range(3), raiser).subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_next"]
    assert dropped_signals == [("close", raiser.error, "rx://operators/flat_map")]


def test_iterator_without_a_working_close_attribute_goes_to_the_hook(dropped_signals: Dropped) -> None:
    class Reader(Iterator[int]):
        def __next__(self) -> int:
            return 1

        def __getattr__(self, name: str) -> object:
            raise TroubleError(name)

    class Elements:
        def __iter__(self) -> Iterator[int]:
            return Reader()

    subscriber = RecordingSubscriber(demand=1)
    subscriber.actions["on_next"] = subscriber.cancel
    Stream.from_iterable(Elements()).subscribe(subscriber)
    assert [(signal, str(error)) for signal, error, _ in dropped_signals] == [("close", "close")]


def test_note_names_operator_file_line_and_function() -> None:
    def divide(element: int) -> float:
        return 1 / element

    stream = (
        Stream.range(3)
        .filter(lambda _: True)
        .map(divide)  # the operator that fails
        .map(str)
    )
    with pytest.raises(ZeroDivisionError) as raised:
        stream.to_list()
    file, line = __file__, line_of("the operator that fails")
    where = f"{file}:{line} in test_note_names_operator_file_line_and_function"
    assert raised.value.__notes__ == [f"in rx://operators/map, assembled at {where}, for element 0"]
    assert linecache.getline(file, line).strip().startswith(".map(divide)")


def test_exception_that_passes_two_streams_gets_a_note_of_each() -> None:
    inner = Stream.range(3).map(lambda element: 1 // element)
    with pytest.raises(ZeroDivisionError) as raised:
        Stream.just(1).flat_map(lambda _: inner.to_list()).to_list()
    notes = raised.value.__notes__
    assert [note.split(",")[0] for note in notes] == ["in rx://operators/map", "in rx://operators/flat_map"]


def test_same_exception_raised_again_gets_no_second_note() -> None:
    error = TroubleError()

    def fail(_: object) -> None:
        raise error

    stream = Stream.just(1).map(fail)
    for _ in range(3):
        with pytest.raises(TroubleError):
            stream.to_list()
    assert len(error.__notes__) == 1


def test_exception_that_refuses_notes_arrives_all_the_same(dropped_signals: Dropped) -> None:
    error = WithoutNotesError()

    def fail(_: object) -> None:
        raise error

    subscriber = RecordingSubscriber()
    Stream.just(1).map(fail).subscribe(subscriber)
    assert subscriber.errors == [error]
    assert [(signal, type(value)) for signal, value, _ in dropped_signals] == [("note", AttributeError)]


@pytest.mark.parametrize("trouble", [RecursionError, MemoryError])
def test_note_for_which_there_is_no_room_is_left_out(trouble: type[Exception], dropped_signals: Dropped) -> None:
    class NoRoomError(Exception):
        def add_note(self, note: str) -> None:
            raise trouble(note)

    subscriber = RecordingSubscriber()
    Stream.just(1).map(lambda _: (_ for _ in ()).throw(NoRoomError())).subscribe(subscriber)
    assert [type(error) for error in subscriber.errors] == [NoRoomError]
    assert dropped_signals == []


@pytest.mark.parametrize("trouble", [RecursionError, MemoryError])
def test_dropped_signal_that_does_not_reach_its_hook_is_reported_to_the_interpreter(
    trouble: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hook cannot be called where the stack or the memory is used up; the stream must not fail with that anew."""

    class NoRoomToCall:
        def __call__(self, *_: object, **__: object) -> None:
            raise trouble

    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    previous = set_hook(NoRoomToCall())
    monkeypatch.setattr("rs_core.dropped._HookForDroppedSignalsFailed", NoRoomToCall())
    try:
        subscriber = RecordingSubscriber(actions={"on_next": lambda: 1 / 0})
        Stream.just(1, 2).subscribe(subscriber)
    finally:
        set_hook(previous)
    assert subscriber.names == ["on_subscribe", "on_next"]
    assert [(unraisable.exc_type, type(unraisable.object)) for unraisable in told] == [(trouble, ZeroDivisionError)]


def test_error_of_a_later_function_takes_the_place_of_a_completion_that_was_noted() -> None:
    subscriber = RecordingSubscriber()
    error = TroubleError()

    def fail(_: object) -> None:
        raise error

    Stream.range(9).take(1).map(fail).subscribe(subscriber)
    assert subscriber.signals == [("on_subscribe",), ("on_error", error)]


ENDS: dict[str, Callable[[Stream[Any]], Any]] = {
    "to_list": lambda stream: stream.to_list(),
    "run": lambda stream: stream.run(),
    "run with a prefetch": lambda stream: stream.run(prefetch=2),
    "for_each": lambda stream: stream.for_each(lambda _: None),
    "first": lambda stream: stream.skip(2).first(),
    "reduce": lambda stream: stream.reduce(lambda _, element: element, None),
    "list": list,
}


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_end_raises_the_error_itself(layout: str, end: str) -> None:
    error = TroubleError()
    source = CountedElements(6)

    def fail_at_the_third(element: int) -> int:
        if element == 2:
            raise error
        return element

    stream = LAYOUTS[layout](Stream.from_iterable(source), lambda stream: stream.map(fail_at_the_third))
    with pytest.raises(TroubleError) as raised:
        ENDS[end](stream)
    assert raised.value is error
    assert source.close_calls == [1]


def test_function_of_an_end_that_raises_cancels_the_stream() -> None:
    source = CountedElements(6)
    error = TroubleError()

    def fail(*_: object) -> None:
        raise error

    for end in (lambda stream: stream.for_each(fail), lambda stream: stream.reduce(fail, 0)):
        with pytest.raises(TroubleError) as raised:
            end(Stream.from_iterable(source))
        assert raised.value is error
    assert source.close_calls == [1, 1]


def test_key_without_a_working_repr_is_reported_all_the_same() -> None:
    class Key:
        def __repr__(self) -> str:
            raise TroubleError

    subscriber = RecordingSubscriber()
    Stream.range(3).key_by(lambda _: Key(), max_keys=1).scan(lambda total, _: total, 0).subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_next", "on_error"]
    assert "<Key without a working repr> would be number 2" in str(subscriber.errors[0])


def test_inner_iterable_that_fails_in_between_delivers_what_came_before() -> None:
    error = TroubleError()
    raiser = Raiser(2)
    raiser.error = error
    subscriber = RecordingSubscriber()
    Stream.range(3).flat_map(lambda element: Pair(element, on_next=raiser)).subscribe(subscriber)
    assert subscriber.signals == [("on_subscribe",), ("on_next", 0), ("on_error", error)]
