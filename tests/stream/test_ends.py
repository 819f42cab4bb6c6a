"""The blocking terminal operations: to_list, for_each, run, first, reduce."""

import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, EmptyStreamError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher

ENDS: dict[str, Callable[..., Any]] = {
    "to_list": lambda stream, **options: stream.to_list(**options),
    "for_each": lambda stream, **options: stream.for_each(lambda _: None, **options),
    "run": lambda stream, **options: stream.run(**options),
    "first": lambda stream, **options: stream.first(**options),
    "reduce": lambda stream, **options: stream.reduce(max, 0, **options),
}
EVERY_END = pytest.mark.parametrize("end", ENDS)


def test_to_list_returns_the_elements() -> None:
    assert Stream.range(3).to_list() == [0, 1, 2]
    assert Stream.empty().to_list() == []


def test_for_each_calls_the_function_in_order_and_returns_nothing() -> None:
    seen: list[int] = []
    assert Stream.range(3).for_each(seen.append) is None  # type: ignore[func-returns-value]
    assert seen == [0, 1, 2]


def test_run_takes_every_element_and_returns_nothing() -> None:
    source = CountedIterable([1, 2, 3])
    assert Stream.from_iterable(source).run() is None  # type: ignore[func-returns-value]
    assert source.taken == 3


def test_first_takes_one_element_and_cancels() -> None:
    source = CountedIterable([7, 8, 9])
    assert Stream.from_iterable(source).first() == 7
    assert (source.taken, source.is_closed) == (1, True)


def test_first_of_nothing_tells_stream_and_remedy() -> None:
    with pytest.raises(EmptyStreamError) as raised:
        Stream.range(3).filter(callable).first()
    assert isinstance(raised.value, LookupError)
    assert str(raised.value) == (
        "first() of Stream.range(0, 3).filter(callable): the stream completed without the element that was wanted; "
        "use first_or_default(default) if it may"
    )


def test_reduce_folds_from_the_seed() -> None:
    assert Stream.just("a", "b").reduce(lambda text, element: text + element, ">") == ">ab"
    assert Stream[int].empty().reduce(lambda total, element: total + element, 5) == 5


def test_none_is_an_ordinary_element_and_result() -> None:
    seen: list[None] = []
    stream = Stream.just(None, None)
    stream.for_each(seen.append)
    assert (stream.to_list(), seen, stream.first()) == ([None, None], [None, None], None)
    assert stream.reduce(lambda total, element: None, None) is None


