"""on_error_continue: elements on which functions fail are left out."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


def inverse(number: int) -> int:
    return 12 // (number % 3)


class LeavesOut(OperatorContract, StateContract, SerializableContract):
    """Each third element fails."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().map(inverse).on_error_continue(lambda error, element: None)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [inverse(element) for element in elements if element % 3]


class TestOnErrorContinue(LeavesOut):
    pass


class TestOnErrorContinueOverDemandThatIsCounted(LeavesOut):
    """Behind take, which counts what it passes on, a function fails."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take(10**6).filter(inverse).map(inverse).on_error_continue(lambda error, element: None)


OPERATORS: dict[str, Callable[[Stream[int]], Stream[Any]]] = {
    "map": lambda s: s.map(inverse),
    "filter": lambda s: s.filter(inverse),
    "do": lambda s: s.do(inverse),
    "scan": lambda s: s.scan(lambda total, n: total + inverse(n), 0),
    "starmap": lambda s: s.map(lambda n: (n,)).starmap(inverse),
    "flat_map": lambda s: s.flat_map(lambda n: [inverse(n)]),
    "flat_map of streams": lambda s: s.flat_map(lambda n: Stream.just(inverse(n)).map(int)),
    "concat_map": lambda s: s.concat_map(lambda n: [inverse(n)]),
    "flat_map_ordered": lambda s: s.flat_map_ordered(lambda n: Stream.just(inverse(n)).map(int)),
}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("first_request", [1, 2, UNBOUNDED])
def test_each_operator_leaves_out_and_reports(name: str, first_request: int) -> None:
    reported: list[tuple[str, Any]] = []
    subscriber = RecordingSubscriber(first_request=first_request, then_request=1)
    stream = OPERATORS[name](Stream.range(9)).map(lambda element: element)
    stream.on_error_continue(lambda error, element: reported.append((repr(error), element))).subscribe(subscriber)
    wanted = OPERATORS[name](Stream.range(9).filter(lambda n: n % 3 > 0)).to_list()
    assert subscriber.outcome == (wanted, "complete")
    zero = "ZeroDivisionError('integer division or modulo by zero')"
    assert reported == [(zero, (n,) if name == "starmap" else n) for n in (0, 3, 6)]


def test_report_names_the_operator() -> None:
    notes: list[Any] = []
    Stream.just(0).map(inverse).on_error_continue(lambda error, n: notes.append(error.__notes__)).run()
    assert "in rx://operators/map, assembled at" in notes[0][0]


def test_operators_below_are_not_reached() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, 0).on_error_continue(lambda error, n: None).map(inverse).subscribe(subscriber)
    assert subscriber.elements == [12]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_nearest_one_below_gets_the_report() -> None:
    reported: list[str] = []
    stream = Stream.just(0, 1).map(inverse).on_error_continue(lambda error, n: reported.append("upper"))
    stream = stream.map(lambda n: 1 // (n - 12)).on_error_continue(lambda error, n: reported.append("lower"))
    assert (stream.to_list(), reported) == ([], ["upper", "lower"])


@pytest.mark.parametrize("position", range(3))
def test_error_of_the_source_is_passed_on(position: int) -> None:
    subscriber, reported = RecordingSubscriber(first_request=UNBOUNDED), []
    source = CountedIterable([1, 2][:position], fails_with=OSError("x"))
    Stream.from_iterable(source).map(inverse).on_error_continue(lambda *what: reported.append(what)).subscribe(
        subscriber
    )
    assert subscriber.outcome == ([12, 6][:position], "OSError('x')")
    assert reported == []


def test_streams_inside_are_not_reached() -> None:
    stream = Stream.just(1).flat_map(lambda n: Stream.just(0).map(inverse)).on_error_continue(lambda error, n: None)
    with pytest.raises(ZeroDivisionError):
        stream.to_list()


def test_exception_of_the_report_ends_the_stream() -> None:
    def report(error: Exception, _element: object) -> None:
        raise KeyError("mine") from error

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, 0, 2).map(inverse).on_error_continue(report).subscribe(subscriber)
    assert subscriber.outcome == ([12], "KeyError('mine')")


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
def test_interrupt_is_no_error(interrupt: type[BaseException]) -> None:
    def stop(_number: int) -> None:
        raise interrupt

    with pytest.raises(interrupt):
        Stream.just(1).map(stop).on_error_continue(lambda error, n: None).run()


def test_thread_boundary_is_crossed() -> None:
    reported: list[int] = []
    with WorkerScheduler(name="worker") as worker:
        stream = Stream.range(3_000).map(inverse).observe_on(worker, prefetch=8)
        elements = stream.on_error_continue(lambda error, n: reported.append(n)).to_list(timeout_seconds=60)
    assert (len(elements), reported) == (2_000, list(range(0, 3_000, 3)))


def test_scan_keeps_what_it_had() -> None:
    sums = Stream.just(1, "x", 2).scan(lambda total, n: total + n, 0).on_error_continue(lambda error, n: None)
    assert sums.to_list() == [1, 3]


@pytest.mark.parametrize("report", [None, 3])
def test_what_is_no_function_is_refused_when_the_stream_is_built(report: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"on_error_continue\(report\) needs a callable"):
        Stream.just(1).on_error_continue(report)
