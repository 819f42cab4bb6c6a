"""retry with a policy: delays, jitter, a budget, and the policies of tenacity."""

import asyncio
import itertools
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import tenacity

from reactivestreams import RetryPolicy, Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, SchedulerDisposedError, StateError
from reactivestreams.lifecycle import DefaultOperatorContext
from reactivestreams.operators.recovering.retry_policy import policy_run
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.testing import TestScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber


class Failing:
    """An iterable that fails in its first attempts, each time behind one element."""

    def __init__(self, failures: int) -> None:
        self.attempts, self.failures = 0, failures

    def __iter__(self) -> Iterator[int]:
        self.attempts += 1
        yield self.attempts
        if self.attempts <= self.failures:
            raise OSError(f"attempt {self.attempts}")


NAIVE = datetime.now(UTC).replace(tzinfo=None)

TICK = 0.000_001
"""A tick of virtual time in seconds."""


def ticks_of(failures: int, policy: Any, **options: Any) -> list[tuple[int, str]]:
    """Run a stream that fails in virtual time, and return what came at which tick behind the subscription."""
    scheduler = TestScheduler()
    stream = Stream.from_iterable(Failing(failures)).retry(policy)
    observer = scheduler.start(lambda: stream, disposed=100_000, **options)
    first = observer.messages[0].tick
    return [(message.tick - first, repr(message.value)) for message in observer.messages]


def begun(failures: int, policy: Any) -> list[int]:
    """Return when each attempt passed on its element."""
    return [tick for tick, value in ticks_of(failures, policy) if value.startswith("on_next")]


def distances(ticks: list[int]) -> list[int]:
    return [later - sooner for sooner, later in itertools.pairwise(ticks)]


def test_delays_grow_up_to_the_longest() -> None:
    policy = RetryPolicy(times=9, delay_seconds=100 * TICK, factor=3, max_delay_seconds=1_000 * TICK)
    found = distances(begun(5, policy))
    assert [round(each, -2) for each in found] == [100, 300, 900, 1_000, 1_000]
    assert max(found) <= 1_000 + 5  # a start takes some ticks


def test_last_error_is_passed_on_when_no_attempt_is_left() -> None:
    messages = ticks_of(9, RetryPolicy(times=2, delay_seconds=10 * TICK))
    assert [value for _, value in messages] == [
        "on_next(1)",
        "on_next(2)",
        "on_next(3)",
        "on_error(OSError('attempt 3'))",
    ]


def test_jitter_shortens_each_delay_by_up_to_its_part() -> None:
    policy = RetryPolicy(times=50, delay_seconds=1_000 * TICK, factor=1, jitter=0.5, seed=3)
    found = distances(begun(40, policy))
    assert all(500 <= each <= 1_005 for each in found)
    assert len(set(found)) > 20
    assert found == distances(begun(40, policy))


def test_budget_ends_the_stream_and_comes_back_with_time() -> None:
    policy = RetryPolicy(for_ever=True, delay_seconds=10 * TICK, factor=1, budget=3, window_seconds=1_000 * TICK)
    assert [value for _, value in ticks_of(9, policy)][-1] == "on_error(OSError('attempt 4'))"
    slow = RetryPolicy(for_ever=True, delay_seconds=400 * TICK, factor=1, budget=3, window_seconds=1_000 * TICK)
    assert ticks_of(9, slow)[-1][1] == "on_complete()"


def test_attempt_with_an_element_begins_the_count_anew() -> None:
    policy = RetryPolicy(times=1, resets=True, delay_seconds=100 * TICK)
    assert [round(each, -2) for each in distances(begun(5, policy))] == [100] * 5
    assert ticks_of(5, policy)[-1][1] == "on_complete()"


def test_error_that_is_not_wanted_is_passed_on_at_once() -> None:
    policy = RetryPolicy(times=9, delay_seconds=50 * TICK, when=lambda error: "2" not in str(error))
    assert [value for _, value in ticks_of(9, policy)][-1] == "on_error(OSError('attempt 2'))"