@EVERY_END
def test_error_of_the_stream_is_raised_with_the_line_where_it_was_assembled(end: str) -> None:
    stream = Stream.just(1).map(lambda element: element // 0)
    with pytest.raises(ZeroDivisionError) as raised:
        ENDS[end](stream)
    assert raised.value.__notes__ == [f"in rx://operators/map, assembled at {stream.assembly}, for element 1"]


@pytest.mark.parametrize("end", ["for_each", "reduce"])
def test_function_of_the_end_that_raises_cancels_the_stream(end: str) -> None:
    def fail(*_: int) -> int:
        raise KeyError("mine")

    source = CountedIterable([1, 2, 3])
    stream = Stream.from_iterable(source)
    arguments = {"for_each": (fail,), "reduce": (fail, 0)}
    with pytest.raises(KeyError, match="mine"):
        getattr(stream, end)(*arguments[end])
    assert (source.taken, source.is_closed) == (1, True)


@EVERY_END
@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_interrupt_of_an_operator_cancels_and_is_raised(end: str, interrupt: type[BaseException]) -> None:
    def stop(_: int) -> int:
        raise interrupt

    source = CountedIterable([1, 2])
    with pytest.raises(interrupt):
        ENDS[end](Stream.from_iterable(source).map(stop))
    assert source.is_closed


@EVERY_END
def test_end_of_another_thread_is_waited_for(end: str) -> None:
    with WorkerScheduler(name="reactivestreams-delivering") as worker:
        expected = {"to_list": [0, 1, 2], "for_each": None, "run": None, "first": 0, "reduce": 2}
        assert ENDS[end](Stream.range(3).observe_on(worker), timeout_seconds=10) == expected[end]


@EVERY_END
def test_error_of_another_thread_is_raised_here(end: str) -> None:
    with WorkerScheduler(name="reactivestreams-delivering") as worker:
        stream = Stream.range(3).observe_on(worker).map(lambda element: 1 // (element * 0))
        with pytest.raises(ZeroDivisionError):
            ENDS[end](stream, timeout_seconds=10)


@EVERY_END
@pytest.mark.parametrize("timeout_seconds", [0, 0.01])
def test_timeout_cancels_the_stream(end: str, timeout_seconds: float) -> None:
    publisher = ManualPublisher()
    with pytest.raises(TimeoutError, match=rf"did not end within {timeout_seconds:.1f}\d* seconds and was cancelled"):
        ENDS[end](Stream.from_publisher(publisher), timeout_seconds=timeout_seconds)
    assert publisher.cancels == 1


@EVERY_END
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to a thread")
def test_ctrl_c_wakes_the_waiting_thread_and_cancels(end: str) -> None:
    publisher = ManualPublisher()
    waiting = threading.get_ident()
    pressing = threading.Thread(target=lambda: signal.pthread_kill(waiting, signal.SIGINT))
    publisher.during_request = [pressing.start]
    with pytest.raises(KeyboardInterrupt):
        ENDS[end](Stream.from_publisher(publisher))
    pressing.join()
    assert publisher.cancels == 1


@EVERY_END
def test_stream_that_ends_in_the_calling_thread_needs_no_time(end: str) -> None:
    ENDS[end](Stream.just(1), timeout_seconds=0)


@EVERY_END
@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (-1, ArgumentError, "needs 0 or more, got -1; pass seconds, or None to wait without limit"),
        (float("nan"), ArgumentError, "needs 0 or more, got nan; pass seconds"),
        ("3", ArgumentTypeError, r"needs a number, got '3' \(str\); pass seconds"),
        (True, ArgumentTypeError, r"needs a number, got True \(bool\); pass seconds"),
    ],
)
def test_bad_timeout_is_refused_before_anything_flows(
    end: str, value: Any, error: type[Exception], message: str
) -> None:
    source = CountedIterable([1])
    with pytest.raises(error, match=rf"^{end}\(timeout_seconds\) {message}"):
        ENDS[end](Stream.from_iterable(source), timeout_seconds=value)
    assert source.taken == 0


@pytest.mark.parametrize("end", ["for_each", "run"])
def test_prefetch_bounds_what_is_requested_and_not_taken(end: str) -> None:
    publisher = ManualPublisher()
    publisher.during_request = [lambda: publisher.send(1, 2, 3), publisher.complete]
    ENDS[end](Stream.from_publisher(publisher), prefetch=4)
    assert publisher.requests[0] == 4


@pytest.mark.parametrize("end", ["for_each", "run"])
def test_prefetch_is_replenished_at_three_quarters(end: str) -> None:
    publisher = ManualPublisher()

    def first_time() -> None:
        publisher.during_request = [second_time]
        publisher.send(1, 2, 3)

    def second_time() -> None:
        publisher.send(4, 5, 6, 7)
        publisher.complete()

    publisher.during_request = [first_time]
    ENDS[end](Stream.from_publisher(publisher), prefetch=4)
    assert publisher.requests[:2] == [4, 3]


@pytest.mark.parametrize("end", ["for_each", "run"])
@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(end: str, prefetch: int) -> None:
    with pytest.raises(ArgumentError, match=rf"{end}\(prefetch\) needs a count from 1 to {2**24}, got {prefetch}"):
        ENDS[end](Stream.just(1), prefetch=prefetch)


@pytest.mark.parametrize("end", ["for_each", "reduce"])
def test_function_that_is_not_callable_is_refused(end: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{end}\(function\) needs a callable, got 1 \(int\)"):
        getattr(Stream.just(1), end)(*([1] if end == "for_each" else [1, 0]))


def test_ends_run_inside_callbacks_of_other_streams() -> None:
    inner = Stream.range(3)
    assert Stream.range(2).map(lambda element: [element, *inner.to_list()]).to_list() == [[0, 0, 1, 2], [1, 0, 1, 2]]


def test_ends_of_one_description_run_in_many_threads_at_once() -> None:
    stream = Stream.range(2000).map(lambda element: element * 2).scan(lambda total, element: total + element, 0)
    expected, results = stream.to_list(), []
    threads = [threading.Thread(target=lambda: results.append(stream.to_list())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [expected] * 4
