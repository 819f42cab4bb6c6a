"""A client of Spark Connect killed in the midst of a micro-batch of `from_query`: the next one loses nothing."""

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.spark import from_query
from tests.spark.in_process import ROOT, SparkProcess
from tests.spark.sources.connect_queries import left_over
from tests.spark.sources.test_from_query import ROWS, committed, wait_for, write_file

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(400)]

DEADLINE_SECONDS = 90
FILES = 4
KILLED_IN = 1
"""The micro-batch in the middle of which the client is killed."""


def read_batches(spark: Any, base: str, *, trigger: str | None, killed_in: int | None = None) -> None:
    """Note each batch in a file as it is read; end this process in the middle of one."""
    frame = spark.readStream.schema("id long, batch int").option("maxFilesPerTrigger", 1).json(f"{base}/in")
    for batch in from_query(frame, checkpoint=f"{base}/checkpoint", as_="micro_batches", trigger=trigger):
        rows = []
        for number, _ in batch.read("tuples"):
            rows.append(number)
            if batch.batch_id == killed_in and len(rows) == 2:
                note(base, batch, rows)
                os.kill(os.getpid(), signal.SIGKILL)
        note(base, batch, rows)


def note(base: str, batch: Any, rows: list[int]) -> None:
    with open(f"{base}/log", "a", encoding="utf-8") as file:
        file.write(json.dumps([batch.batch_id, batch.is_redelivered, rows]) + "\n")


def address_of(spark: Any) -> str:
    from reactivestreams.spark.sessions import connect_session

    return f"sc://{spark.client._builder.endpoint}/;token={connect_session.token}"


def read_what_is_left(spark: Any, base: str) -> None:
    read_batches(spark, base, trigger="available_now")


def read_until_killed(spark: Any, base: str) -> None:
    read_batches(spark, base, trigger=None, killed_in=KILLED_IN)


def client(address: str, base: str) -> None:
    """Read until killed, as a client of a server that lives on; runs in a process of its own."""
    from reactivestreams.spark import session

    read_until_killed(session(address), base)


def run_client(address: str, base: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    code = f"from tests.spark.processes.test_query_connect_kill import client; client({address!r}, {base!r})"
    return subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
        cwd=ROOT,
    )


def logged(base: Path) -> list[Any]:
    return [json.loads(line) for line in (base / "log").read_text().splitlines()]


def rows_of(number: int) -> list[int]:
    return list(range(number * ROWS, (number + 1) * ROWS))


def workers_of(server: SparkProcess) -> list[str]:
    """Return the processes in which the server of a process runs batch functions."""
    listed = subprocess.run(["ps", "-eww", "-o", "pgid,args"], capture_output=True, text=True, check=True).stdout
    return [
        line
        for line in listed.splitlines()
        if line.split(maxsplit=1)[0] == str(server.pid) and "foreach_batch_worker" in line
    ]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    for number in range(FILES):
        write_file(tmp_path / "in", number)
    return tmp_path


EXPECTED = [
    [0, False, rows_of(0)],
    [1, False, rows_of(1)[:2]],
    [1, True, rows_of(1)],
    [2, False, rows_of(2)],
    [3, False, rows_of(3)],
]


def test_killed_client_leaves_its_batch_to_the_next_one_of_the_same_server(base: Path) -> None:
    with SparkProcess("connect") as server:
        killed = run_client(server.run(address_of), str(base))
        assert killed.returncode == -signal.SIGKILL, killed.stderr[-2000:]
        assert committed(base / "checkpoint") == [0]

        # The batch function still waits for the client, as it does for READER_SECONDS; Spark ends its query.
        assert len(workers_of(server)) == 1
        server.run(read_what_is_left, str(base))
        wait_for(lambda: workers_of(server) == [])
        assert server.run(left_over) == []

    assert logged(base) == EXPECTED
    assert committed(base / "checkpoint") == [*range(FILES)]


def test_killed_client_and_server_leave_the_batch_to_the_next_ones(base: Path) -> None:
    with SparkProcess("connect") as first, suppress(AssertionError):
        first.run(read_until_killed, str(base))
    assert committed(base / "checkpoint") == [0]

    with SparkProcess("connect") as second:
        second.run(read_what_is_left, str(base))

    assert logged(base) == EXPECTED
