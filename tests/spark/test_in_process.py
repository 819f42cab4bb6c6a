"""Functions of test modules run in processes of their own."""

import os
import sys
from typing import Any

import pytest

from tests.spark.in_process import ProcessFailureError, SparkProcess, run_in_process

pytestmark = pytest.mark.spark


def doubled(spark: Any, count: int) -> Any:
    import reactivestreams

    def double(batches: Any) -> Any:
        import pyarrow as pa

        import reactivestreams

        for batch in batches:
            ids = [2 * value for value in batch.column("id").to_pylist()]
            yield pa.record_batch(
                {
                    "id": ids,
                    "package": [reactivestreams.__file__] * len(ids),
                    "process": [os.environ.get("SPARK_EXECUTOR_DIRS", "")] * len(ids),
                }
            )

    frame = spark.range(count, numPartitions=2).mapInArrow(double, "id long, package string, process string")
    rows = frame.collect()
    return {
        "ids": sorted(row.id for row in rows),
        "packages": sorted({row.package for row in rows} - {reactivestreams.__file__}),
        "kind": type(spark).__module__,
    }


def printed(_: None, text: str) -> str:
    print(text)
    os.system("echo from a child")  # its standard output is that of the process
    return text


def failing(_: None) -> None:
    print("before the failure", file=sys.stderr)
    raise KeyError("nothing here")


def ending(_: None) -> None:
    os._exit(3)


def sleeping(_: None) -> None:
    import time

    time.sleep(60)


def test_cluster_runs_functions_on_executors_of_its_own(cluster: SparkProcess) -> None:
    assert cluster.run(doubled, 3) == {"ids": [0, 2, 4], "packages": [], "kind": "pyspark.sql.session"}


def test_connect_runs_functions_through_its_server(connect: SparkProcess) -> None:
    assert connect.run(doubled, 3) == {"ids": [0, 2, 4], "packages": [], "kind": "pyspark.sql.connect.session"}


def test_what_a_function_prints_does_not_mix_with_its_result() -> None:
    assert run_in_process(printed, "line\n", kind="none") == "line\n"


def test_failure_shows_the_traceback_and_the_process_goes_on() -> None:
    with SparkProcess("none") as process:
        with pytest.raises(ProcessFailureError, match=r"(?s)failing failed.*KeyError.*before the failure"):
            process.run(failing)

        assert process.run(printed, "more") == "more"


def test_end_of_the_process_is_told_with_its_status() -> None:
    with pytest.raises(ProcessFailureError, match="ending ended the none process, status 3"):
        run_in_process(ending, kind="none")


def test_time_out_kills_the_process() -> None:
    with SparkProcess("none") as process:
        with pytest.raises(ProcessFailureError, match="sleeping took too long"):
            process.run(sleeping, timeout_seconds=0.5)

        assert process.is_running is False or process._process.wait(10) != 0