@pytest.mark.parametrize("saved", [5, 30, 60, 90, 150, 250])
def test_attempt_that_waits_begins_at_its_time_behind_a_recovery(saved: int) -> None:
    def create() -> Stream[int]:
        return Stream.from_iterable(source, recovery="restarts").retry(
            RetryPolicy(times=9, delay_seconds=100 * TICK, factor=1)
        )

    source = Failing(3)
    whole = TestScheduler()
    uninterrupted = [(message.tick, message.value) for message in whole.start(create).messages]
    source, scheduler = Failing(3), TestScheduler()
    tick = uninterrupted[0][0] + saved
    run = scheduler.crash_and_recover(create, saved=tick, crashed=tick, recovered=tick)
    together = [(message.tick, message.value) for message in (*run.before.messages, *run.after.messages)]
    assert together == uninterrupted


def test_paused_scheduler_holds_the_attempt() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    scheduler = TestScheduler()
    host = scheduler.create_child()
    handle = Stream.from_iterable(Failing(1)).retry(RetryPolicy(times=1, delay_seconds=10 * TICK)).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://test", host))
    scheduler.clock.advance_to(8)
    host.pause_async()
    scheduler.clock.advance_to(1_000)
    assert subscriber.outcome == ([1], "open")
    host.continue_()
    scheduler.clock.start()
    assert subscriber.outcome == ([1, 2], "complete")


def test_disposed_scheduler_ends_the_stream_that_waits() -> None:
    subscriber, failed = RecordingSubscriber(first_request=1), threading.Event()
    worker = WorkerScheduler(name="worker")
    stream = Stream.error(OSError("x")).retry(RetryPolicy(times=1, when=lambda _: True, delay_seconds=1_000))
    handle = stream.do(on_error=lambda error: failed.set()).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://test", worker))
    worker.schedule(failed.clear)
    worker.pause()
    worker.continue_()
    worker.dispose()
    assert failed.wait(10)
    assert isinstance(subscriber.error, SchedulerDisposedError)


def test_cancelled_stream_leaves_no_attempt_behind() -> None:
    scheduler = TestScheduler()
    stream = Stream.error(OSError("x")).retry(RetryPolicy(for_ever=True, delay_seconds=1.0))
    scheduler.start(lambda: stream, disposed=500)
    assert scheduler.clock.ticks < 1_000  # nothing was due in a million ticks any more


def test_delay_without_a_host_needs_no_thread_of_the_subscriber() -> None:
    stream = Stream.from_iterable(Failing(2)).retry(RetryPolicy(times=3, delay_seconds=0.001))
    assert stream.to_list(timeout_seconds=20) == [1, 2, 3]


def test_delay_in_an_event_loop_stays_in_its_thread() -> None:
    threads: set[int] = set()

    async def run() -> list[int]:
        stream = Stream.from_iterable(Failing(2)).do(lambda _: threads.add(threading.get_ident()))
        return await stream.retry(RetryPolicy(times=3, delay_seconds=0.001)).to_list_async()

    assert asyncio.run(asyncio.wait_for(run(), 20)) == [1, 2, 3]
    assert threads == {threading.get_ident()}


def test_blocked_subscriber_is_cancelled_while_an_attempt_waits() -> None:
    stream = Stream.error(OSError("x")).retry(RetryPolicy(times=1, delay_seconds=2.0**29))
    with pytest.raises(TimeoutError):
        stream.to_list(timeout_seconds=0.01)


def test_state_of_another_policy_is_refused() -> None:
    run = policy_run(RetryPolicy(times=1))
    for values in ([], [1], [-1, []], ["1", []], [1, [3]], [1, [NAIVE]]):
        with pytest.raises(StateError, match="which is another one"):
            run.restore(values)
    run.restore([1, [datetime(2026, 1, 1, tzinfo=UTC)]])
    other = policy_run(tenacity.Retrying())
    for values in ([], [1, []], [None, 0.0], [NAIVE, 0.0], [datetime(2026, 1, 1, tzinfo=UTC), 1]):
        with pytest.raises(StateError, match="which is another one"):
            other.restore(values)


# --- tenacity -------------------------------------------------------------------------------------------------------


def test_stop_wait_and_retry_of_tenacity_decide() -> None:
    policy = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(4),
        wait=tenacity.wait_exponential(multiplier=100 * TICK, max=300 * TICK),
        retry=tenacity.retry_if_exception_type(OSError),
    )
    assert [round(each, -2) for each in distances(begun(9, policy))] == [100, 200, 300]
    assert ticks_of(9, policy)[-1][1] == "on_error(OSError('attempt 4'))"


