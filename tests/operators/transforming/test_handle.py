"""handle: one function that maps, drops, completes or fails."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import HandleSink, Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, DemandExceededError, SignalAfterEndError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


def tens_up_to_8(element: int, sink: HandleSink[int]) -> None:
    if element % 3 == 1:
        sink.emit(element * 10)
    if element == 8:
        sink.complete()


class TestHandle(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().handle(tens_up_to_8)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element * 10 for element in elements if element % 3 == 1 and element < 8]

    def is_finished_by(self, elements: list[Any]) -> bool:
        return 8 in elements


class TestHandleBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """A list for which nothing passes is worth several elements of the source."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).handle(lambda pair, sink: sink.emit(pair) if pair[0] % 4 == 0 else None)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        pairs = [elements[start : start + 2] for start in range(0, len(elements) - 1, 2)]
        return [pair for pair in pairs if pair[0] % 4 == 0]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements[-1:]] if len(elements) % 2 and elements[-1] % 4 == 0 else []


def outcome(function: Callable[[int, HandleSink[Any]], object]) -> tuple[list[Any], str]:
    source, subscriber = CountedIterable(list(range(4))), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).handle(function).subscribe(subscriber)
    assert source.is_closed
    return subscriber.outcome


def test_element_goes_out_before_the_end_that_comes_with_it() -> None:
    def completes(element: int, sink: HandleSink[int]) -> None:
        sink.emit(element)
        if element == 2:
            sink.complete()

    def fails(element: int, sink: HandleSink[int]) -> None:
        sink.emit(element)
        if element == 2:
            sink.fail(ValueError("mine"))

    assert outcome(completes) == ([0, 1, 2], "complete")
    assert outcome(fails) == ([0, 1, 2], "ValueError('mine')")


def test_error_names_the_operator_and_its_line() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream: Stream[Any] = Stream.just(1).handle(lambda element, sink: sink.fail(ValueError("mine")))
    stream.subscribe(subscriber)
    assert subscriber.error is not None
    assert subscriber.error.__notes__ == [f"in rx://operators/handle, assembled at {stream.assembly}, for element 1"]


@pytest.mark.parametrize("position", [0, 1, 3])
def test_function_that_raises_ends_the_stream_without_what_it_had_sent(position: int) -> None:
    def function(element: int, sink: HandleSink[int]) -> None:
        sink.emit(element)
        if element == position:
            raise ValueError("mine")

    assert outcome(function) == (list(range(position)), "ValueError('mine')")


def test_second_element_is_refused_and_the_function_may_go_on() -> None:
    refused: list[str] = []

    def function(element: int, sink: HandleSink[int]) -> None:
        sink.emit(element)
        with pytest.raises(DemandExceededError) as raised:
            sink.emit(-element)
        refused.append(str(raised.value))

    assert outcome(function) == ([0, 1, 2, 3], "complete")
    assert refused[1] == (
        "§1.1: handle(function) called emit(-1) when it had emitted 1 for the same element; use flat_map() to make "
        "several of one"
    )


@pytest.mark.parametrize("signal", ["emit", "complete", "fail"])
@pytest.mark.parametrize("end", ["complete", "fail"])
def test_signal_behind_the_end_is_refused(end: str, signal: str) -> None:
    def send(sink: HandleSink[Any], name: str) -> None:
        arguments = {"emit": (7,), "complete": (), "fail": (ValueError(name),)}[name]
        getattr(sink, name)(*arguments)

    def function(element: int, sink: HandleSink[int]) -> None:
        send(sink, end)
        with pytest.raises(SignalAfterEndError, match=rf"^§1.7: {signal}\(\) was called when .* had ended the stream"):
            send(sink, signal)

    assert outcome(function) == ([], "complete" if end == "complete" else "ValueError('fail')")


def test_sink_is_good_for_one_call_only() -> None:
    kept: list[HandleSink[int]] = []

    def function(element: int, sink: HandleSink[int]) -> None:
        sink.emit(element)
        kept.append(sink)

    assert outcome(function) == ([0, 1, 2, 3], "complete")
    for signal in (lambda sink: sink.emit(7), lambda sink: sink.complete(), lambda sink: sink.fail(ValueError("late"))):
        with pytest.raises(SignalAfterEndError, match=r"§1.7: .* after the call of the function"):
            signal(kept[0])


def test_what_is_no_exception_is_refused() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1).handle(lambda element, sink: sink.fail("text")).subscribe(subscriber)  # type: ignore[arg-type]
    assert isinstance(subscriber.error, ArgumentTypeError)


def test_none_is_an_ordinary_element() -> None:
    assert Stream.just(1, None).handle(lambda element, sink: sink.emit(element)).to_list() == [1, None]


def test_one_requested_element_is_found_behind_many_dropped_ones() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(100_000).handle(lambda n, sink: sink.emit(n) if n == 99_998 else None).subscribe(subscriber)
    assert subscriber.outcome == ([99_998], "open")


def test_end_needs_no_more_demand() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(9).handle(lambda n, sink: sink.complete() if n else None).subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")
