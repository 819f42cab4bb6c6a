"""The package's own ingresses, egresses and stores have no findings, with a fault in each step of their protocols."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from reactivestreams.engine import (
    AppendedFile,
    Engine,
    JsonLinesFolder,
    MemoryStore,
    PushInput,
    SqliteStore,
    SqliteTable,
)
from reactivestreams.testing.crash import CrashReport, EgressCase, IngressCase, StoreCase
from reactivestreams.testing.crash.checks import check_egress, check_ingress, check_store

SAMPLED_RUNS = 120

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
            engine.push("ingress", number)
        finally:  # also where it is not known otherwise whether it was stored
            if _logged(engine) > before:
                stored.append(number)

    return IngressCase(make=PushInput, elements=lambda: stored, ends=False, before_round=push, rounds=6)


def _logged(engine: Engine) -> int:
    store = engine.store
    assert isinstance(store, MemoryStore)
    return max((position for position, _ in MemoryStore.read_input(store, "ingress", 0, 99)), default=0)


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
@pytest.mark.parametrize("name", OWN)
def test_fault_in_each_step_has_no_findings(name: str, memory_folder: str) -> None:
    check, make_case = OWN[name]
    report = check(make_case, temporary_folder=memory_folder)
    report.require_none()
    assert report.left_out == 0
    assert report.faults["inside"] > 0
