"""map: one element out for each element in."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestMap(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map(lambda element: element * 10)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element * 10 for element in elements]


def test_any_callable_maps() -> None:
    class Adder:
        def __call__(self, element: int) -> int:
            return element + 1

    assert Stream.just(1).map(Adder()).map(str).map("element {}".format).to_list() == ["element 2"]


def test_function_that_raises_ends_the_stream_and_closes_the_source() -> None:
    source = CountedIterable([1, 0, 2])
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).map(lambda element: 1 // element).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert (source.taken, source.is_closed) == (2, True)


def test_error_of_the_function_names_operator_and_line() -> None:
    stream = Stream.just(0).map(lambda element: 1 // element)
    with pytest.raises(ZeroDivisionError) as raised:
        stream.to_list()
    assert raised.value.__notes__ == [f"in rx://operators/map, assembled at {stream.assembly}, for element 0"]
    assert stream.assembly.function == "test_error_of_the_function_names_operator_and_line"


def test_function_that_refuses_notes_still_ends_the_stream() -> None:
    class RefusingNotesError(Exception):
        def add_note(self, note: str, /) -> None:
            raise ValueError("no notes")

    def fail(element: int) -> int:
        raise RefusingNotesError

    with recorded_drops() as drops, pytest.raises(RefusingNotesError):
        Stream.just(1).map(fail).to_list()
    assert [(signal, str(value)) for signal, value, _ in drops] == [("note", "no notes")]


def test_none_is_an_ordinary_element_between_operators() -> None:
    assert Stream.just(1, 2).map(lambda _: None).map(repr).to_list() == ["None", "None"]


def test_none_ends_the_stream_at_a_subscriber() -> None:
    stream = Stream.just(1, 2).map(lambda element: None if element == 2 else element)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream.subscribe(subscriber)
    assert subscriber.elements == [1]
    assert str(subscriber.error) == (
        f"§2.13: None cannot be an element at a subscriber, and rx://operators/map assembled at {stream.assembly} "
        "sent one; map it to a value of your own or filter it out"
    )


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_interrupt_in_the_function_leaves_the_stream_where_python_called_it(interrupt: type[BaseException]) -> None:
    def stop(element: int) -> int:
        raise interrupt

    source = CountedIterable([1])
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    with pytest.raises(interrupt):
        Stream.from_iterable(source).map(stop).subscribe(subscriber)
    assert subscriber.outcome == ([], "open")
    assert source.is_closed


def test_function_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"map\(function\) needs a callable, got 3 \(int\); pass a function"):
        Stream.just(1).map(3)  # type: ignore[arg-type]
