"""The private calls of PySpark: where they stand, that each can be made, and what is done without them."""

import ast
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from py4j.protocol import Py4JError, Py4JJavaError

from reactivestreams.spark import from_dataframe, jvm_calls
from reactivestreams.spark.sources.partition_jobs import ArrowPartitionJobs, PublicPartitionJobs, partition_jobs
from tests.spark.in_process import SparkProcess

pytestmark = pytest.mark.spark

SPARK = Path(jvm_calls.__file__).parent
PRIVATE_HERE = {"jvm_calls.py", "keyed/map_calls.py", "rows/arrow_values.py"}
OURS = {"_add", "_getframe", "_replace"}
"""Private names of this project and of Python."""


def private_names(tree: ast.AST) -> Iterator[str]:
    """Yield the private names of other objects that a file uses."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name):
                names = [name]
            case ast.ImportFrom(names=imported):
                names = [alias.name for alias in imported]
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]):
                names = [name]
            case _:
                continue
        yield from (name for name in names if name.startswith("_") and not name.startswith("__"))


def test_private_calls_of_spark_stand_in_three_files() -> None:
    found = {
        file.relative_to(SPARK).as_posix()
        for file in SPARK.rglob("*.py")
        if set(private_names(ast.parse(file.read_text(encoding="utf-8")))) - OURS
    }

    assert found == PRIVATE_HERE


def test_static_method_that_is_not_there_is_told(spark: Any) -> None:
    context = spark.sparkContext

    assert jvm_calls.static_method(context, "java.lang.Math", "abs")(-7) == 7
    assert jvm_calls.static_method(context, "java.lang.Math", "abs") is jvm_calls.static_method(
        context, "java.lang.Math", "abs"
    )
    with pytest.raises(Py4JError, match=r"java\.lang\.Math\.no_such does not exist in the JVM"):
        jvm_calls.static_method(context, "java.lang.Math", "no_such")


def test_session_shows_its_jvm_and_its_options(spark: Any) -> None:
    assert jvm_calls.has_jvm(spark)
    assert jvm_calls.has_gateway()
    assert jvm_calls.running_context() is spark.sparkContext
    assert not jvm_calls.is_context_stopped(spark)
    assert jvm_calls.is_context_stopped(SimpleNamespace(sparkContext=SimpleNamespace(_jsc=None)))  # type: ignore[arg-type]
    assert jvm_calls.hadoop_configuration(spark).get("fs.defaultFS") == "file:///"


def test_plan_is_shown_with_its_leaves(spark: Any) -> None:
    frame = spark.range(3).filter("id > 1")

    assert "== Analyzed Logical Plan ==" in jvm_calls.shown_plan(frame)
    assert [leaf.nodeName() for leaf in jvm_calls.plan_leaves(frame)] == ["Range"]


def test_partition_is_read_as_arrow(spark: Any) -> None:
    frame = spark.range(0, 6, 1, 3)
    rdd = jvm_calls.arrow_rdd(frame)

    assert rdd.getNumPartitions() == 3
    assert isinstance(partition_jobs(frame, "read"), ArrowPartitionJobs)
    (frame_bytes,) = jvm_calls.fetched_frames(spark.sparkContext, rdd, [1])
    assert len(frame_bytes) > 16


def test_calls_that_read_are_looked_for_once_a_session(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    has_arrow_calls = jvm_calls.has_arrow_calls

    def look(dataframe: Any) -> bool:
        looked.append(dataframe)
        return has_arrow_calls(dataframe)

    monkeypatch.setattr(jvm_calls, "has_arrow_calls", look)
    jvm_calls.readable.clear()

    assert [len(from_dataframe(spark.range(60)).to_list()) for _ in range(3)] == [60] * 3
    assert len(looked) == 1


def test_spark_without_the_calls_is_read_by_public_ones(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = spark.range(60)
    assert jvm_calls.has_arrow_calls(frame)
    monkeypatch.setattr(jvm_calls, "PYTHON_RDD", "org.apache.spark.api.python.NoSuchRDD")
    monkeypatch.setattr(jvm_calls, "readable", {})

    assert isinstance(partition_jobs(frame, "public"), PublicPartitionJobs)
    assert len(from_dataframe(frame).to_list()) == 60


def test_local_properties_are_carried_to_another_thread(spark: Any) -> None:
    context = spark.sparkContext
    context.setLocalProperty("spark.test.property", "here")
    properties = jvm_calls.local_properties(spark)
    context.setLocalProperty("spark.test.property", None)
    jvm_calls.set_local_properties(context, properties)

    assert context.getLocalProperty("spark.test.property") == "here"
    context.setLocalProperty("spark.test.property", None)
    jvm_calls.cancel_group(context, "a group without jobs")


def test_sleep_ends_when_its_thread_is_interrupted(spark: Any) -> None:
    context = spark.sparkContext
    wait = jvm_calls.sleeper(context)
    wait(0.01)
    jvm_calls.java_thread(context).interrupt()

    with pytest.raises(Py4JJavaError) as told:
        wait(60.0)
    assert told.value.java_exception.getClass().getSimpleName() == "InterruptedException"
    assert len(told.value.java_exception.getStackTrace()) == 0


def test_stream_thread_runs_as_long_as_its_query(spark: Any) -> None:
    query = spark.readStream.format("rate").load().writeStream.format("noop").start()
    try:
        thread = jvm_calls.stream_thread(query)
        assert thread.isAlive()
    finally:
        query.stop()
    thread.join(60_000)
    assert not thread.isAlive()


def connect_calls(session: Any) -> list[Any]:
    frame = session.range(3)
    return [
        jvm_calls.has_jvm(session),
        jvm_calls.default_connect_session(type(session)) is session,
        jvm_calls.endpoint_of(session).startswith("localhost:"),
        "Range" in jvm_calls.shown_plan(frame),
        jvm_calls.plan_leaves(frame),
    ]


def test_calls_of_a_session_of_connect(connect: SparkProcess) -> None:
    assert connect.run(connect_calls) == [False, True, True, True, []]


def released_batch(spark: Any, base: str) -> list[Any]:
    """Run a batch through Spark Connect, and return which DataFrame PySpark would remove before and after the call."""

    def release(dataframe: Any, _: int) -> None:
        before = dataframe._plan._relation_id
        release_batch(dataframe)
        Path(base, "found").write_text(f"{before is None} {dataframe._plan._relation_id}")

    release_batch = jvm_calls.batch_releaser()
    Path(base, "in").mkdir()
    Path(base, "in", "one.json").write_text('{"id": 1}')
    writer = spark.readStream.schema("id long").json(f"{base}/in").writeStream.foreachBatch(release)
    writer.option("checkpointLocation", f"{base}/checkpoint").trigger(availableNow=True).start().awaitTermination()
    return Path(base, "found").read_text().split()


def test_batch_of_connect_is_left_to_its_server(connect: SparkProcess, tmp_path: Path) -> None:
    assert connect.run(released_batch, str(tmp_path)) == ["False", "None"]
