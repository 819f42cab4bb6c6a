"""The write-ahead log: what it gives back, what it refuses, and that nothing is lost when it cannot write."""

import errno
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.spark import FolderInUseError, ReplayError, WriteAheadLog, WriteAheadLogError
from reactivestreams.spark.storage import segment_file
from reactivestreams.spark.storage.element_run import ElementRun

pytestmark = pytest.mark.spark

SCHEMA = pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("name", pa.string())])


def run(start: int, end: int, form: str = "rows") -> ElementRun:
    """Return a run whose rows hold their own numbers, in two batches where it has two rows or more."""
    ids = list(range(start, end))
    middle = len(ids) // 2
    parts = [part for part in (ids[:middle], ids[middle:]) if part]
    batches = [pa.record_batch([part, [str(number) for number in part]], schema=SCHEMA) for part in parts]
    return ElementRun(start, start + len(batches) if form == "batches" else end, batches, form)


def ids(batches: Any) -> list[int]:
    return [number for batch in batches for number in batch["id"].to_pylist()]


def written(folder: Path, *runs: ElementRun) -> None:
    with WriteAheadLog(folder) as log:
        for one in runs:
            log.append(one, SCHEMA)


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.elements"))


def test_elements_come_back_after_a_restart(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5), run(5, 12))

    with WriteAheadLog(tmp_path) as log:
        assert (log.start_offset, log.end_offset) == (0, 12)
        assert ids(log.read(3, 9)) == [3, 4, 5, 6, 7, 8]
        assert ids(log.read(0, 12)) == list(range(12))
        assert log.read(4, 4) == []


def test_whole_batches_come_back_one_an_element(tmp_path: Path) -> None:
    written(tmp_path, run(0, 6, "batches"))

    with WriteAheadLog(tmp_path) as log:
        assert log.end_offset == 2
        assert [ids([batch]) for batch in log.read(0, 2)] == [[0, 1, 2], [3, 4, 5]]
        assert [ids([batch]) for batch in log.read(1, 2)] == [[3, 4, 5]]


def test_trim_forgets_finished_files_and_keeps_the_last(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5), run(5, 8), run(8, 9))

    with WriteAheadLog(tmp_path) as log:
        log.trim(7)
        assert (log.start_offset, len(files(tmp_path))) == (5, 2)
        log.trim(9)
        assert (log.start_offset, log.end_offset, len(files(tmp_path))) == (8, 9, 1)
        with pytest.raises(ReplayError, match=r"reads the elements 3 to 6, but the write-ahead log .* has 8 to 8"):
            log.read(3, 7)


def test_unfinished_file_was_never_planned_and_is_removed(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5))
    (tmp_path / "00000000000000000005-00000000000000000009.unfinished").write_bytes(b"RSPY")

    with WriteAheadLog(tmp_path) as log:
        assert log.end_offset == 5

    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".unfinished"] == []


@pytest.mark.parametrize("kept_bytes", [0, 7, 20, 200, -1])
def test_torn_last_file_is_dropped_where_it_was_not_planned(tmp_path: Path, kept_bytes: int) -> None:
    written(tmp_path, run(0, 5), run(5, 9))
    last = files(tmp_path)[-1]
    last.write_bytes(last.read_bytes()[:kept_bytes])

    with WriteAheadLog(tmp_path) as log:
        assert ids(log.read(0, 5)) == [0, 1, 2, 3, 4]
        log.resume(5)
        log.append(run(5, 7), SCHEMA)
        assert ids(log.read(3, 7)) == [3, 4, 5, 6]


def test_torn_last_file_that_was_planned_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5), run(5, 9))
    last = files(tmp_path)[-1]
    last.write_bytes(last.read_bytes()[:-3])

    with WriteAheadLog(tmp_path) as log:
        with pytest.raises(WriteAheadLogError, match="is damaged: it has"):
            log.resume(9)
        with pytest.raises(WriteAheadLogError, match="is damaged"):
            log.read(5, 9)

    assert files(tmp_path)[-1] == last


@pytest.mark.parametrize("position", [0, 9, 30, 60, -1])
def test_any_changed_byte_is_found(tmp_path: Path, position: int) -> None:
    written(tmp_path, run(0, 5), run(5, 9))
    first = files(tmp_path)[0]
    content = bytearray(first.read_bytes())
    content[position] ^= 0x40
    first.write_bytes(content)

    with pytest.raises(WriteAheadLogError, match=str(first)):
        WriteAheadLog(tmp_path)


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5), run(5, 9), run(9, 10))
    files(tmp_path)[1].unlink()

    with pytest.raises(WriteAheadLogError, match="lacks the elements 5 to 8"):
        WriteAheadLog(tmp_path)


