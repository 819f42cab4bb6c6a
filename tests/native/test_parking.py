"""The wait of the blocking terminal operations: wake-ups, time limits, signals."""

import math
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import FrameType, ModuleType

import pytest

WOKEN, TIMED_OUT = 0, 1
FOREVER = -1.0

needs_alarm = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no interval timers")


@pytest.fixture
def bed(harnesses: dict[str, ModuleType]) -> object:
    return harnesses["parking"].Bed()


def test_an_unpark_before_the_park_is_not_lost(bed) -> None:
    bed.unpark()
    assert bed.park(FOREVER) == WOKEN


def test_two_unparks_are_one_permit(bed) -> None:
    bed.unpark()
    bed.unpark()
    assert [bed.park(0.0), bed.park(0.0)] == [WOKEN, TIMED_OUT]


@pytest.mark.parametrize("seconds", [0.0, 1e-9, 1e-3])
def test_a_park_that_nobody_ends_times_out(bed, seconds: float) -> None:
    assert bed.park(seconds) == TIMED_OUT


@pytest.mark.parametrize("seconds", [1e6, 1e300, math.inf, math.nan, -math.inf])
def test_a_time_limit_of_any_size_is_accepted(bed, seconds: float) -> None:
    bed.unpark()
    assert bed.park(seconds) == WOKEN


def test_a_permit_that_comes_after_the_time_is_up_serves_the_next_park(bed) -> None:
    outcomes = [bed.park(0.0)]
    bed.unpark()
    outcomes.append(bed.park(0.0))
    assert outcomes == [TIMED_OUT, WOKEN]


def test_an_unpark_from_another_thread_ends_the_park(bed) -> None:
    with ThreadPoolExecutor(1) as pool:
        outcome = pool.submit(bed.park, FOREVER)
        bed.unpark()
        assert outcome.result() == WOKEN


def test_many_threads_may_unpark_at_once(bed) -> None:
    barrier = threading.Barrier(4)

    def unpark() -> None:
        barrier.wait()
        for _ in range(1000):
            bed.unpark()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: unpark(), range(4)))
    # However many there were and in whatever order: one permit.
    assert [bed.park(0.0), bed.park(0.0)] == [WOKEN, TIMED_OUT]


@pytest.fixture
def alarm() -> Iterator[Callable[[Callable[[], object]], None]]:
    """Call a function from a signal handler, soon."""
    before = signal.getsignal(signal.SIGALRM)

    def set_alarm(call: Callable[[], object]) -> None:
        def handler(number: int, frame: FrameType | None) -> None:
            call()

        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.01)

    yield set_alarm
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@needs_alarm
def test_a_signal_handler_that_raises_ends_the_park(bed, alarm: Callable[[Callable[[], object]], None]) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    alarm(interrupt)
    with pytest.raises(KeyboardInterrupt):
        bed.park(FOREVER)


@needs_alarm
def test_the_parker_is_usable_after_an_interrupt(bed, alarm: Callable[[Callable[[], object]], None]) -> None:
    def interrupt() -> None:
        bed.unpark()
        raise KeyboardInterrupt

    alarm(interrupt)
    with pytest.raises(KeyboardInterrupt):
        bed.park(FOREVER)
    assert [bed.park(0.0), bed.park(0.0)] == [WOKEN, TIMED_OUT]


@needs_alarm
def test_a_signal_handler_that_returns_lets_the_park_go_on(bed, alarm: Callable[[Callable[[], object]], None]) -> None:
    calls: list[str] = []

    def handle_twice() -> None:
        calls.append("handled")
        if len(calls) == 1:
            alarm(handle_twice)
        else:
            bed.unpark()

    alarm(handle_twice)
    assert (bed.park(FOREVER), calls) == (WOKEN, ["handled", "handled"])
