"""delay_until, and debounce by a stream for each element: what passes when, in virtual time."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError, StateError
from reactivestreams.state import load_tree
from reactivestreams.stream import Operator
from reactivestreams.subjects import SimpleSubject
from reactivestreams.testing import TestScheduler
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save
from tests.contracts.state_contract import StateContract
from tests.operators.timing.test_timing import ERROR, SOURCE, run, shown, signals, ticks

Build = Callable[[Any], Stream[Any]]


class TestDelayUntilWhatIsEmpty(OperatorContract, StateContract):
    reads_ahead = 32

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().delay_until(lambda element: Stream.empty() if element % 2 else ())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestDelayUntilWhatHasElements(TestDelayUntilWhatIsEmpty):
    reads_ahead = 4

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().delay_until(Stream.range, prefetch=4)


class TestDebounceByWhatIsNeverQuiet(OperatorContract, StateContract):
    reads_ahead = 128

    # It requests more with what it takes, so no element is one too many.
    test_publisher_that_sends_without_demand_is_cancelled = None  # type: ignore[assignment]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().debounce(lambda element: Stream.never())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return elements[-1:]

    def name_of(self, operator: Operator) -> str:
        return "rx://operators/debounce"


def timer(number: int) -> Stream[int]:
    return Stream.timer(ticks(number))


# A stream begins a tick after its element, and each stage of it has its turn a tick after the one above.
PASSED: list[tuple[Build, str, str]] = [
    (lambda s: s.delay_until(lambda _: timer(15)), "#", "228:1 245:2 288:3 318:4 401:#"),
    (lambda s: s.delay_until(lambda _: timer(60)), "#", "273:1 335:2 397:3 459:4 459:#"),
    (lambda s: s.delay_until(lambda n: () if n % 2 else timer(30)), "#", "211:1 253:2 271:3 333:4 401:#"),
    (lambda s: s.delay_until(lambda n: "ab"), "X", "211:1 221:2 271:3 301:4 401:X"),
    (lambda s: s.delay_until(lambda n: timer(110)), "X", "323:1 435:2 547:3 659:4 659:X"),
]


@pytest.mark.parametrize(("build", "end", "expected"), PASSED)
def test_element_passes_when_its_stream_has_completed(build: Build, end: str, expected: str) -> None:
    assert run(build, f"{SOURCE} 400:{end}")[0] == expected


QUIET: list[tuple[Build, str, str]] = [
    (lambda s: s.debounce(lambda _: timer(30)), "#", "253:2 333:4 401:#"),
    (lambda s: s.debounce(lambda n: timer(10 * n)), "#", "243:2 343:4 401:#"),
    (lambda s: s.debounce(lambda _: timer(150)), "#", "401:4 401:#"),
    (lambda s: s.debounce(lambda _: timer(150)), "X", "401:X"),
    (lambda s: s.debounce(lambda _: Stream.never()), "#", "401:4 401:#"),
    (lambda s: s.debounce(lambda _: ()), "#", "211:1 221:2 271:3 301:4 401:#"),
    (lambda s: s.debounce(lambda _: Stream.empty()), "#", "213:1 223:2 273:3 303:4 401:#"),
    (lambda s: s.debounce(lambda _: Stream.range(3)), "#", "213:1 223:2 273:3 303:4 401:#"),
    (lambda s: s.debounce(lambda _: Stream.interval(ticks(20))), "#", "243:2 293:3 323:4 401:#"),
]


@pytest.mark.parametrize(("build", "end", "expected"), QUIET)
def test_stream_of_an_element_says_when_it_is_quiet(build: Build, end: str, expected: str) -> None:
    assert run(build, f"{SOURCE} 400:{end}")[0] == expected


def failing(name: str, function: Callable[[Any], Any]) -> Build:
    return lambda stream: getattr(stream, name)(function)


@pytest.mark.parametrize("name", ["delay_until", "debounce"])
def test_error_of_a_stream_ends_both(name: str) -> None:
    build = failing(name, lambda n: Stream.error(ERROR) if n == 2 else timer(5))
    passed, spans = run(build, f"{SOURCE} 400:#")
    assert passed.split()[0].partition(":")[2] == "1"
    assert passed.split()[1].partition(":")[2] == "X"
    assert spans[0][0] == 200
    assert spans[0][1] < 230


@pytest.mark.parametrize("name", ["delay_until", "debounce"])
def test_exception_of_the_function_ends_the_stream(name: str) -> None:
    def function(n: int) -> Any:
        if n == 2:
            raise ERROR
        return ()

    assert run(failing(name, function), f"{SOURCE} 400:#")[0] == "211:1 221:X"


@pytest.mark.parametrize("name", ["delay_until", "debounce"])
def test_result_of_the_function_that_is_no_stream_is_an_error(name: str) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"{name}\(function\), by what it returned for 0, needs a stream"):
        getattr(Stream.range(3), name)(lambda _: 7).to_list()


@pytest.mark.parametrize("name", ["delay_until", "debounce"])
def test_stream_that_runs_is_cancelled_with_the_whole(name: str) -> None:
    inner: SimpleSubject[int] = SimpleSubject()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    upper: SimpleSubject[int] = SimpleSubject()
    handle = getattr(Stream.from_publisher(upper), name)(lambda _: Stream.from_publisher(inner)).bind(subscriber)
    handle.initialize()
    upper.on_next(1)
    assert inner.subscriber_count == 1
    handle.cancel()
    assert (inner.subscriber_count, upper.subscriber_count) == (0, 0)


def test_next_element_cancels_the_stream_of_the_one_before() -> None:
    streams: list[SimpleSubject[int]] = [SimpleSubject() for _ in range(3)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    upper: SimpleSubject[int] = SimpleSubject()
    Stream.from_publisher(upper).debounce(lambda n: Stream.from_publisher(streams[n])).subscribe(subscriber)
    upper.on_next(0)
    upper.on_next(1)
    assert [each.subscriber_count for each in streams] == [0, 1, 0]
    streams[1].on_next(7)
    assert [each.subscriber_count for each in streams] == [0, 0, 0]
    upper.on_next(2)
    upper.on_complete()
    assert [each.subscriber_count for each in streams] == [0, 0, 0]
    assert subscriber.outcome == ([1, 2], "complete")


def test_what_is_due_waits_until_it_is_requested() -> None:
    build: Build = lambda s: s.debounce(lambda _: timer(10))  # noqa: E731
    assert run(build, f"{SOURCE} 400:#", requests={250: 1, 350: 9})[0] == "251:2 351:4 401:#"
    build = lambda s: s.delay_until(lambda _: timer(10))  # noqa: E731
    assert run(build, f"{SOURCE} 400:#", requests={250: 1, 350: 9})[0] == "263:1 363:2 375:3 387:4 401:#"


@pytest.mark.parametrize("saved", [205, 215, 225, 247, 275, 305, 350])
@pytest.mark.parametrize(
    "build",
    [
        lambda s: s.delay_until(lambda _: timer(15)),
        lambda s: s.delay_until(lambda _: timer(60)),
        lambda s: s.debounce(lambda _: timer(30)),
        lambda s: s.debounce(lambda _: timer(150)),
    ],
)
def test_recovered_stream_goes_on_with_the_stream_that_ran(build: Build, saved: int) -> None:
    source = f"{SOURCE} 400:#"
    whole = run(build, source)[0].split()
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*signals(source))
    result = scheduler.crash_and_recover(
        lambda: build(Stream.from_publisher(hot, recovery="exact")), saved=saved, crashed=saved + 1, recovered=saved + 2
    )
    both = shown(result.before.messages).split() + shown(result.after.messages).split()
    assert [part.partition(":")[2] for part in both] == [part.partition(":")[2] for part in whole]


def test_state_of_another_shape_is_refused() -> None:
    handle = Stream.never().delay_until(lambda _: ()).bind(RecordingSubscriber())
    handle.initialize()
    other = Stream.never().debounce(lambda _: ()).bind(RecordingSubscriber())
    with pytest.raises(StateError):
        load_tree(other, save(handle))
    handle.cancel()


def test_many_elements_leave_no_stream_behind() -> None:
    with recorded_drops() as drops:
        kept = Stream.range(5000).debounce(lambda n: Stream.range(n % 3 + 1)).to_list()
    assert kept == list(range(5000))
    assert drops == []


@pytest.mark.parametrize("name", ["delay_until", "debounce"])
def test_calls_are_written_as_one_writes_them(name: str) -> None:
    assert repr(getattr(Stream.range(1), name)(timer)).endswith(f".{name}(timer)")


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"delay_until\(function\)"):
        Stream.range(3).delay_until(3)  # type: ignore[arg-type]
