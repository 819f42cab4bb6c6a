"""All rows of a large DataFrame have one key: its task reads them in runs, and never holds all of them as objects."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import apply
from reactivestreams.stream import pipeline

pytestmark = [pytest.mark.spark, pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")]

ROWS = 300_000
OBJECT_BYTES = 250
"""Least that a row takes as objects: 100 characters in a text of their own, in a Row, with a number."""

SCHEMA = "count int, most long"


def held() -> int:
    """Return how many bytes of memory this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def observed(seen: tuple[int, int], row: Any) -> tuple[int, int]:
    """Count the rows, with the most memory that the worker held."""
    count, most = seen
    return count + 1, most if count % 5_000 else max(most, held())


@pytest.fixture(scope="module")
def folder(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder with the rows."""
    path = str(tmp_path_factory.mktemp("hot") / "rows")
    spark.range(0, ROWS, 1, 1).selectExpr("id", "repeat(char(65 + id % 26), 100) AS text").write.parquet(path)
    return path


def test_task_of_a_batch_does_not_hold_all_rows_of_a_key(spark: Any, folder: str) -> None:
    stages = pipeline().key_by(lambda row: 0).reduce(observed, (0, 0)).map(lambda result: result[1])
    rows = spark.read.parquet(folder)

    ((_, before),) = apply(stages, rows.limit(1), schema=SCHEMA, order_by="id", buckets=1).collect()
    ((count, most),) = apply(stages, rows, schema=SCHEMA, order_by="id", buckets=1).collect()

    assert count == ROWS
    assert most - before < ROWS * OBJECT_BYTES / 3
