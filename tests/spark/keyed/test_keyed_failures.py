"""Rows that fail in keyed pipelines: the state of their key is what it would be without them."""

from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.errors import ArgumentError
from reactivestreams.spark import DeadLetterResult, PipelineError, SkippingResult, apply, pipeline_errors
from reactivestreams.stream import Pipeline, Stream, pipeline
from tests.spark.keyed.test_keyed_streaming import DIGEST, ROWS, Folder, digest, drained, made_rows

pytestmark = pytest.mark.spark

COUNT = 120
RESULTS = [*made_rows(COUNT)]


def is_bad(row: Any) -> bool:
    return bool(row[0] % 13 == 5)


GOOD = [row for row in RESULTS if not is_bad(row)]


def checked(row: Any) -> Any:
    """Give a number of a row; raise for the bad ones."""
    if is_bad(row):
        raise ValueError(f"bad row {row[0]}")
    return row[2]


def failing_digest(state: Any, row: Any) -> Any:
    checked(row)
    return digest(state, row)


def appending(state: list[Any] | None, row: Any) -> list[Any]:
    """Change the state in place, and raise afterwards."""
    state = [] if state is None else state
    state.append(row[0])
    checked(row)
    return state


def by_key(row: Any) -> Any:
    return row[1]


def checked_key(row: Any) -> Any:
    checked(row)
    return row[1]


KEYED = pipeline().key_by(by_key)
PIPELINES: dict[str, tuple[Pipeline[Any, Any], str, str]] = {
    "scan": (KEYED.scan(failing_digest, ("", 0, 7)), DIGEST, "keyed_scan"),
    "reduce": (KEYED.reduce(lambda worst, row: max(worst, checked(row)), 0), "key string, worst int", "keyed_reduce"),
    "aggregate": (
        KEYED.aggregate(mean=("mean", checked)).map(itemgetter("key", "mean")),
        "k string, m double",
        "keyed_aggregate",
    ),
    "count behind a map": (
        pipeline().map(lambda row: (row[0], row[1], checked(row))).key_by(by_key).count(),
        "key string, n int",
        "map",
    ),
    "key function": (pipeline().key_by(checked_key).scan(digest, ("", 0, 7)), DIGEST, "keyed_scan"),
    "operators of each key": (
        KEYED.through(pipeline().skip(1).filter(lambda row: checked(row) > 20).take(70)),
        "id bigint, key string, number bigint, at double",
        "filter",
    ),
    "distinct": (KEYED.distinct(lambda row: checked(row) % 9), ROWS, "keyed_distinct"),
    "map behind the state": (
        KEYED.scan(digest, ("", 0, 7)).map(lambda state: (*state[:2], checked((state[1], "", state[2])))),
        DIGEST,
        "map",
    ),
    "result that does not fit": (
        KEYED.scan(digest, ("", 0, 7)).map(lambda state: (*state[:2], "bad" if is_bad(state[1:]) else state[2])),
        DIGEST,
        "apply",
    ),
    "changed in place": (
        KEYED.through(pipeline().scan(appending, None).map(lambda seen: (seen[-1], len(seen)))),
        "id bigint, n int",
        "scan",
    ),
}

BAD = [row for row in RESULTS if is_bad(row)]


@pytest.mark.parametrize("name", PIPELINES)
def test_batch_gives_what_the_thread_gives_without_the_rows_that_fail(spark: Any, name: str) -> None:
    stages, schema, operator = PIPELINES[name]
    frame = spark.createDataFrame(RESULTS[::-1], ROWS).repartition(2)

    outcome = apply(stages, frame, schema=schema, as_="tuples", order_by="id", buckets=3, on_error="dead_letter")

    assert isinstance(outcome, DeadLetterResult)
    combined = outcome.combined.persist()
    parts = DeadLetterResult.split(combined)
    there = [tuple(row) for row in parts.results.collect()]
    letters = parts.dead_letters.orderBy("row.id").collect()
    combined.unpersist()
    assert sorted(there) == sorted(Stream.from_iterable(GOOD).through(stages).to_list())
    assert [tuple(letter.row) for letter in letters] == BAD
    assert {letter.operator for letter in letters} == {operator}


def test_dead_letter_of_a_keyed_row_tells_where_it_was_read(spark: Any) -> None:
    stages = pipeline().map(lambda row: (row.id, row.id % 3)).key_by(itemgetter(1)).scan(failing_digest_of_pairs, 0)
    frame = spark.range(0, 20, 1, 2)

    outcome = apply(
        stages.map(lambda total: (total,)), frame, schema="n int", buckets=2, order_by="id", on_error="skip"
    )
    assert isinstance(outcome, SkippingResult)
    assert (outcome.results.count(), outcome.skipped.count) == (18, 2)

    letters = apply(
        stages.map(lambda total: (total,)), frame, schema="n int", buckets=2, order_by="id", on_error="dead_letter"
    ).dead_letters.orderBy("row.id")
    first, second = letters.collect()
    assert (first.row.id, first.partition, first.row_number, first.element) == (5, 0, 5, "(5, 2)")
    assert (second.row.id, second.partition, second.row_number) == (15, 1, 5)
    assert (first.error, first.message, first.operator) == ("LookupError", "no fives", "keyed_scan")
    assert first.line == str(stages.operators[1].assembly)


