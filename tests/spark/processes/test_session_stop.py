"""A session that is stopped under what reads from it and writes with it: short errors, and nothing is left."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException

from reactivestreams.dropped import set_hook
from reactivestreams.spark import for_each_batch, from_dataframe, from_query, session, to_path
from reactivestreams.spark.sinks.running_query import QUERY_CUT_OFF
from reactivestreams.spark.sources import connect_batches
from tests.spark.in_process import CONFIG, SparkProcess
from tests.spark.sources.test_from_dataframe_connect import without_end
from tests.spark.sources.test_from_query import ROWS, Reader, wait_for, write_file

pytestmark = [pytest.mark.spark, pytest.mark.slow]

WAIT_SECONDS = 60.0
FILES = 3
DATAFRAME_STOPPED = "the Spark session of this DataFrame was stopped; make the DataFrame again in a running session"


@pytest.fixture(scope="module")
def process() -> Iterator[SparkProcess]:
    """A process whose functions start sessions of their own: a stop ends the one that others share."""
    with SparkProcess("none") as running:
        yield running


# --- these functions run in that process ------------------------------------------------------------------------------


def started() -> Any:
    return session("local[2]", fast=True, config=CONFIG)


def files_in(spark: Any, folder: Path) -> Any:
    """Return the streaming DataFrame over the files of a folder, one a micro-batch."""
    if not folder.exists():
        folder.mkdir()
        for number in range(FILES):
            write_file(folder, number)
    return spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1).json(str(folder))


def slowly(frame: Any) -> Any:
    """Return a DataFrame whose rows take a second each."""
    from pyspark.sql.functions import udf

    def wait(value: int) -> int:
        time.sleep(1.0)
        return value

    return frame.withColumn("id", udf(wait, "long")("id"))


def running_jobs(spark: Any) -> bool:
    return bool(spark.sparkContext.statusTracker().getActiveJobsIds())


def in_thread(call: Callable[..., Any], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=call, args=arguments)
    thread.start()
    return thread


def threads_left(spark: Any) -> list[str]:
    """Return the threads that reading and writing leave, here and in the JVM."""
    wanted = ("reactivestreams-", "stream execution")
    here = [thread.name for thread in threading.enumerate()]
    # A stream thread that has been told to end needs a moment for it.
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        there = [thread.getName() for thread in spark.sparkContext._jvm.Thread.getAllStackTraces().keySet()]
        left = [name for name in (*here, *there) if name.startswith(wanted)]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.02)


def stop_under(spark: Any, stream: Any, checkpoint: Path, moment: str, is_computing: Callable[[], bool]) -> Reader:
    """Stop a session at a moment of a query's subscription, and return the reader when it was told."""
    reader = Reader()
    stream.subscribe(reader)
    demand = in_thread(reader.subscription.request, 2 if moment == "waiting for demand" else 2**62)
    if moment == "waiting for rows":
        wait_for((checkpoint / "commits" / str(FILES - 1)).exists)
    elif moment == "computing":
        wait_for(is_computing)
    else:
        demand.join(WAIT_SECONDS)

    spark.stop()
    if moment == "waiting for demand":
        demand = in_thread(reader.subscription.request, 2**61)
    reader.ended.wait(WAIT_SECONDS)
    demand.join(WAIT_SECONDS)
    return reader


def query_under(_: None, base: str, moment: str) -> dict[str, Any]:
    """Stop the session under the subscriber of a query, then read what is left in another session."""
    spark, incoming, checkpoint = started(), Path(base) / "incoming", Path(base) / "checkpoint"
    frame = files_in(spark, incoming)
    stream = from_query(slowly(frame) if moment == "computing" else frame, checkpoint=checkpoint, as_="tuples")
    reader = stop_under(spark, stream, checkpoint, moment, lambda: running_jobs(spark))
    again = started()
    rest = from_query(files_in(again, incoming), checkpoint=checkpoint, as_="tuples", trigger="available_now").to_list()
    found = {
        "end": [type(reader.end).__name__, str(reader.end)],
        "rest": [row[0] for row in rest],
        "left": threads_left(again),
    }
    again.stop()
    return found