def test_file_of_a_newer_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segment_file, "FORMAT_VERSION", 2)
    written(tmp_path, run(0, 5), run(5, 6))
    monkeypatch.undo()

    with pytest.raises(WriteAheadLogError, match="has format version 2, but this program reads version 1"):
        WriteAheadLog(tmp_path)


def test_log_and_checkpoint_of_different_queries_are_refused(tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path) as log, pytest.raises(ReplayError, match="resumes at element 7"):
        log.resume(7)


def test_stream_of_another_kind_is_refused(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5))

    with WriteAheadLog(tmp_path) as log:
        log.require_fit(SCHEMA, "rows")
        with pytest.raises(WriteAheadLogError, match="written with as_='rows', but the stream has as_='batches'"):
            log.require_fit(SCHEMA, "batches")
        with pytest.raises(WriteAheadLogError, match="id int64, name string, but the stream has id int32"):
            log.require_fit(pa.schema([("id", pa.int32())]), "rows")


def test_number_of_files_is_bounded(tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path, max_segments=2) as log:
        log.append(run(0, 1), SCHEMA)
        log.append(run(1, 2), SCHEMA)
        with pytest.raises(CapacityError, match="holds 2 files, its max_segments"):
            log.append(run(2, 3), SCHEMA)
        log.trim(1)
        log.append(run(2, 3), SCHEMA)
        assert ids(log.read(1, 3)) == [1, 2]


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_failed_write_leaves_no_file_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with WriteAheadLog(tmp_path) as log:
        log.append(run(0, 5), SCHEMA)
        with monkeypatch.context() as patch:
            patch.setattr(segment_file.os, call, full)
            with pytest.raises(WriteAheadLogError, match=r"elements 5 to 8 cannot be written .*: No space left"):
                log.append(run(5, 9), SCHEMA)
        assert (log.end_offset, len(files(tmp_path)), len(list(tmp_path.glob("*.unfinished")))) == (5, 1, 0)
        log.append(run(5, 9), SCHEMA)
        assert ids(log.read(0, 9)) == list(range(9))


FULL_DISK = """
import resource, signal, sys
import pyarrow as pa
from reactivestreams.spark import WriteAheadLog, WriteAheadLogError
from reactivestreams.spark.storage.element_run import ElementRun

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
schema = pa.schema([("id", pa.int64())])
batch = pa.record_batch([list(range(20_000))], schema=schema)
log = WriteAheadLog(sys.argv[1])
log.append(ElementRun(0, 10, [batch.slice(0, 10)], "rows"), schema)
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (64_000, hard))
try:
    log.append(ElementRun(10, 20_010, [batch], "rows"), schema)
except WriteAheadLogError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
log.append(ElementRun(10, 20_010, [batch], "rows"), schema)
print(sum(part.num_rows for part in log.read(0, 20_010)))
log.close()
"""


def test_real_limit_on_the_disk_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    assert resource.RLIMIT_FSIZE is not None
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )

    message, rows = done.stdout.splitlines()
    assert "the elements 10 to 20009 cannot be written to" in message
    assert (rows, done.returncode) == ("20010", 0), done.stderr


def test_folder_has_one_user_in_this_process(tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path), pytest.raises(FolderInUseError, match=f"is in use by process {os.getpid()}"):
        WriteAheadLog(tmp_path)
    WriteAheadLog(tmp_path).close()


HOLDER = """
import sys
from reactivestreams.spark import WriteAheadLog
log = WriteAheadLog(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_folder_has_one_user_among_processes_and_a_kill_frees_it(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(FolderInUseError, match=f"is in use by process {holder.pid}; close that log"):
            WriteAheadLog(tmp_path)
        holder.kill()
        holder.wait(30)

    WriteAheadLog(tmp_path).close()


@pytest.mark.parametrize(
    ("arguments", "error", "complaint"),
    [
        ({"folder": 5}, ArgumentTypeError, "folder must be a path, got 5"),
        ({"folder": ""}, ArgumentError, "folder must not be empty"),
        ({"folder": __file__}, ArgumentError, "which is a file"),
        ({"folder": "x", "max_segments": 1}, ArgumentError, r"WriteAheadLog\(max_segments\) needs a count from 2"),
        ({"folder": "x", "max_segments": "9"}, ArgumentTypeError, "needs an integer"),
    ],
)
def test_bad_argument_is_refused(arguments: Any, error: type[Exception], complaint: str) -> None:
    with pytest.raises(error, match=complaint):
        WriteAheadLog(**arguments)
