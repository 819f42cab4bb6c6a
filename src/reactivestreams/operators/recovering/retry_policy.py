"""When a stream that failed runs again: policies of our own, and those of tenacity."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import isfinite
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError

__all__ = ["AttemptOutcome", "AttemptState", "RetryPolicy", "policy_run"]

LONGEST_SECONDS = 2.0**30
"""The longest time that a policy may name, some 34 years."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When a stream that failed runs again, how often, and after which delay.

    Attributes:
        times: How many further attempts there may be, 1 or more.
        for_ever: True sets no limit to the attempts, in place of `times`.
        resets: Whether an attempt that passed on an element makes the count of attempts, and with it the delay, begin
            anew.
        when: Called with the error; what it returns is true if another attempt may follow. None is for any error.
        delay_seconds: The delay before the first further attempt; 0 is none.
        factor: By how much each delay is longer than the one before, 1 or more.
        max_delay_seconds: The longest delay.
        jitter: Which part of each delay is drawn at random, from 0 to 1: so that many do not come back at once.
        budget: How many further attempts there may be within `window_seconds`, 1 or more; with one more the stream
            fails. None sets no such limit.
        window_seconds: The time for which `budget` counts.
        seed: Makes the draws of each subscription the same; None: they differ.

    Example:
        >>> from reactivestreams import RetryPolicy, Stream
        >>> answers = iter([0, 0, 5])
        >>> policy = RetryPolicy(times=3, delay_seconds=0.001, jitter=0.5)
        >>> Stream.just(10).map(lambda n: n // next(answers)).retry(policy).to_list()
        [2]
    """

    times: int | None = None
    for_ever: bool = False
    resets: bool = False
    when: Callable[[Exception], object] | None = None
    delay_seconds: float = 0.0
    factor: float = 2.0
    max_delay_seconds: float = 60.0
    jitter: float = 0.0
    budget: int | None = None
    window_seconds: float = 60.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.times is None and self.for_ever is not True:
            raise ArgumentError(
                "RetryPolicy(times) needs the number of further attempts, got None; pass a number, or for_ever=True to "
                "set no limit"
            )
        if self.times is not None:
            if self.for_ever is not False:
                raise ArgumentError(
                    f"RetryPolicy() needs times or for_ever, got both: {self.times!r} and {self.for_ever!r}; leave out "
                    f"one"
                )
            checked_count(self.times, operator="RetryPolicy", name="times", at_least=1)
        if self.budget is not None:
            checked_count(self.budget, operator="RetryPolicy", name="budget", at_least=1, at_most=2**24)
        if self.when is not None:
            checked_callable(self.when, operator="RetryPolicy", name="when")
        for name, least, most in (
            ("delay_seconds", 0.0, LONGEST_SECONDS),
            ("factor", 1.0, LONGEST_SECONDS),
            ("max_delay_seconds", 0.0, LONGEST_SECONDS),
            ("jitter", 0.0, 1.0),
            ("window_seconds", 0.0, LONGEST_SECONDS),
        ):
            _checked_number(name, getattr(self, name), least, most)

    def delay(self, attempt: int, draw: Callable[[], float]) -> timedelta:
        """Return the delay before a further attempt, of which the first has the number 1."""
        try:
            grown = self.delay_seconds * self.factor ** (attempt - 1)
        except OverflowError:
            grown = self.max_delay_seconds if self.delay_seconds else 0.0
        seconds = min(grown, self.max_delay_seconds)
        return timedelta(seconds=seconds * (1.0 - self.jitter * draw()) if self.jitter else seconds)


def _checked_number(name: str, value: object, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(
            f"RetryPolicy({name}) needs a number, got {value!r} ({type(value).__name__}); pass e.g. {least + 0.5}"
        )
    if not least <= value <= most:
        raise ArgumentError(f"RetryPolicy({name}) needs a number from {least:g} to {most:g}, got {value!r}; pass one")


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """How an attempt ended, as tenacity's policies look at it: always by an error."""

    error: Exception
    failed: bool = True

    def exception(self) -> Exception:
        """Return the error."""
        return self.error

    def result(self) -> Any:
        """Raise the error: there is no result."""
        raise self.error


@dataclass(slots=True)
class AttemptState:
    """What tenacity's policies are told of an attempt: what they read of its `RetryCallState`."""

    attempt_number: int
    outcome: AttemptOutcome
    seconds_since_start: float
    idle_for: float
    upcoming_sleep: float = 0.0
    retry_object: Any = None
    fn: Any = None
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] | None = None
    next_action: Any = None