def dataframe_under(_: None, moment: str) -> dict[str, Any]:
    """Stop the session under the subscriber of a DataFrame; where it leaves, say what was dropped."""
    spark, dropped = started(), []
    frame = spark.range(0, 40, 1, 20)
    if moment == "leaving":
        previous = set_hook(lambda signal, value, *, origin: dropped.append(f"{signal} {value} {origin}"))
        iterator = iter(from_dataframe(frame))
        next(iterator)
        spark.stop()
        iterator.close()
        set_hook(previous)
        return {"dropped": dropped, "left": threads_left(spark)}
    reader = Reader()
    from_dataframe(slowly(frame) if moment == "computing" else frame).subscribe(reader)
    if moment == "computing":
        demand = in_thread(reader.subscription.request, 2**62)
        wait_for(lambda: running_jobs(spark))
    else:
        reader.subscription.request(1)
    spark.stop()
    if moment != "computing":
        demand = in_thread(reader.subscription.request, 2**61)
    reader.ended.wait(WAIT_SECONDS)
    demand.join(WAIT_SECONDS)
    return {"end": [type(reader.end).__name__, str(reader.end)], "left": threads_left(spark)}


def sink_under(_: None, base: str, moment: str) -> dict[str, Any]:
    """Stop the session under a sink, while somebody waits for its end, and end the query in another session."""
    spark, checkpoint = started(), Path(base) / "checkpoint"
    at_work, go_on = threading.Event(), threading.Event()

    def take(batch_id: int, batches: Any) -> None:
        at_work.set()
        if moment == "in the function":
            go_on.wait(WAIT_SECONDS)

    frame = files_in(spark, Path(base) / "incoming")
    if moment == "writing":
        query = to_path(slowly(frame), Path(base) / "out", checkpoint=checkpoint)
        wait_for(lambda: running_jobs(spark))
    else:
        query = for_each_batch(frame, take, checkpoint=checkpoint)
        at_work.wait(WAIT_SECONDS)
        if moment == "waiting for rows":
            query.query.processAllAvailable()
    ends: list[Any] = []

    def await_end() -> None:
        try:
            ends.append(["ended", str(query.await_end())])
        except Exception as error:
            ends.append([type(error).__name__, str(error)])

    waiter = in_thread(await_end)
    spark.stop()
    go_on.set()
    waiter.join(WAIT_SECONDS)
    query.stop()
    found = {"ends": ends, "is_active": query.is_active, "error": type(query.error).__name__, "repr": repr(query)}

    again = started()
    frame = files_in(again, Path(base) / "incoming")
    if moment == "writing":
        second = to_path(frame, Path(base) / "out", checkpoint=checkpoint, trigger="available_now")
        second.await_end(WAIT_SECONDS)
        found["rows"] = sorted(row.id for row in again.read.parquet(f"{base}/out").collect())
    else:
        second = for_each_batch(frame, take, checkpoint=checkpoint, trigger="available_now")
        second.await_end(WAIT_SECONDS)
    found["left"] = threads_left(again)
    again.stop()
    return found


def sink_that_ended_before(_: None, base: str) -> dict[str, Any]:
    """Stop the session after the end of two queries: one has failed, one has done all there was."""
    spark, incoming = started(), Path(base) / "incoming"

    def fail(batch_id: int, batches: Any) -> None:
        raise LookupError("no such airport")

    failed = for_each_batch(files_in(spark, incoming), fail, checkpoint=Path(base) / "a", trigger="available_now")
    done = for_each_batch(
        files_in(spark, incoming), lambda *_: None, checkpoint=Path(base) / "b", trigger="available_now"
    )
    wait_for(lambda: not (failed.is_active or done.is_active))
    spark.stop()
    return {"done": done.await_end(), "failed": str(failed.error)}


