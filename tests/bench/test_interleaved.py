"""The harness of the benchmarks: who is timed when, and what is made of the figures."""

import gc

import pytest

from bench.interleaved import LEAST_ROUNDS, Case, Ratio, compare, measure


class Clock:
    """Advances by a nanosecond at each look."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        self.now += 1
        return self.now


def recording(name: str, runs: list[str]) -> Case:
    return Case(name, lambda: runs.append(name), operations=1, clock=Clock())


def test_every_round_runs_every_case_once_in_another_order() -> None:
    runs: list[str] = []
    groups = [[recording("a", runs), recording("b", runs)], [recording("c", runs)]]
    measure(groups, rounds=LEAST_ROUNDS)
    rounds = ["".join(runs[start : start + 3]) for start in range(3, len(runs), 3)]
    assert runs[:3] == ["a", "b", "c"]  # untimed
    assert rounds == ["abc", "cba", "abc", "cba", "abc", "cba", "abc"]


def test_timings_are_nanoseconds_of_one_operation() -> None:
    case = Case("ten", lambda: None, operations=10, clock=Clock())
    assert measure([[case]], rounds=LEAST_ROUNDS) == {case: [0.1] * LEAST_ROUNDS}


def test_collector_is_off_while_a_case_runs_and_on_afterwards() -> None:
    seen: list[bool] = []
    measure([[Case("look", lambda: seen.append(gc.isenabled()), operations=1)]], rounds=LEAST_ROUNDS)
    assert (seen[1:], gc.isenabled()) == ([False] * LEAST_ROUNDS, True)


def test_case_that_fails_leaves_the_collector_on() -> None:
    remaining = iter([None, None])

    def fail_in_the_second_round() -> None:
        next(remaining)

    with pytest.raises(StopIteration):
        measure([[Case("fails", fail_in_the_second_round, operations=1)]], rounds=LEAST_ROUNDS)
    assert gc.isenabled()


def test_progress_is_told_after_each_round() -> None:
    told: list[tuple[int, int]] = []
    measure([[recording("a", [])]], rounds=LEAST_ROUNDS, on_round=lambda *progress: told.append(progress))
    assert told == [(number, LEAST_ROUNDS) for number in range(1, LEAST_ROUNDS + 1)]


def test_too_few_rounds_are_refused() -> None:
    with pytest.raises(ValueError, match="6 rounds are too few"):
        measure([], rounds=LEAST_ROUNDS - 1)


def test_ratio_is_of_the_minima_and_of_the_pairs() -> None:
    assert compare([3.0, 2.0, 8.0], [1.0, 4.0, 2.0]) == Ratio(of_minima=2.0, median_of_pairs=3.0)
