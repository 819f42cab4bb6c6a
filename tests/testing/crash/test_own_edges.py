"""The package's own ingresses, egresses and stores have no findings, with a fault in each step of their protocols."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from reactivestreams.engine import (
    AppendedFile,
    Engine,
    HttpEgress,
    HttpInput,
    JsonLinesFolder,
    LinesFolder,
    MemoryStore,
    PushInput,
    SocketInput,
    SqliteRows,
    SqliteStore,
    SqliteTable,
)
from reactivestreams.testing.crash import CrashReport, EgressCase, IngressCase, StoreCase
from reactivestreams.testing.crash.checks import check_egress, check_ingress, check_store

SAMPLED_RUNS = 40

Check = Callable[..., CrashReport]


@pytest.fixture(scope="module")
def memory_folder() -> Iterator[str]:
    """A folder in memory where the system has one: the deaths here are those of processes, not of disks."""
    with TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield folder


def appended_file(folder: Path) -> IngressCase:
    path = folder / "numbers.log"
    path.write_text("".join(f"{number}\n" for number in range(9)))
    return IngressCase(
        make=lambda: AppendedFile(path, follow=False), elements=list(map(str, range(9))), abandon=AppendedFile.close
    )


def rotated_file(folder: Path) -> IngressCase:
    path = folder / "numbers.log"

    def grow(_engine: Engine, number: int) -> None:
        if number in (5, 9):
            path.rename(folder / f"numbers.log.{number}")
        if number <= 12:
            with path.open("a") as file:
                file.write(f"{number}\n")

    return IngressCase(
        make=lambda: AppendedFile(path),
        elements=[str(number) for number in range(1, 13)],
        ends=False,
        before_round=grow,
        rounds=12,
        abandon=AppendedFile.close,
    )


def push_input(_folder: Path) -> IngressCase:
    stored: list[int] = []

    def push(engine: Engine, number: int) -> None:
        if number > 6:
            return
        before = _logged(engine)
        try:
            with suppress(OSError):
                engine.push("ingress", number)
        finally:  # also where it is not known otherwise whether it was stored
            if _logged(engine) > before:
                stored.append(number)

    return IngressCase(make=PushInput, elements=lambda: stored, ends=False, before_round=push, rounds=6)


def _logged(engine: Engine) -> int:
    store = engine.store
    assert isinstance(store, MemoryStore)
    return max((position for position, _ in MemoryStore.read_input(store, "ingress", 0, 99)), default=0)


def lines_folder(folder: Path) -> IngressCase:
    """Files that come, and are deleted when they are acknowledged."""
    come, source = folder / "come", folder / "source"
    for each in (come, source):
        each.mkdir()

    def put(_engine: Engine, number: int) -> None:
        if number <= 5:
            (come / "next").write_text(f"{number}\n-{number}\n")
            (come / "next").replace(source / f"file-{number}")

    return IngressCase(
        make=lambda: LinesFolder(source, deletes=True),
        elements=[text for number in range(1, 6) for text in (f"{number}", f"-{number}")],
        ends=False,
        before_round=put,
        rounds=5,
        abandon=LinesFolder.close,
    )


def sqlite_rows(folder: Path) -> IngressCase:
    path = folder / "shop.db"

    def insert(_engine: Engine, number: int) -> None:
        if number <= 4:
            connection = sqlite3.connect(path, isolation_level=None)
            connection.execute("CREATE TABLE IF NOT EXISTS orders(id INTEGER PRIMARY KEY AUTOINCREMENT, item)")
            connection.execute("INSERT INTO orders(item) VALUES (?), (?)", (number, -number))
            connection.close()

    return IngressCase(
        make=lambda: SqliteRows(path, "orders", ["item"], key="id"),
        elements=[(item,) for number in range(1, 5) for item in (number, -number)],
        ends=False,
        before_round=insert,
        rounds=4,
        abandon=SqliteRows.close,
    )


def http_input(_folder: Path) -> IngressCase:
    """A client that sends each element with a key until it has the answer."""
    made: list[HttpInput] = []
    waiting = [f"request {number}" for number in range(1, 7)]

    def make() -> HttpInput:
        made.append(HttpInput("127.0.0.1", 0))
        return made[-1]

    def send(_engine: Engine, _number: int) -> None:
        if waiting:
            with suppress(OSError):  # there was no answer, so it is sent once more
                made[-1].receive([waiting[0]], key=waiting[0])
                waiting.pop(0)

    return IngressCase(
        make=make,
        elements=[f"request {number}" for number in range(1, 7)],
        ends=False,
        before_round=send,
        rounds=8,
        abandon=HttpInput.close,
    )


def socket_input(_folder: Path) -> IngressCase:
    """A client that looks what is stored where it has no answer."""
    made: list[SocketInput] = []
    stored: list[str] = []

    def make() -> SocketInput:
        made.append(SocketInput("127.0.0.1", 0))
        return made[-1]

    def send(engine: Engine, number: int) -> None:
        if number > 6:
            return
        before = _logged(engine)
        try:
            with suppress(OSError):
                made[-1].receive([f"line {number}"])
        finally:
            if _logged(engine) > before:
                stored.append(f"line {number}")

    return IngressCase(
        make=make, elements=lambda: stored, ends=False, before_round=send, rounds=6, abandon=SocketInput.close
    )


def http_egress(folder: Path) -> EgressCase:
    """An egress whose server knows repeated keys."""
    batches: dict[str, bytes] = {}
    egress = HttpEgress("http://localhost/", name="rows", idempotent=True)

    class Answer:
        status = 200

        def open(self, request: Any, timeout: float) -> Any:
            batches.setdefault(request.get_header("Idempotency-key"), request.data)
            return self

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *exception: object) -> None:
            pass

        def read(self, _count: int) -> bytes:
            return b""

    def make() -> HttpEgress:
        made = HttpEgress(egress.url, name=egress.name, idempotent=True)
        made._opener = Answer()  # type: ignore[assignment]
        return made

    def number_of(key: str) -> int:
        return int(key.removeprefix("rows-"))

    return EgressCase(
        make=make,
        results=lambda: [row for key in sorted(batches, key=number_of) for row in json.loads(batches[key])],
    )


def json_lines_folder(folder: Path) -> EgressCase:
    results = folder / "results"
    return EgressCase(
        make=lambda: JsonLinesFolder(results),
        results=lambda: [
            json.loads(line) for path in sorted(results.glob("*.jsonl")) for line in path.read_text().splitlines()
        ],
    )


def sqlite_table(folder: Path) -> EgressCase:
    path = folder / "state.db"
    return EgressCase(
        make=lambda: SqliteTable("numbers", ["number"]),
        results=lambda: [number for (number,) in rows_of(path, "SELECT number FROM numbers ORDER BY rowid")],
        store=lambda: SqliteStore(path),
    )


def rows_of(path: Path, query: str) -> list[Any]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:  # before the first row there is no table
        return []
    finally:
        connection.close()


def memory_store(_folder: Path) -> StoreCase:
    store = MemoryStore()
    return StoreCase(make=store.after_crash)


def sqlite_store(folder: Path) -> StoreCase:
    return StoreCase(make=lambda: SqliteStore(folder / "state.db"))


OWN: dict[str, tuple[Check, Callable[[Path], Any]]] = {
    "AppendedFile": (check_ingress, appended_file),
    "AppendedFile that is rotated": (check_ingress, rotated_file),
    "PushInput": (check_ingress, push_input),
    "LinesFolder": (check_ingress, lines_folder),
    "SqliteRows": (check_ingress, sqlite_rows),
    "HttpInput": (check_ingress, http_input),
    "SocketInput": (check_ingress, socket_input),
    "HttpEgress": (check_egress, http_egress),
    "JsonLinesFolder": (check_egress, json_lines_folder),
    "SqliteTable": (check_egress, sqlite_table),
    "MemoryStore": (check_store, memory_store),
    "SqliteStore": (check_store, sqlite_store),
}


@pytest.mark.parametrize("name", OWN)
def test_sample_of_faults_has_no_findings(name: str, memory_folder: str) -> None:
    check, make_case = OWN[name]
    report = check(make_case, most_runs=SAMPLED_RUNS, temporary_folder=memory_folder)
    report.require_none()
    assert report.runs == SAMPLED_RUNS


@pytest.mark.slow
@pytest.mark.timeout(600)  # up to 1,300 runs
@pytest.mark.parametrize("name", OWN)
def test_fault_in_each_step_has_no_findings(name: str, memory_folder: str) -> None:
    check, make_case = OWN[name]
    report = check(make_case, temporary_folder=memory_folder)
    report.require_none()
    assert report.left_out == 0
    assert report.faults["inside"] > 0