def test_errors_that_tenacity_does_not_want_are_passed_on() -> None:
    policy = tenacity.Retrying(retry=tenacity.retry_if_exception_message(match="attempt 1"))
    assert ticks_of(9, policy)[-1][1] == "on_error(OSError('attempt 2'))"


@pytest.mark.parametrize(
    ("stop", "last"),
    [
        (tenacity.stop_after_delay(350 * TICK), "attempt 5"),
        (tenacity.stop_before_delay(350 * TICK), "attempt 4"),
        (tenacity.stop_after_attempt(2) | tenacity.stop_after_delay(1), "attempt 2"),
    ],
)
def test_tenacity_sees_the_time_of_the_scheduler(stop: Any, last: str) -> None:
    policy = tenacity.Retrying(stop=stop, wait=tenacity.wait_fixed(100 * TICK))
    assert ticks_of(9, policy)[-1][1] == f"on_error(OSError('{last}'))"


@pytest.mark.parametrize(
    "wait",
    [
        tenacity.wait_none(),
        tenacity.wait_random(0, 10 * TICK),
        tenacity.wait_random_exponential(TICK, 10 * TICK),
        tenacity.wait_incrementing(TICK, TICK),
        tenacity.wait_chain(tenacity.wait_fixed(TICK), tenacity.wait_fixed(2 * TICK)),
        tenacity.wait_exponential_jitter(multiplier=TICK, max=10 * TICK, jitter=TICK),
    ],
)
def test_every_wait_of_tenacity_is_taken(wait: Any) -> None:
    policy = tenacity.Retrying(stop=tenacity.stop_after_attempt(9), wait=wait)
    assert ticks_of(3, policy)[-1][1] == "on_complete()"


def test_wait_that_has_to_be_awaited_ends_the_stream() -> None:
    async def wait(_state: object) -> float:
        return 1.0

    class Policy:
        stop = retry = staticmethod(lambda _state: True)

    policy: Any = Policy()
    policy.wait = lambda state: "soon"
    subscriber = RecordingSubscriber(first_request=1)
    Stream.error(OSError("x")).retry(policy).subscribe(subscriber)
    assert isinstance(subscriber.error, ArgumentTypeError)
    assert "needs a policy whose wait() returns seconds, got 'soon' (str)" in str(subscriber.error)


# --- bad arguments --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, r"RetryPolicy\(times\) needs the number of further attempts, got None"),
        ({"times": 1, "for_ever": True}, r"RetryPolicy\(\) needs times or for_ever, got both"),
        ({"times": 0}, r"RetryPolicy\(times\) needs a count from 1"),
        ({"times": 1, "budget": 0}, r"RetryPolicy\(budget\) needs a count from 1"),
        ({"times": 1, "delay_seconds": -1}, r"RetryPolicy\(delay_seconds\) needs a number from 0"),
        ({"times": 1, "delay_seconds": float("nan")}, r"RetryPolicy\(delay_seconds\) needs a number from 0"),
        ({"times": 1, "max_delay_seconds": float("inf")}, r"RetryPolicy\(max_delay_seconds\) needs a number from 0"),
        ({"times": 1, "factor": 0.5}, r"RetryPolicy\(factor\) needs a number from 1"),
        ({"times": 1, "jitter": 1.5}, r"RetryPolicy\(jitter\) needs a number from 0 to 1, got 1.5"),
    ],
)
def test_bad_values_of_a_policy_are_refused_when_it_is_made(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        RetryPolicy(**arguments)


@pytest.mark.parametrize("arguments", [{"times": "2"}, {"times": 1, "delay_seconds": "1"}, {"times": 1, "when": 3}])
def test_bad_types_of_a_policy_are_refused_when_it_is_made(arguments: dict[str, Any]) -> None:
    with pytest.raises(ArgumentTypeError, match=r"RetryPolicy\("):
        RetryPolicy(**arguments)


@pytest.mark.parametrize("besides", [{"when": repr}, {"for_ever": True}])
def test_policy_goes_alone(besides: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match="state it in the policy"):
        Stream.just(1).retry(RetryPolicy(times=1), **besides)


def test_delay_that_grows_beyond_all_numbers_is_the_longest() -> None:
    policy = RetryPolicy(times=1, delay_seconds=1.0, factor=1e9)
    assert policy.delay(10_000, lambda: 0.0) == timedelta(seconds=60)
