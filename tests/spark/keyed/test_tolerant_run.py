"""The operators of one bucket where rows may fail, without Spark: states that are saved in between, and mismatches."""

import random
from typing import Any

import pytest

from reactivestreams.spark.keyed import tolerant_run
from reactivestreams.spark.keyed.router import RoutedElement
from reactivestreams.spark.keyed.tolerant_run import TolerantRun
from reactivestreams.spark.on_error.error_policy import DEAD_LETTER, SKIP, ErrorPolicy
from reactivestreams.spark.plan.pipeline_plan import expiry_of
from reactivestreams.stream import Pipeline, Stream, pipeline

pytestmark = pytest.mark.spark

Row = tuple[int, str, int]


def run_of(stages: Pipeline[Any, Any], state: bytes | None = None, *, counter: Any = None) -> TolerantRun:
    from pyspark.sql.types import StructType

    rows = StructType().add("id", "integer").add("key", "string").add("kind", "integer")
    result = StructType().add("key", "string").add("value", "integer")
    policy = ErrorPolicy(DEAD_LETTER if counter is None else SKIP, rows, result, "here", counter)
    return TolerantRun(stages, state, policy=policy, expiry=expiry_of(stages.operators[0]))


def routed(rows: list[Row]) -> list[RoutedElement]:
    return [(1, row[0], row, row) for row in rows]


def split(batches: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the results and the rows of the dead letters."""
    found = [pair for batch in batches for pair in batch.to_pylist()]
    results = [tuple(pair["result"].values()) for pair in found if pair["result"] is not None]
    letters = [tuple(pair["dead_letter"]["row"].values()) for pair in found if pair["dead_letter"] is not None]
    return results, letters


def fold(state: tuple[str, int], row: Row) -> tuple[str, int]:
    if row[2] == 1:
        raise ValueError("in the fold")
    return row[1], (state[1] * 31 + row[0]) % 1009


def shown(state: tuple[str, Any]) -> tuple[str, Any]:
    if state[1] % 17 == 3:
        raise LookupError("behind the state")
    return (state[0], "no number") if state[1] % 19 == 5 else state


def expected_of(rows: list[Row]) -> tuple[list[Any], list[Row]]:
    """Return what the run has to give, by the definition: a row that fails leaves the state as it was."""
    states: dict[str, tuple[str, int]] = {}
    results, letters = [], []
    for row in rows:
        try:
            state = fold(states.get(row[1], ("", 0)), row)
            result = shown(state)
            if isinstance(result[1], str):
                raise ValueError("does not fit")
        except (ValueError, LookupError):
            letters.append(row)
        else:
            states[row[1]] = state
            results.append(result)
    return results, letters


@pytest.mark.parametrize("saved_after", [1, 3, 10_000])
@pytest.mark.parametrize("form", ["keyed scan", "operators of each key"])
def test_rows_that_fail_leave_no_trace(
    monkeypatch: pytest.MonkeyPatch, depth: Any, form: str, saved_after: int
) -> None:
    monkeypatch.setattr(tolerant_run, "LEAST_SAVED_AFTER", saved_after)
    monkeypatch.setattr(tolerant_run, "BYTES_AN_ELEMENT", 10**9)
    key = pipeline().key_by(lambda row: row[1])
    inner = pipeline().scan(fold, ("", 0))
    stages = (key.scan(fold, ("", 0)) if form == "keyed scan" else key.through(inner)).map(shown)
    choose = random.Random(depth.seed)
    for _ in range(5):
        rows = [(number, choose.choice("abc"), choose.randrange(6)) for number in range(60)]
        first, second = run_of(stages), None
        try:
            batches = [*first.run(routed(rows[:35]))]
            second = run_of(stages, first.save())
            batches += [*second.run(routed(rows[35:]))]
        finally:
            first.close()
            if second is not None:
                second.close()

        results, letters = split(batches)
        assert results == expected_of(rows)[0]
        assert sorted(letters) == expected_of(rows)[1]


def test_without_rows_that_fail_it_gives_what_the_thread_gives() -> None:
    stages = pipeline().key_by(lambda row: row[1]).scan(fold, ("", 0))
    rows = [(number, "abc"[number % 3], 0) for number in range(50)]
    run = run_of(stages)

    results, letters = split([*run.run(routed(rows))])
    run.close()

    assert results == Stream.from_iterable(rows).through(stages).to_list()
    assert letters == []


@pytest.mark.parametrize("saved_after", [1, 3, 10_000])
def test_keys_that_end_by_time_end_as_without_the_rows_that_fail(
    monkeypatch: pytest.MonkeyPatch, depth: Any, saved_after: int
) -> None:
    monkeypatch.setattr(tolerant_run, "LEAST_SAVED_AFTER", saved_after)
    monkeypatch.setattr(tolerant_run, "BYTES_AN_ELEMENT", 10**9)
    totals = pipeline().scan(fold, ("", 0)).map(shown)
    stages = pipeline().key_by(lambda row: row[1]).expire_after(4, event_time=lambda row: row[0]).through(totals)
    choose = random.Random(depth.seed)
    for _ in range(5):
        rows = [(number + number // 9 * 6, choose.choice("abcd"), choose.randrange(6)) for number in range(60)]
        run = run_of(stages)
        results, letters = split([*run.run(routed(rows)), *run.finish()])
        run.close()

        good = [row for row in rows if row not in letters]
        assert letters != []
        assert results == Stream.from_iterable(good).through(stages).to_list()


class Count:
    """Stands for Spark's accumulator."""

    value = 0

    def add(self, number: int) -> None:
        self.value += number


def test_rows_that_fail_are_counted_in_place_of_dead_letters() -> None:
    stages = pipeline().key_by(lambda row: row[1]).scan(fold, ("", 0)).map(shown)
    rows = [(number, "abc"[number % 3], number % 6) for number in range(50)]
    count = Count()
    run = run_of(stages, counter=count)

    results = [tuple(row.values()) for batch in run.run(routed(rows)) for row in batch.to_pylist()]
    run.close()

    assert results == expected_of(rows)[0]
    assert count.value == len(expected_of(rows)[1])
