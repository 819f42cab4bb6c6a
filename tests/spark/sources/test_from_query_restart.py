"""A streaming query as a stream across restarts: what comes again, how it is recognised, who may read."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import CheckpointError, FolderInUseError, for_each_batch, from_query
from reactivestreams.spark.sources.batch_handover import Delivered, DeliveryRecord
from reactivestreams.spark.storage.file_system import JvmFiles, LocalFiles
from reactivestreams.spark.storage.spark_path import spark_path
from tests.spark.sources.test_from_query import ROWS, committed, write_file

pytestmark = pytest.mark.spark

SOURCES = ["rate"]
ROOT = Path(__file__).resolve().parents[3]
WAIT_SECONDS = 150.0


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    folder = tmp_path / "incoming"
    folder.mkdir()
    for number in range(3):
        write_file(folder, number)
    return folder


@pytest.fixture
def frame(spark: Any, incoming: Path) -> Any:
    return stream_of(spark, incoming)


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return tmp_path / "checkpoint"


def stream_of(spark: Any, incoming: Path) -> Any:
    return spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1).json(str(incoming))


# --- kill -9 ---------------------------------------------------------------------------------------------------------


def driver(incoming: str, checkpoint: str, log: str) -> None:
    """Consume batches until killed in the middle of the second one; runs in a process of its own."""
    from reactivestreams.spark import session

    spark = session("local[1]", fast=True)
    batches = from_query(stream_of(spark, Path(incoming)), checkpoint=checkpoint, as_="micro_batches")
    for batch in batches:
        rows = [row.id for row in batch.read()]
        with open(log, "a", encoding="utf-8") as file:
            file.write(json.dumps([batch.batch_id, batch.is_redelivered, rows]) + "\n")
        if batch.batch_id == 1:
            os.kill(os.getpid(), signal.SIGKILL)


def test_killed_driver_gets_exactly_one_batch_again_with_the_same_id(
    frame: Any, incoming: Path, checkpoint: Path, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    arguments = ", ".join(repr(str(path)) for path in (incoming, checkpoint, log))
    code = f"from tests.spark.sources.test_from_query_restart import driver; driver({arguments})"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}

    killed = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, timeout=WAIT_SECONDS, check=False, cwd=ROOT
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
    before = [json.loads(line) for line in log.read_text().splitlines()]
    stream = from_query(frame, checkpoint=checkpoint, as_="micro_batches", trigger="available_now")
    after = stream.map(lambda batch: [batch.batch_id, batch.is_redelivered, [row.id for row in batch.read()]]).to_list()

    batches = [list(range(number * ROWS, (number + 1) * ROWS)) for number in range(3)]
    assert before == [[0, False, batches[0]], [1, False, batches[1]]]
    assert after == [[1, True, batches[1]], [2, False, batches[2]]]


# --- redelivery ------------------------------------------------------------------------------------------------------


def interrupted_behind_batch(frame: Any, checkpoint: Path, number: int) -> None:
    """Consume batches up to `number` wholly, and stop the query before Spark commits that one."""
    iterator = iter(from_query(frame, checkpoint=checkpoint, as_="tuples"))
    for row in iterator:
        if row == ((number + 1) * ROWS - 1, number):
            # What the reader does when the next element is asked for; the commit is Spark's next step.
            new_record(checkpoint).finish(number)
            break
    iterator.close()


def record_path(checkpoint: Path) -> Path:
    return checkpoint / "reactivestreams" / "query.json"


@pytest.mark.parametrize(("policy", "expected"), [("deliver", [1, 2]), ("skip", [2])])
def test_batch_that_was_consumed_wholly_comes_again_or_is_skipped(
    frame: Any, checkpoint: Path, policy: str, expected: list[int]
) -> None:
    interrupted_behind_batch(frame, checkpoint, 1)
    assert committed(checkpoint) == [0]

    stream = from_query(frame, checkpoint=checkpoint, as_="tuples", trigger="available_now", on_redelivery=policy)

    assert [row[1] for row in stream] == [number for number in expected for _ in range(ROWS)]
    assert committed(checkpoint) == [0, 1, 2]


def test_skipped_batch_of_a_query_with_state_still_counts(frame: Any, checkpoint: Path) -> None:
    totals = frame.groupBy((frame.id % 2).alias("odd")).count()
    options: dict[str, Any] = {"checkpoint": checkpoint, "as_": "micro_batches", "output_mode": "update"}
    iterator = iter(from_query(totals, **options))
    assert {row.odd: row["count"] for row in next(iterator).read()} == {0: 3, 1: 2}
    new_record(checkpoint).finish(0)
    iterator.close()

    stream = from_query(totals, **options, trigger="available_now", on_redelivery="skip")
    seen = stream.map(lambda batch: (batch.batch_id, {row.odd: row["count"] for row in batch.read()})).to_list()

    assert seen == [(1, {0: 5, 1: 5}), (2, {0: 8, 1: 7})]


def test_batch_that_was_consumed_in_part_comes_again_whole(frame: Any, checkpoint: Path) -> None:
    assert from_query(frame, checkpoint=checkpoint, as_="tuples").take(2).to_list() == [(0, 0), (1, 0)]

    stream = from_query(frame, checkpoint=checkpoint, as_="micro_batches", trigger="available_now")

    assert stream.map(lambda batch: batch.is_redelivered).to_list() == [True, False, False]


# --- whose checkpoint ------------------------------------------------------------------------------------------------


def test_second_subscription_of_a_checkpoint_is_refused(frame: Any, checkpoint: Path, tmp_path: Path) -> None:
    stream = from_query(frame, checkpoint=checkpoint, as_="tuples")
    iterator = iter(stream)
    next(iterator)

    with pytest.raises(FolderInUseError, match=r"is already in use by a query of the same session; stop that"):
        stream.run()
    (tmp_path / "other name").symlink_to(checkpoint)
    with pytest.raises(FolderInUseError, match=r"is already in use by a query of the same session; stop that"):
        from_query(frame, checkpoint=tmp_path / "other name", as_="tuples").run()
    iterator.close()

    assert stream.first() == (0, 0)


def test_checkpoint_of_another_query_is_refused(spark: Any, frame: Any, checkpoint: Path) -> None:
    from_query(frame, checkpoint=checkpoint).first()

    rates = spark.readStream.format("rate").load()
    with pytest.raises(CheckpointError, match=r"belongs to another query: its sources are \['"):
        from_query(rates, checkpoint=checkpoint).run()


def test_query_that_got_a_name_and_a_column_goes_on(frame: Any, checkpoint: Path) -> None:
    delivered = from_query(frame, checkpoint=checkpoint, trigger="available_now", as_="tuples").to_list()
    assert delivered
    renamed = from_query(
        frame.selectExpr("*", "id * 2 as twice"), checkpoint=checkpoint, trigger="available_now", name="flights"
    )
    assert renamed.to_list() == []  # all of it was delivered under the other name


def test_checkpoint_that_another_program_wrote_is_refused(frame: Any, checkpoint: Path) -> None:
    query = frame.writeStream.format("noop").option("checkpointLocation", str(checkpoint))
    query.trigger(availableNow=True).start().awaitTermination(60)

    with pytest.raises(
        CheckpointError, match="was not written by from_query of this release: it has Spark's files but no"
    ):
        from_query(frame, checkpoint=checkpoint).run()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("offsets/2", b"v1\n\xff\xfe", "is damaged: byte 3 is no UTF-8 text"),
        ("offsets/2", b"", "is damaged: it begins with ''"),
        ("commits/2", b"v1\n{", "is damaged: entry 0 is no JSON"),
        ("metadata", b'{"id"', "has no id of a query (JSONDecodeError"),
    ],
)
@pytest.mark.parametrize("end", ["from_query", "for_each_batch"])
def test_damaged_file_of_a_checkpoint_is_named(
    frame: Any, checkpoint: Path, name: str, content: bytes, problem: str, end: str
) -> None:
    def run() -> None:
        if end == "from_query":
            from_query(frame, checkpoint=checkpoint, trigger="available_now").run()
        else:
            for_each_batch(
                frame, lambda batch_id, batches: batches.run(), checkpoint=checkpoint, trigger="available_now"
            ).await_end()

    run()
    file = checkpoint / name
    file.write_bytes(content)
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    with pytest.raises(CheckpointError, match=re.escape(f"{spark_path(file)} {problem}")):
        run()


def test_record_is_there_before_spark_plans(checkpoint: Path) -> None:
    new_record(checkpoint)

    (checkpoint / "offsets").mkdir()
    (checkpoint / "offsets" / "0").touch()
    assert new_record(checkpoint).begin(0) == Delivered(begun=True, wholly=False)


def test_record_that_a_kill_left_empty_is_made_again(checkpoint: Path) -> None:
    (checkpoint / "reactivestreams").mkdir(parents=True)
    record_path(checkpoint).touch()
    new_record(checkpoint)

    assert json.loads(record_path(checkpoint).read_text()) == {"version": 3, "sources": SOURCES}


def test_checkpoint_whose_files_were_removed_is_refused(frame: Any, checkpoint: Path) -> None:
    from_query(frame, checkpoint=checkpoint, trigger="available_now").run()
    for name in ("offsets", "commits", "sources"):
        subprocess.run(["rm", "-r", str(checkpoint / name)], check=True)

    with pytest.raises(CheckpointError, match=r"Spark continues with batch 0, but .* delivered is 2;"):
        from_query(frame, checkpoint=checkpoint).run()


# --- the record ------------------------------------------------------------------------------------------------------


def new_record(checkpoint: Path) -> DeliveryRecord:
    content = record_path(checkpoint).read_text() if record_path(checkpoint).exists() else ""
    sources = json.loads(content)["sources"] if content else SOURCES
    record = DeliveryRecord(spark_path(checkpoint), sources, LocalFiles())
    record.load()
    return record


def plan(checkpoint: Path, batch_id: int) -> None:
    (checkpoint / "offsets").mkdir(exist_ok=True)
    (checkpoint / "offsets" / str(batch_id)).touch()


def test_record_knows_what_was_begun_and_what_was_consumed(checkpoint: Path) -> None:
    record = new_record(checkpoint)

    assert record.begin(0) == Delivered(begun=False, wholly=False)
    plan(checkpoint, 0)
    assert new_record(checkpoint).begin(0) == Delivered(begun=True, wholly=False)
    record.finish(0)
    assert new_record(checkpoint).begin(0) == Delivered(begun=True, wholly=True)
    assert new_record(checkpoint).begin(1) == Delivered(begun=False, wholly=False)
    record.finish(1)
    assert new_record(checkpoint).begin(1) == Delivered(begun=False, wholly=True)
    record.finish(2)
    files = {path.name: path.read_text() for path in (checkpoint / "reactivestreams").iterdir()}
    assert {name: text for name, text in files.items() if name != "query.json"} == {
        "delivered-0": "2\n",
        "delivered-1": "1\n",
    }


@pytest.mark.parametrize("cut", [None, b"", b"1", b"\xff\n", b"-1\n"])
def test_record_that_a_kill_cut_has_the_batch_before(checkpoint: Path, cut: bytes | None) -> None:
    record = new_record(checkpoint)
    for batch_id in range(12):
        record.finish(batch_id)
    written = checkpoint / "reactivestreams" / "delivered-1"
    assert written.read_bytes() == b"11\n"

    if cut is None:
        written.unlink()
    else:
        written.write_bytes(cut)

    assert new_record(checkpoint).delivered == 10


def test_batch_that_is_finished_again_is_not_written_again(checkpoint: Path) -> None:
    record = new_record(checkpoint)
    record.finish(0)
    (checkpoint / "reactivestreams" / "delivered-0").unlink()

    record.finish(0)

    assert not (checkpoint / "reactivestreams" / "delivered-0").exists()


def test_record_is_the_same_by_the_jvm_and_by_paths(spark: Any, checkpoint: Path) -> None:
    for batch_id, files in enumerate((LocalFiles(), JvmFiles(spark)) * 3):
        record = DeliveryRecord(spark_path(checkpoint), SOURCES, files)
        record.load()
        assert record.delivered == batch_id - 1
        for number in (batch_id - 1, batch_id):  # so that each writes both files
            record.delivered = -1
            record.finish(max(number, 0))


@pytest.mark.parametrize(("finished", "offered"), [(True, 2), (False, 1), (True, -1)])
def test_record_refuses_a_batch_that_does_not_follow(checkpoint: Path, finished: bool, offered: int) -> None:
    record = new_record(checkpoint)
    if finished:
        record.finish(0)

    with pytest.raises(
        CheckpointError, match=f"Spark continues with batch {offered}, but .* delivered is {finished - 1};"
    ):
        record.begin(offered)


@pytest.mark.parametrize(
    "text", [b"{", b"[]", b"7", b"{}", b"\xff\xfe", b'{"version": 3}', b'{"version": 2, "sources": []}']
)
def test_damaged_record_is_refused(checkpoint: Path, text: bytes) -> None:
    (checkpoint / "reactivestreams").mkdir(parents=True)
    record_path(checkpoint).write_bytes(text)

    with pytest.raises(CheckpointError, match="is not a record of this release"):
        DeliveryRecord(spark_path(checkpoint), SOURCES, LocalFiles()).load()
