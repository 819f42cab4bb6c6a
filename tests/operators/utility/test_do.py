"""do: functions that see the signals pass."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class TestDo(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().do(lambda element: element, on_error=lambda error: None, on_complete=lambda: None)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def run(stream: Stream[Any]) -> RecordingSubscriber:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    stream.subscribe(subscriber)
    return subscriber


def fail_with(error: Exception) -> Any:
    def function(*_: object) -> None:
        raise error

    return function


def failing() -> Stream[int]:
    return Stream.from_iterable(CountedIterable([1], fails_with=ValueError("upstream")))


def test_functions_see_every_signal_before_it_is_passed_on() -> None:
    seen: list[Any] = []
    stream = Stream.just(1, 2).do(
        lambda element: seen.append(("above", element)), on_complete=lambda: seen.append("end")
    )
    stream = stream.do(lambda element: seen.append(("below", element)))
    assert run(stream).outcome == ([1, 2], "complete")
    assert seen == [("above", 1), ("below", 1), ("above", 2), ("below", 2), "end"]


def test_error_function_sees_the_error_of_the_upstream() -> None:
    seen: list[Exception] = []
    subscriber = run(failing().do(on_error=seen.append))
    assert subscriber.outcome == ([1], "ValueError('upstream')")
    assert seen == [subscriber.error]


def test_functions_of_signals_that_do_not_come_are_not_called() -> None:
    def seen_of(stream: Stream[int]) -> list[str]:
        seen: list[str] = []
        watched = stream.do(
            lambda _: seen.append("next"),
            on_error=lambda _: seen.append("error"),
            on_complete=lambda: seen.append("complete"),
        )
        run(watched)
        return seen

    assert seen_of(Stream.never()) == []
    assert seen_of(Stream.just(1)) == ["next", "complete"]
    assert seen_of(failing()) == ["next", "error"]


def test_what_the_functions_return_means_nothing() -> None:
    assert Stream.just(1).do(lambda element: False, on_complete=lambda: "no").to_list() == [1]


def test_none_is_an_ordinary_element() -> None:
    seen: list[None] = []
    assert Stream.just(None).do(seen.append).to_list() == [None] == seen


def test_element_function_that_raises_takes_the_place_of_the_element() -> None:
    subscriber = run(Stream.just(1, 2).do(lambda element: 1 // (2 - element)))
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_complete_function_that_raises_takes_the_place_of_the_completion() -> None:
    assert run(Stream.just(1).do(on_complete=fail_with(KeyError("mine")))).outcome == ([1], "KeyError('mine')")


def test_error_function_that_raises_takes_the_place_of_the_error_which_is_dropped() -> None:
    with recorded_drops() as drops:
        assert run(failing().do(on_error=fail_with(KeyError("mine")))).outcome == ([1], "KeyError('mine')")
    assert [(signal, repr(value), origin) for signal, value, origin in drops] == [
        ("on_error", "ValueError('upstream')", "rx://operators/do")
    ]


def test_error_function_that_raises_the_same_error_drops_nothing() -> None:
    def again(error: Exception) -> None:
        raise error

    with recorded_drops() as drops:
        assert run(failing().do(on_error=again)).outcome == ([1], "ValueError('upstream')")
    assert drops == []


def test_replaced_end_meets_the_functions_below() -> None:
    seen: list[str] = []
    stream = Stream.just(1).do(on_complete=fail_with(KeyError("first")))
    stream = stream.do(on_error=lambda error: seen.append(repr(error)), on_complete=lambda: seen.append("complete"))
    assert run(stream).outcome == ([1], "KeyError('first')")
    assert seen == ["KeyError('first')"]


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_interrupt_of_a_function_leaves_the_stream_where_python_called_it(interrupt: type[BaseException]) -> None:
    def stop() -> None:
        raise interrupt

    with pytest.raises(interrupt):
        run(Stream.just(1).do(on_complete=stop))


def test_no_function_at_all_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"do\(\) needs at least one function; pass on_next=, on_error= or"):
        Stream.just(1).do()


@pytest.mark.parametrize("name", ["on_next", "on_error", "on_complete"])
def test_function_that_is_not_callable_is_refused_when_the_stream_is_built(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"do\({name}\) needs a callable, got 1 \(int\)"):
        Stream.just(1).do(**{name: 1})  # type: ignore[arg-type]
