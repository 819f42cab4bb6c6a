"""The write-ahead log: what it gives back, what it refuses, and that nothing is lost when it cannot write."""

import os
import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from reactivestreams.spark import FolderInUseError, ReplayError, WriteAheadLog, WriteAheadLogError
from reactivestreams.spark.storage import write_ahead_log
from reactivestreams.spark.storage.write_ahead_log import ElementRun

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


def changed(folder: Path, *statement: Any) -> None:
    """Change a closed log behind its back."""
    with sqlite3.connect(folder / "elements.db") as database:
        database.execute(*statement)
    database.close()


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


def test_trim_forgets_finished_runs_and_keeps_the_last(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5), run(5, 8), run(8, 9))

    with WriteAheadLog(tmp_path) as log:
        log.trim(7)
        assert (log.start_offset, len(log.ranges)) == (5, 2)
        log.trim(9)
        assert (log.start_offset, log.end_offset, len(log.ranges)) == (8, 9, 1)
        with pytest.raises(ReplayError, match=r"reads the elements 3 to 6, but the write-ahead log .* has 8 to 8"):
            log.read(3, 7)

    with WriteAheadLog(tmp_path) as log:
        assert (log.start_offset, log.end_offset) == (8, 9)


KILLED = """
import os, signal, sys
import pyarrow as pa
from reactivestreams.spark import WriteAheadLog
from reactivestreams.spark.storage.write_ahead_log import ElementRun

log = WriteAheadLog(sys.argv[1])
batch = pa.record_batch([list(range(20_000))], schema=pa.schema([("id", pa.int64())]))
log.append(ElementRun(0, 20_000, [batch], "rows"), batch.schema)
# In the middle of a write: pages of the next run are in the file, and it is not committed.
log.database.execute("PRAGMA cache_size=1")
log.database.execute("BEGIN")
log.append(ElementRun(20_000, 40_000, [batch], "rows"), batch.schema)
print("written", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_run_in_the_middle_of_which_the_process_was_killed_is_not_there(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == (b"written\n", -signal.SIGKILL), done.stderr

    with WriteAheadLog(tmp_path) as log:
        log.resume(20_000)
        assert log.end_offset == 20_000
        assert ids(log.read(19_998, 20_000)) == [19_998, 19_999]


@pytest.mark.parametrize("part", ["the header", "a run"])
def test_damage_is_found(tmp_path: Path, part: str) -> None:
    written(tmp_path, run(0, 5), run(5, 900))
    file = tmp_path / "elements.db"
    content = bytearray(file.read_bytes())
    content[4 if part == "the header" else content.rindex(b"899") + 1] ^= 0x40
    file.write_bytes(content)

    said = "not a database" if part == "the header" else "the checksum of the elements 5 to 899 does not match"
    with pytest.raises(WriteAheadLogError, match=f"{tmp_path} is damaged: .*{said}"):
        WriteAheadLog(tmp_path)


def test_missing_run_is_an_error(tmp_path: Path) -> None:
    written(tmp_path, run(0, 5), run(5, 9), run(9, 10))
    changed(tmp_path, "DELETE FROM runs WHERE start = 5")

    with pytest.raises(WriteAheadLogError, match="lacks the elements 5 to 8"):
        WriteAheadLog(tmp_path)


def test_log_of_another_version_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "new", run(0, 5))
    changed(tmp_path / "new", "PRAGMA user_version=3")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "00000000000000000000-00000000000000000005.elements").write_bytes(b"RSPYWAL\n")

    for folder, version in (("new", 3), ("old", 1)):
        with pytest.raises(WriteAheadLogError, match=f"has format version {version}, but this program reads version 2"):
            WriteAheadLog(tmp_path / folder)


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


def test_number_of_runs_is_bounded(tmp_path: Path) -> None:
    with WriteAheadLog(tmp_path, max_segments=2) as log:
        log.append(run(0, 1), SCHEMA)
        log.append(run(1, 2), SCHEMA)
        with pytest.raises(CapacityError, match="holds 2 runs, its max_segments"):
            log.append(run(2, 3), SCHEMA)
        log.trim(1)
        log.append(run(2, 3), SCHEMA)
        assert ids(log.read(1, 3)) == [1, 2]


def test_run_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_ahead_log, "LONGEST_RUN_BYTES", 100)
    with WriteAheadLog(tmp_path) as log, pytest.raises(CapacityError, match="a smaller max_rows"):
        log.append(run(0, 5), SCHEMA)


FULL_DISK = """
import resource, signal, sys
import pyarrow as pa
from reactivestreams.spark import WriteAheadLog, WriteAheadLogError
from reactivestreams.spark.storage.write_ahead_log import ElementRun

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
