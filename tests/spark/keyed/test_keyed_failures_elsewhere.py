"""Failing rows of keyed pipelines on executors of their own and through Connect: as in a thread without them."""

import os
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import DeadLetterResult, SkippingResult, apply
from reactivestreams.stream import Stream, pipeline
from tests.spark.in_process import SparkProcess
from tests.spark.keyed.test_keyed_streaming import DIGEST, ROWS, RowFiles, digest, made_rows

pytestmark = pytest.mark.spark

RESULTS = made_rows(120)
DEADLINE_SECONDS = 90
PLACES = ("map", "key", "fold", "behind", "schema")
OPERATORS = {"map": "map", "key": "keyed_scan", "fold": "keyed_scan", "behind": "map", "schema": "apply"}


def place_of_failure(number: int) -> str | None:
    """Return where the row with a number fails; None where it does not."""
    return PLACES[number // 5 % len(PLACES)] if number % 5 == 3 else None


def fail_at(place: str, number: int) -> None:
    """Fail where a row has to, and tell which executor this is."""
    if place_of_failure(number) == place:
        raise LookupError(f"{place}, {os.environ.get('SPARK_EXECUTOR_DIRS', '')}")


def before(row: Any) -> Any:
    fail_at("map", row[0])
    return row


def key(row: Any) -> Any:
    fail_at("key", row[0])
    return row[1]


def fold(state: Any, row: Any) -> Any:
    fail_at("fold", row[0])
    return digest(state, row)


def behind(state: Any) -> Any:
    fail_at("behind", state[1])
    return (*state[:2], "no number") if place_of_failure(state[1]) == "schema" else state


STAGES = pipeline().map(before).key_by(key).scan(fold, ("", 0, 7)).map(behind)
GOOD = [row for row in RESULTS if place_of_failure(row[0]) is None]
FAILED = [(row[0], OPERATORS[place]) for row in RESULTS if (place := place_of_failure(row[0])) is not None]


# --- these functions run in the processes of the fixtures `cluster` and `connect` -------------------------------------


def told(letters: list[Any]) -> dict[str, Any]:
    """Return rows and operators of dead letters, and how many executors failed before the keys and behind them."""
    messages = {tuple(letter.message.split(", ")) for letter in letters if letter.operator != "apply"}
    executors = [len({where for place, where in messages if place in step}) for step in (PLACES[:2], PLACES[2:])]
    return {"failed": sorted((letter.row.id, letter.operator) for letter in letters), "executors": executors}


def of_batch(spark: Any, folder: str) -> dict[str, Any]:
    """Skip and collect the failing rows of a batch DataFrame."""
    frame = spark.read.schema(ROWS).parquet(folder)
    arguments: dict[str, Any] = {"schema": DIGEST, "as_": "tuples", "order_by": "id", "buckets": 2}
    skipping = apply(STAGES, frame, **arguments, on_error="skip")
    rows = sorted(map(tuple, skipping.results.collect()))
    collected = apply(STAGES, frame, **arguments, on_error="dead_letter")
    letters = told(collected.dead_letters.collect())
    same = sorted(map(tuple, collected.results.collect())) == rows
    return {"rows": rows, "same": same, "skipped": skipping.skipped.count, **letters}


def of_stream(spark: Any, base: str, policy: Any) -> dict[str, Any]:
    """Skip or collect the failing rows of a stream, two files in each micro-batch."""
    frame = spark.readStream.schema(ROWS).option("maxFilesPerTrigger", 2).parquet(f"{base}/in")
    outcome = apply(STAGES, frame, schema=DIGEST, as_="tuples", order_by="id", buckets=4, on_error=policy)
    written = outcome.results if isinstance(outcome, SkippingResult) else outcome.combined
    partitions = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    try:
        writer = written.writeStream.format("parquet").trigger(availableNow=True)
        query = writer.option("checkpointLocation", f"{base}/checkpoint-{policy}").start(f"{base}/{policy}")
        assert query.awaitTermination(DEADLINE_SECONDS)
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", partitions)
    there = spark.read.schema(written.schema).parquet(f"{base}/{policy}")
    if isinstance(outcome, SkippingResult):
        try:
            skipped = outcome.skipped.count
        except ValueError:  # through Connect each query counts for itself
            skipped = sum(outcome.skipped.count_in(progress) for progress in query.recentProgress)
        return {"rows": sorted(map(tuple, there.collect())), "skipped": skipped}
    parts = DeadLetterResult.split(there)
    return {"rows": sorted(map(tuple, parts.results.collect())), **told(parts.dead_letters.collect())}


# --- the tests --------------------------------------------------------------------------------------------------------


def as_lists(pairs: Any) -> list[list[Any]]:
    """Return tuples as JSON has them."""
    return sorted(map(list, pairs))


EXPECTED = as_lists(Stream.from_iterable(GOOD).through(STAGES).to_list())


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with four files below `in`, rows of each kind of failure in each half."""
    made = RowFiles(tmp_path / "in")
    for start in range(0, 120, 30):
        made.write(RESULTS[start : start + 30][::-1])
    return tmp_path


@pytest.mark.parametrize("kind", ["cluster", "connect"])
def test_batch_gives_elsewhere_what_the_thread_gives(request: pytest.FixtureRequest, files: Path, kind: str) -> None:
    process: SparkProcess = request.getfixturevalue(kind)

    found = process.run(of_batch, str(files / "in"), timeout_seconds=240)

    executors = found.pop("executors")
    assert found == {"rows": EXPECTED, "same": True, "skipped": len(FAILED), "failed": as_lists(FAILED)}
    if kind == "cluster":
        assert executors == [2, 2]


@pytest.mark.parametrize("kind", ["cluster", "connect"])
def test_micro_batches_give_elsewhere_what_the_thread_gives(
    request: pytest.FixtureRequest, files: Path, kind: str
) -> None:
    process: SparkProcess = request.getfixturevalue(kind)

    collected = process.run(of_stream, str(files), "dead_letter")
    skipping = process.run(of_stream, str(files), "skip")

    executors = collected.pop("executors")
    assert collected == {"rows": EXPECTED, "failed": as_lists(FAILED)}
    assert skipping == {"rows": EXPECTED, "skipped": len(FAILED)}
    if kind == "cluster":
        assert executors == [2, 2]
