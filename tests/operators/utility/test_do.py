"""do: functions that see the signals pass."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start
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


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("bounded", [False, True], ids=["at the start", "while elements flow"])
def test_interrupt_of_the_function_of_requests_is_raised_where_python_requests(
    interrupt: type[BaseException], bounded: bool
) -> None:
    log: list[Any] = []

    def stop_later(n: int) -> None:
        log.append(n)
        if len(log) == 1 + bounded:
            raise interrupt

    watched = Stream.range(10).do(on_request=stop_later, on_cancel=lambda: log.append("cancel"))
    with pytest.raises(interrupt):
        watched.for_each(lambda n: None, prefetch=4 if bounded else None)
    assert log[-1] == "cancel"


def test_interrupt_of_a_request_from_outside_is_raised_there() -> None:
    subscriber, log = RecordingSubscriber(), list[str]()
    Stream.range(3).do(on_request=fail_with(KeyboardInterrupt()), on_cancel=lambda: log.append("cancel")).subscribe(  # type: ignore[arg-type]
        subscriber
    )
    with pytest.raises(KeyboardInterrupt):
        subscriber.request(1)
    assert (subscriber.outcome, log) == (([], "open"), ["cancel"])


class TestDoOnEverySide(OperatorContract, StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        functions = dict.fromkeys(("on_subscribe", "on_cancel", "on_finally"), list)
        return pipeline().do(on_request=lambda n: None, **functions)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def logging(stream: Stream[Any], log: list[Any]) -> Stream[Any]:
    return stream.do(
        log.append,
        on_error=lambda error: log.append("error"),
        on_complete=lambda: log.append("complete"),
        on_subscribe=lambda: log.append("subscribe"),
        on_request=lambda n: log.append(f"request {n}"),
        on_cancel=lambda: log.append("cancel"),
        on_finally=lambda: log.append("finally"),
    )


@pytest.mark.parametrize(
    ("source", "end"),
    [(Stream.just(1, 2), ["complete"]), (Stream.just(1, 2).concat_with(Stream.error(OSError())), ["error"])],
)
def test_functions_see_the_whole_life_of_a_stream(source: Stream[int], end: list[str]) -> None:
    log: list[Any] = []
    subscriber = RecordingSubscriber()
    logging(source, log).subscribe(subscriber)
    subscriber.request(1)
    subscriber.request(2)
    assert log == ["subscribe", "request 1", 1, "request 2", 2, *end, "finally"]


def test_cancellation_of_the_subscriber_is_no_end() -> None:
    log: list[Any] = []
    subscriber = RecordingSubscriber()
    logging(Stream.just(1, 2), log).subscribe(subscriber)
    subscriber.request(1)
    subscriber.cancel()
    subscriber.cancel()
    assert log == ["subscribe", "request 1", 1, "cancel", "finally"]


@pytest.mark.parametrize("below", [lambda s: s.take(1), lambda s: s.map(lambda n: 1 // 0)])
def test_operator_below_that_has_enough_cancels(below: Any) -> None:
    log: list[Any] = []
    run(below(logging(Stream.just(1, 2), log)))
    assert log[-3:] == [1, "cancel", "finally"]


def test_functions_of_the_end_come_behind_the_signal() -> None:
    log: list[Any] = []
    logging(Stream.just(1), log).do(on_complete=lambda: log.append("below")).run()
    assert log[-3:] == ["complete", "below", "finally"]


@pytest.mark.parametrize("name", ["on_next", "on_complete"])
def test_exception_of_a_function_is_no_cancellation(name: str) -> None:
    log: list[str] = []
    functions = {name: fail_with(KeyError("mine")), "on_cancel": lambda: log.append("cancel")}
    run(Stream.just(1).do(**functions, on_finally=lambda: log.append("finally")))  # type: ignore[arg-type]
    assert log == ["finally"]


def test_subscribe_function_that_raises_ends_the_stream() -> None:
    source = CountedIterable([1])
    subscriber = run(Stream.from_iterable(source).do(on_subscribe=fail_with(KeyError("mine"))))
    assert (subscriber.outcome, source.taken) == (([], "KeyError('mine')"), 0)


def test_request_function_that_raises_ends_the_stream() -> None:
    source, subscriber = CountedIterable([1, 2, 3]), RecordingSubscriber()
    Stream.from_iterable(source).do(on_request=lambda n: 1 // (2 - n)).subscribe(subscriber)
    subscriber.request(1)
    subscriber.request(2)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert "in rx://operators/do, assembled at" in subscriber.error.__notes__[0]


def test_requests_are_seen_once_below_a_filter() -> None:
    seen: list[int] = []
    Stream.range(10).do(on_request=seen.append).filter(lambda n: n % 2).take(2).to_list()
    assert seen == [2]


@pytest.mark.parametrize("name", ["on_cancel", "on_finally"])
def test_function_of_the_end_that_raises_is_reported(name: str) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    error = KeyError("mine")
    Stream.just(1, 2).do(**{name: fail_with(error)}).subscribe(subscriber)  # type: ignore[arg-type]
    with recorded_drops() as drops:
        subscriber.cancel()
    assert [(signal, value, origin) for signal, value, origin in drops] == [
        (name.removeprefix("on_"), error, "rx://operators/do")
    ]


def test_loaded_stream_that_was_over_calls_nothing_again() -> None:
    log: list[Any] = []
    before, after = RecordingSubscriber(), RecordingSubscriber()
    stream = logging(Stream.just(1, 2), log)
    handle = stream.bind(before)
    handle.initialize()
    before.cancel()
    assert log == ["subscribe", "cancel", "finally"]
    start(stream.bind(after), save(handle))
    assert log == ["subscribe", "cancel", "finally"]


def test_no_function_at_all_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"do\(\) needs at least one function; pass on_next=, on_error= or"):
        Stream.just(1).do()


@pytest.mark.parametrize(
    "name", ["on_next", "on_error", "on_complete", "on_subscribe", "on_request", "on_cancel", "on_finally"]
)
def test_function_that_is_not_callable_is_refused_when_the_stream_is_built(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"do\({name}\) needs a callable, got 1 \(int\)"):
        Stream.just(1).do(**{name: 1})  # type: ignore[arg-type]