def is_foreign_policy(value: object) -> bool:
    """Return whether something has the three parts of tenacity's policies."""
    return all(callable(getattr(value, name, None)) for name in ("stop", "wait", "retry"))


def policy_run(policy: Any) -> Any:
    """Return what decides for one subscription."""
    return _PolicyRun(policy) if isinstance(policy, RetryPolicy) else _ForeignRun(policy)


class _PolicyRun:
    """State: how many attempts failed one after the other, and when those within the window began."""

    def __init__(self, policy: RetryPolicy) -> None:
        self.policy = policy
        self.needs_clock = policy.budget is not None
        self._attempts = 0
        self._begun: deque[datetime] = deque()
        self._draw = random.Random(policy.seed).random

    def start(self, now: datetime) -> None:
        """Do nothing: the window ends at present."""

    def decide(self, failed: int, passed: int, error: Exception, now: datetime | None) -> timedelta | None:
        """Return the delay before the next attempt; None: there is none."""
        policy = self.policy
        if policy.resets and passed:
            self._attempts = 0
        self._attempts += 1
        if policy.times is not None and self._attempts > policy.times:
            return None
        if policy.when is not None and not policy.when(error):
            return None
        if policy.budget is not None and now is not None:
            window = timedelta(seconds=policy.window_seconds)
            while self._begun and now - self._begun[0] >= window:
                self._begun.popleft()
            if len(self._begun) == policy.budget:
                return None
            self._begun.append(now)
        return policy.delay(self._attempts, self._draw)

    def save(self) -> list[Any]:
        """Return the state."""
        return [self._attempts, list(self._begun)]

    def restore(self, values: list[Any]) -> None:
        """Take what `save` returned."""
        match values:
            case [int(attempts), list()] if attempts >= 0 and all(map(_is_time, values[1])):
                self._attempts = attempts
                self._begun = deque(values[1])
            case _:
                raise _refused(values)


class _ForeignRun:
    """State: when the first attempt began, and how long it has waited."""

    needs_clock = True

    def __init__(self, policy: Any) -> None:
        self.policy = policy
        self._started: datetime | None = None
        self._idle_seconds = 0.0

    def start(self, now: datetime) -> None:
        """Note when the first attempt begins, unless a restored state says so."""
        if self._started is None:
            self._started = now

    def decide(self, failed: int, passed: int, error: Exception, now: datetime) -> timedelta | None:
        """Ask the policy, in the order in which tenacity does."""
        since = 0.0 if self._started is None else (now - self._started).total_seconds()
        state = AttemptState(failed, AttemptOutcome(error), since, self._idle_seconds, retry_object=self.policy)
        if not self.policy.retry(state):
            return None
        seconds: object = self.policy.wait(state)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not isfinite(seconds):
            raise ArgumentTypeError(
                f"retry(times) needs a policy whose wait() returns seconds, got {seconds!r} "
                f"({type(seconds).__name__}); pass one for functions that are not awaited"
            )
        state.upcoming_sleep = seconds = min(max(0.0, seconds), LONGEST_SECONDS)
        if self.policy.stop(state):
            return None
        self._idle_seconds += seconds
        return timedelta(seconds=seconds)

    def save(self) -> list[Any]:
        """Return the state."""
        return [self._started, self._idle_seconds]

    def restore(self, values: list[Any]) -> None:
        """Take what `save` returned."""
        match values:
            case [started, float(idle)] if _is_time(started) and isfinite(idle):
                self._started = started
                self._idle_seconds = idle
            case _:
                raise _refused(values)


def _is_time(value: object) -> bool:
    return isinstance(value, datetime) and value.utcoffset() is not None


def _refused(values: list[Any]) -> StateError:
    return StateError(
        f"the saved state of retry has {values!r:.200} for its policy, which is another one; load it with the policy "
        f"that it was saved with"
    )
