"""A client and server of Spark Connect killed in the midst of a sink's query: the next run writes each row once."""

import time
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import to_path
from tests.spark.in_process import SparkProcess
from tests.spark.sources.test_from_query import ROWS, write_file

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

DEADLINE_SECONDS = 90
FILES = 12


def query_over(spark: Any, base: str, trigger: str | None) -> Any:
    frame = spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1).json(f"{base}/in")
    return to_path(frame, f"{base}/out", checkpoint=f"{base}/checkpoint", trigger=trigger)


def start_query(spark: Any, base: str) -> bool:
    return bool(query_over(spark, base, None).is_active)


def end_query(spark: Any, base: str) -> list[int]:
    """Do what is left, and return the rows that are there then."""
    query_over(spark, base, "available_now").await_end(DEADLINE_SECONDS)
    return sorted(row.id for row in spark.read.parquet(f"{base}/out").collect())


def test_killed_client_and_server_are_followed_without_loss_or_repetition(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(FILES):
        write_file(tmp_path / "in", number)
    first = SparkProcess("connect")
    try:
        assert first.run(start_query, str(tmp_path))
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not (tmp_path / "checkpoint" / "commits" / "2").exists() and time.monotonic() < deadline:
            time.sleep(0.005)
        first.kill()
    finally:
        first.close()
    assert (tmp_path / "checkpoint" / "commits" / "2").exists()
    assert not (tmp_path / "checkpoint" / "commits" / str(FILES - 1)).exists()

    with SparkProcess("connect") as second:
        assert second.run(end_query, str(tmp_path)) == list(range(FILES * ROWS))
