"""log: the signals that pass, in a logger of the standard library."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from rs_core.inspection import signal_log
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract

NAME = "tests.log"


class TestLog(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().log(NAME, level=0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class Lines(logging.Handler):
    """The lines that a logger wrote, without the number of the run."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.runs: list[int] = []

    def emit(self, record: logging.LogRecord) -> None:
        _, run, text = record.getMessage().split(" ", 2)
        self.runs.append(int(run.rstrip(":")))
        self.lines.append(f"{record.levelname} {text}")


@pytest.fixture
def lines() -> Iterator[Lines]:
    handler = Lines()
    logger = logging.getLogger(NAME)
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time at which lines are written; the test moves it."""
    now = [0.0]
    monkeypatch.setattr(signal_log, "monotonic", lambda: now[0])
    return now


def test_each_signal_has_its_line(lines: Lines) -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.just("a", "b", "c").log(NAME).subscribe(subscriber)
    subscriber.request(UNBOUNDED)
    assert lines.lines == [
        "INFO request(2)",
        "INFO on_subscribe",
        "INFO on_next('a'), element 1",
        "INFO on_next('b'), element 2",
        "INFO request(unlimited)",
        "INFO on_next('c'), element 3",
        "INFO on_complete after 3 elements",
    ]


def test_cancellation_has_its_line_and_an_error_its_level(lines: Lines) -> None:
    assert Stream.range(10**9).log(NAME, level=logging.WARNING).first() == 0
    assert lines.lines[-1] == "WARNING cancel after 1 element"
    broken = Stream.from_iterable(CountedIterable([7], fails_with=ValueError("broken")))
    with pytest.raises(ValueError, match="broken"):
        broken.log(NAME).run()
    assert lines.lines[-1] == "ERROR on_error(ValueError('broken')) after 1 element"


def test_runs_are_told_apart(lines: Lines) -> None:
    stream = Stream.just(1).log(NAME)
    stream.run()
    stream.run()
    first, *_, last = lines.runs
    assert last == first + 1


def test_what_is_too_much_for_a_second_is_counted(lines: Lines, clock: list[float]) -> None:
    def later(number: int) -> int:
        if number == 7:
            clock[0] = 1.0
        return number

    Stream.range(10).map(later).log(NAME, max_per_second=2).run()
    assert lines.lines[2:] == [
        "INFO on_next(0), element 1",
        "INFO on_next(1), element 2",
        "INFO elements that were left out: 5",
        "INFO on_next(7), element 8",
        "INFO on_next(8), element 9",
        "INFO elements that were left out: 1",
        "INFO on_complete after 10 elements",
    ]


def test_requests_have_a_bound_of_their_own(lines: Lines, clock: list[float]) -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.range(4).log(NAME, max_per_second=1).subscribe(subscriber)
    for _ in range(3):
        subscriber.request(1)
    assert [line for line in lines.lines if "request" in line] == [
        "INFO request(1)",
        "INFO requests that were left out: 3",
    ]


def test_without_bound_all_are_written(lines: Lines, clock: list[float]) -> None:
    Stream.range(1000).log(NAME, max_per_second=None).run()
    assert len(lines.lines) == 1003


def test_nothing_is_written_or_formatted_below_the_level_of_the_logger(lines: Lines) -> None:
    class Unshown:
        def __repr__(self) -> str:
            raise AssertionError("formatted")

    with recorded_drops() as drops:
        Stream.just(Unshown()).log(NAME, level=logging.DEBUG).run()
    assert (lines.lines, drops) == ([], [])


def test_text_of_an_element_is_bounded_also_if_its_repr_raises(lines: Lines) -> None:
    class Unshown:
        def __repr__(self) -> str:
            raise ValueError("unshown")

    Stream.just("x" * 10_000, Unshown()).log(NAME).run()
    assert len(lines.lines[2]) < 300
    assert "<Unshown instance at 0x" in lines.lines[3]


def test_stream_goes_on_if_a_handler_raises(lines: Lines) -> None:
    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise OSError("full")

    broken = Broken()
    logging.getLogger(NAME).addHandler(broken)
    try:
        with recorded_drops() as drops:
            assert Stream.range(3).log(NAME).to_list() == [0, 1, 2]
    finally:
        logging.getLogger(NAME).removeHandler(broken)
    assert {(signal, str(value), origin) for signal, value, origin in drops} == {("log", "full", f"log({NAME!r})")}


def test_handler_may_run_a_stream_that_is_logged(lines: Lines) -> None:
    class Sends(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            assert Stream.just(record).log(NAME).count() == 1

    sends = Sends()
    logging.getLogger(NAME).addHandler(sends)
    try:
        assert Stream.range(2).log(NAME).to_list() == [0, 1]
    finally:
        logging.getLogger(NAME).removeHandler(sends)
    assert [line for line in lines.lines if "on_next" in line] == [
        "INFO on_next(0), element 1",
        "INFO on_next(1), element 2",
    ]


def test_call_is_written_as_it_was_made() -> None:
    assert "log()" in repr(Stream.just(1).log())
    assert "log('orders', level=10, max_per_second=None)" in repr(
        Stream.just(1).log("orders", level=10, max_per_second=None)
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": logging.getLogger(NAME)}, ArgumentTypeError, "needs the name of a logger, got <Logger tests.log"),
        ({"level": "INFO"}, ArgumentTypeError, r"log\(level\)"),
        ({"level": -1}, ArgumentError, r"log\(level\)"),
        ({"max_per_second": 0}, ArgumentError, r"log\(max_per_second\)"),
    ],
)
def test_bad_arguments_fail_when_the_stream_is_built(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Stream.just(1).log(**arguments)
