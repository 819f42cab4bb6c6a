"""Generated pipelines give equal results in a thread, on local[2], on executors of their own, and through Connect."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Depth
from tests.spark.generated_pipelines import (
    check_results,
    failed_on_spark,
    is_streamable,
    result_before_the_end,
    result_in_stream,
    results_on_spark,
    seeds_of_run,
    skipped_on_spark,
    streamed_on_spark,
    streams_of_results,
)
from tests.spark.in_process import SparkProcess
from tests.spark.operator_deck import ROUND, made

pytestmark = pytest.mark.spark

STREAMED = 2


def rounds(depth: Depth) -> Iterator[list[int]]:
    """Yield the seeds of each round, which are one job."""
    seeds = seeds_of_run(depth)
    for first in range(0, len(seeds), ROUND):
        yield seeds[first : first + ROUND]


def test_pipelines_give_on_threads_of_spark_what_they_give_in_a_thread(spark: Any, depth: Depth) -> None:
    for seeds in rounds(depth):
        check_results(results_on_spark(spark, seeds))


def test_streams_of_results_give_the_same(spark: Any, depth: Depth) -> None:
    for seed in seeds_of_run(depth)[:: ROUND // 2]:
        check_results({str(seed): streams_of_results(spark, seed)})


def test_pipelines_give_on_executors_of_their_own_what_they_give_in_a_thread(
    cluster: SparkProcess, depth: Depth
) -> None:
    for seeds in rounds(depth):
        check_results(cluster.run(results_on_spark, seeds, timeout_seconds=240))


def test_pipelines_give_through_connect_what_they_give_in_a_thread(connect: SparkProcess, depth: Depth) -> None:
    for seeds in rounds(depth):
        check_results(connect.run(results_on_spark, seeds, timeout_seconds=240))


def test_keyed_pipelines_give_in_a_stream_what_they_give_in_a_thread(spark: Any, depth: Depth, tmp_path: Path) -> None:
    chosen = [seed for seed in seeds_of_run(depth) if is_streamable(seed)]
    for seed in chosen[: depth.scaled(STREAMED)]:
        there = result_in_stream(spark, seed, str(tmp_path / str(seed)))
        assert there == result_before_the_end(seed), f"seed {seed}: {made(seed).text}"


NOT_FIVES = [number for number in range(20) if number % 5]


def check_policies(found: dict[str, Any]) -> None:
    """Check what the policies for failing rows gave."""
    assert found == {
        "before": 0,
        "rows": NOT_FIVES,
        "skipped": 4,
        "results": NOT_FIVES,
        "dead": [[number, "map", "ZeroDivisionError"] for number in (0, 5, 10, 15)],
    }


def test_policies_for_failing_rows_are_the_same_everywhere(
    spark: Any, cluster: SparkProcess, connect: SparkProcess
) -> None:
    check_policies(skipped_on_spark(spark))
    check_policies(cluster.run(skipped_on_spark))
    check_policies(connect.run(skipped_on_spark))


def test_error_of_an_operator_is_the_same_everywhere(spark: Any, cluster: SparkProcess, connect: SparkProcess) -> None:
    expected = {
        "operator": "map",
        "row": "Row(id=13)",
        "cause": "ZeroDivisionError: integer division or modulo by zero",
        "number": 3,
    }
    assert failed_on_spark(spark) == expected
    assert cluster.run(failed_on_spark) == expected
    assert connect.run(failed_on_spark) == expected


def test_streaming_query_skips_and_counts_through_connect(connect: SparkProcess, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    lines = "".join(f'{{"number": {number}}}\n' for number in range(20))
    (tmp_path / "in" / "1.json").write_text(lines, encoding="utf-8")

    found = connect.run(streamed_on_spark, str(tmp_path))

    assert found == {"numbers": NOT_FIVES, "skipped": 4}