def failing_digest_of_pairs(total: int, pair: tuple[int, int]) -> int:
    if pair[0] % 10 == 5:
        raise LookupError("no fives")
    return total


@pytest.fixture
def folder(spark: Any, tmp_path: Path) -> Folder:
    made = Folder(spark, tmp_path / "in")
    for start in range(0, COUNT, 40):
        made.write(RESULTS[start : start + 40][::-1])
    return made


@pytest.mark.parametrize("name", ["scan", "key function", "count behind a map"])
def test_micro_batches_give_what_the_thread_gives_without_the_rows_that_fail(
    folder: Folder, tmp_path: Path, name: str
) -> None:
    stages, schema, _ = PIPELINES[name]
    if name == "count behind a map":  # a stream has no end, so its keys end by their times
        of_id = pipeline().map(lambda row: (row[0], row[1], checked(row))).key_by(by_key)
        stages = of_id.expire_after(5, event_time=itemgetter(0)).count()

    outcome = apply(
        stages, folder.stream(), schema=schema, as_="tuples", order_by="id", buckets=3, on_error="dead_letter"
    )
    rows = drained(outcome.combined, tmp_path / "checkpoint", tmp_path / "out")

    letters = [tuple(letter.row) for _, letter in rows if letter is not None]
    there = [tuple(result) for result, _ in rows if result is not None]
    expected = Stream.from_iterable(GOOD).through(stages).to_list()
    assert sorted(letters) == BAD
    if name == "count behind a map":
        # Keys that are open still are told by the thread at its end alone.
        assert there != []
        assert all(result in expected for result in there)
    else:
        assert sorted(there) == sorted(expected)


def test_state_is_that_of_a_query_that_fails_on_no_row(folder: Folder, tmp_path: Path) -> None:
    stages = PIPELINES["scan"][0]
    outcome = apply(stages, folder.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=3, on_error="skip")
    before = drained(outcome.results, tmp_path / "checkpoint", tmp_path / "out")
    assert outcome.skipped.count == len(BAD)

    later = [row for row in made_rows(COUNT + 40)[COUNT:] if not is_bad(row)]
    folder.write(later)
    plain = apply(stages, folder.stream(), schema=DIGEST, as_="tuples", order_by="id", buckets=3)
    everything = drained(plain, tmp_path / "checkpoint", tmp_path / "out")

    expected = Stream.from_iterable([*GOOD, *later]).through(stages).to_list()
    assert sorted(before) == sorted(expected[: len(GOOD)])
    assert sorted(everything) == sorted(expected)


def test_failure_at_the_end_of_a_key_is_no_row_s(spark: Any) -> None:
    stages = KEYED.reduce(lambda total, row: total + row[2], 0).map(lambda result: (result[0], 1 // 0))
    frame = spark.createDataFrame(RESULTS, ROWS)

    with pytest.raises(PipelineError, match=r"operator map.* ZeroDivisionError"), pipeline_errors():
        apply(
            stages, frame, schema="key string, n int", as_="tuples", order_by="id", on_error="dead_letter"
        ).combined.collect()


def test_key_too_many_is_no_row_s(spark: Any) -> None:
    stages = pipeline().key_by(itemgetter(0), max_keys=3).scan(digest, ("", 0, 7))
    frame = spark.createDataFrame(RESULTS, ROWS)

    with pytest.raises(PipelineError, match="max_keys=3"), pipeline_errors():
        apply(stages, frame, schema=DIGEST, as_="tuples", order_by="id", buckets=1, on_error="skip").results.collect()


@pytest.mark.parametrize(
    ("stages", "complaint"),
    [
        (
            KEYED.scan(digest, ("", 0, 7)).key_by(itemgetter(0)).count(),
            "keyed operator keyed_count, built at .*, which is the second one",
        ),
        (pipeline().take(3).key_by(len).count(), "operator take, built at .*, which has a state"),
        (KEYED.count().skip(1), "operator skip, built at .*, which has state but no key"),
        (KEYED.expire_after(5).count(), r"expire_after\(\) by the clock"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_cannot_be_taken_back_is_refused(spark: Any, stages: Any, complaint: str) -> None:
    with pytest.raises(ArgumentError, match=f"on_error='skip' cannot go with .*{complaint}"):
        apply(stages, spark.createDataFrame(RESULTS, ROWS), schema=DIGEST, on_error="skip")