def connect_under(_: None, base: str) -> dict[str, Any]:
    """Stop a session of Spark Connect under a sink and under the subscriber of a DataFrame."""
    spark = session("local[2]", fast=True, config=CONFIG, connect=True)
    query = to_path(files_in(spark, Path(base) / "incoming"), Path(base) / "out", checkpoint=Path(base) / "checkpoint")
    iterator = iter(from_dataframe(without_end(spark)))
    next(iterator)
    ends: list[str] = []

    def await_end() -> None:
        try:
            ends.append(str(query.await_end()))
        except Exception as error:
            ends.append(f"{type(error).__name__}: {error}")

    def read() -> None:
        try:
            ends.append(str(sum(1 for _ in iterator)))
        except Exception as error:
            ends.append(type(error).__name__)

    threads = [in_thread(await_end), in_thread(read)]
    spark.stop()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    query.stop()
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-")]
    return {"ends": sorted(ends), "is_active": query.is_active, "left": left}


def connect_query_under(_: None, base: str, moment: str) -> dict[str, Any]:
    """Stop a session of Spark Connect under the subscriber of a query, then read what is left in another one."""
    settings: dict[str, Any] = {"fast": True, "config": CONFIG, "connect": True}
    spark, incoming, checkpoint = session("local[2]", **settings), Path(base) / "incoming", Path(base) / "checkpoint"
    frame = files_in(spark, incoming)
    stream = from_query(slowly(frame) if moment == "computing" else frame, checkpoint=checkpoint, as_="tuples")
    has_begun = (checkpoint / "offsets" / "0").exists
    reader = stop_under(spark, stream, checkpoint, moment, has_begun)
    left = [thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-")]
    again = session("local[2]", **settings)
    rest = from_query(files_in(again, incoming), checkpoint=checkpoint, as_="tuples", trigger="available_now").to_list()
    again.stop()
    return {"end": [type(reader.end).__name__, str(reader.end)], "rest": [row[0] for row in rest], "left": left}


def closing_slowly(_: None, base: str) -> dict[str, str]:
    """Close the channel of a session of Spark Connect, as stop() does before it says that the session is stopped."""
    spark = session("local[2]", fast=True, config=CONFIG, connect=True)
    query = to_path(files_in(spark, Path(base) / "incoming"), Path(base) / "out", checkpoint=Path(base) / "checkpoint")
    partitions = iter(from_dataframe(without_end(spark)))
    next(partitions)
    spark.client._channel.close()
    ends = {"running call": end_of(partitions), "later call": str(query.error)}
    spark.stop()
    return ends


def end_of(iterator: Iterator[Any]) -> str:
    """Read an iterator to its end, and say what it raised."""
    try:
        return str(sum(1 for _ in iterator))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def held_longer_than_a_session_lives(_: None, base: str) -> list[Any]:
    """Read a batch of Spark Connect, wait until a session that nobody uses has expired, and read on."""
    import grpc
    from pyspark import SparkContext

    manager = "spark.connect.session.manager"
    spark = session("local[2]", fast=True, config={**CONFIG, f"{manager}.maintenanceInterval": "1s"}, connect=True)
    idle = spark.cloneSession()
    idle.range(1).collect()
    connect_batches.BEAT_SECONDS = 0.5
    iterator = iter(
        from_query(
            files_in(spark, Path(base) / "incoming"),
            checkpoint=Path(base) / "checkpoint",
            as_="micro_batches",
            trigger="available_now",
        )
    )
    batches = [next(iterator)]
    # The server is in the JVM of this process, and reads this each time it looks.
    context: Any = SparkContext._active_spark_context
    context._jsc.sc().conf().set(f"{manager}.defaultSessionTimeout", "4s")
    seen: list[Any] = []
    for wait_seconds in (7.0, 14.0, 28.0):  # on a busy machine it may look late; to ask keeps the idle one alive
        time.sleep(wait_seconds)
        try:
            idle.range(1).collect()
        except (grpc.RpcError, PySparkException):
            seen.append("the idle one has expired")
            break
    seen += [row.id for row in batches[0].read()]
    for batch in iterator:
        seen += [row.id for row in batch.read()]
    spark.stop()
    return seen


# --- the tests --------------------------------------------------------------------------------------------------------


# The first one, in a JVM without a server before: behind other tests the idle session once did not expire in 49 s.
def test_batch_may_be_held_longer_than_a_session_lives(process: SparkProcess, tmp_path: Path) -> None:
    found = process.run(held_longer_than_a_session_lives, str(tmp_path))

    assert found == ["the idle one has expired", *range(FILES * ROWS)]


@pytest.mark.parametrize(
    ("moment", "rest"),
    [
        ("waiting for rows", []),
        ("waiting for demand", [*range(FILES * ROWS)]),
        ("computing", [*range(FILES * ROWS)]),
    ],
)
def test_subscriber_of_a_query_is_told(process: SparkProcess, tmp_path: Path, moment: str, rest: list[int]) -> None:
    found = process.run(query_under, str(tmp_path), moment)

    kind, message = found.pop("end")
    assert kind == "SparkJobError"
    if moment == "computing":
        assert message == DATAFRAME_STOPPED
    else:
        assert message.endswith(
            "or its session was stopped; subscribe again in a running session to continue from the checkpoint"
        )
    assert found == {"rest": rest, "left": []}


@pytest.mark.parametrize("moment", ["computing", "between two partitions"])
def test_subscriber_of_a_dataframe_is_told(process: SparkProcess, moment: str) -> None:
    found = process.run(dataframe_under, moment)

    assert found == {"end": ["SparkJobError", DATAFRAME_STOPPED], "left": []}


def test_leaving_a_dataframe_of_a_stopped_session_drops_nothing(process: SparkProcess) -> None:
    assert process.run(dataframe_under, "leaving") == {"dropped": [], "left": []}


@pytest.mark.parametrize("moment", ["waiting for rows", "in the function", "writing"])
def test_who_waits_for_a_sink_is_told(process: SparkProcess, tmp_path: Path, moment: str) -> None:
    found = process.run(sink_under, str(tmp_path), moment)

    ((kind, message),) = found.pop("ends")
    assert kind == "SparkJobError"
    assert message == QUERY_CUT_OFF or "its session was stopped, which may be the cause" in message
    sink = "to_path, ended, exactly-once" if moment == "writing" else "for_each_batch, ended, at-least-once"
    assert found.pop("repr").startswith(f"RunningQuery({sink}")
    assert found.pop("rows", [*range(FILES * ROWS)]) == [*range(FILES * ROWS)]
    assert found == {"is_active": False, "error": "SparkJobError", "left": []}


def test_end_of_a_query_before_its_session_s_stays_what_it_was(process: SparkProcess, tmp_path: Path) -> None:
    found = process.run(sink_that_ended_before, str(tmp_path))

    assert found == {"done": True, "failed": found["failed"]}
    assert found["failed"].startswith("for_each_batch failed on batch 0: LookupError: no such airport")


def test_session_of_connect_that_stops_is_told(process: SparkProcess, tmp_path: Path) -> None:
    found = process.run(connect_under, str(tmp_path))

    assert found == {"ends": ["SparkJobError", f"SparkJobError: {QUERY_CUT_OFF}"], "is_active": False, "left": []}


@pytest.mark.parametrize(
    ("moment", "rest"),
    [
        ("waiting for rows", []),
        ("waiting for demand", [*range(FILES * ROWS)]),
        ("computing", [*range(FILES * ROWS)]),
    ],
)
def test_subscriber_of_a_query_of_connect_is_told(
    process: SparkProcess, tmp_path: Path, moment: str, rest: list[int]
) -> None:
    found = process.run(connect_query_under, str(tmp_path), moment)

    kind, message = found.pop("end")
    assert kind == "SparkJobError"
    assert message == DATAFRAME_STOPPED or "its session was stopped; subscribe again" in message
    assert found == {"rest": rest, "left": []}


def test_session_of_connect_counts_as_stopped_once_its_channel_is_closed(process: SparkProcess, tmp_path: Path) -> None:
    found = process.run(closing_slowly, str(tmp_path))

    assert found == {"running call": f"SparkJobError: {DATAFRAME_STOPPED}", "later call": QUERY_CUT_OFF}
