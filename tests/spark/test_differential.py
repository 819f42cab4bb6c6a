"""Generated pipelines give equal results in a thread, on local[2], on executors of their own, and through Connect."""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Depth
from tests.spark.generated_pipelines import (
    failed_on_spark,
    result_in_thread,
    result_on_spark,
    results_on_spark,
    skipped_on_spark,
    streamed_on_spark,
    streams_of_results,
)
from tests.spark.in_process import SparkProcess

pytestmark = pytest.mark.spark

PIPELINES = 9
PIPELINES_ELSEWHERE = 6


def seeds(depth: Depth, count: int) -> list[int]:
    """Return seeds of pipelines, other ones for another seed of the run."""
    first = sum(map(ord, str(depth.seed)))
    return list(range(first, first + depth.scaled(count)))


def test_pipelines_give_on_threads_of_spark_what_they_give_in_a_thread(spark: Any, depth: Depth) -> None:
    for seed in seeds(depth, PIPELINES):
        assert result_on_spark(spark, seed) == result_in_thread(seed), f"seed {seed}"


def test_streams_of_results_give_the_same(spark: Any, depth: Depth) -> None:
    for seed in seeds(depth, 2):
        assert streams_of_results(spark, seed) == result_in_thread(seed), f"seed {seed}"


def agree_with_thread(process: SparkProcess, chosen: list[int]) -> None:
    """Check pipelines in another process, one session for all."""
    there = process.run(results_on_spark, chosen, timeout_seconds=240)
    for seed in chosen:
        assert there[str(seed)] == result_in_thread(seed), f"{process.kind}, seed {seed}"


def test_pipelines_give_on_executors_of_their_own_what_they_give_in_a_thread(
    cluster: SparkProcess, depth: Depth
) -> None:
    agree_with_thread(cluster, seeds(depth, PIPELINES_ELSEWHERE))


def test_pipelines_give_through_connect_what_they_give_in_a_thread(connect: SparkProcess, depth: Depth) -> None:
    agree_with_thread(connect, seeds(depth, PIPELINES_ELSEWHERE))


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
