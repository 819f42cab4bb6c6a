"""The process that is killed: an engine over a SQLite file, from a log to a table and a folder.

usage: python -m tests.engine_crash.crash_child FOLDER STEP COUNT HOW

It writes each step that it comes to into a shared file. When it comes to STEP for the COUNT-th time it says so, and
waits there to be killed (HOW is `at`), or goes on (`after`). STEP `-` names none.
"""

import mmap
import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from reactivestreams.engine import (
    AppendedFile,
    BuildContext,
    Engine,
    JsonLinesFolder,
    SqliteStore,
    SqliteTable,
    factories,
)

STEP_BYTES = 32
KEYS = 7
SECONDS_A_ROW = 0.0005


@factories.register("crash/log")
def log(engine: BuildContext, *, path: str) -> AppendedFile:
    return AppendedFile(path, follow=False)


@factories.register("crash/table")
def table(engine: BuildContext) -> SqliteTable:
    return SqliteTable("sums", ["number", "key", "total"])


@factories.register("crash/folder")
def folder(engine: BuildContext, *, path: str) -> JsonLinesFolder:
    return JsonLinesFolder(path)


@factories.register("crash/sums")
def sums(engine: BuildContext, *, source: str) -> Any:
    def added(before: tuple[int, int, int], number: int) -> tuple[int, int, int]:
        return number, number % KEYS, before[2] + number

    return engine.stream(source).map(number_of).key_by(key_of).scan(added, (0, 0, 0)).map(slowed)


@factories.register("crash/triples")
def triples(engine: BuildContext, *, source: str) -> Any:
    return engine.stream(source).map(number_of).buffer(3)


def number_of(line: str) -> int:
    return int(line.partition(" ")[2])


def key_of(number: int) -> int:
    return number % KEYS


def slowed(row: tuple[int, int, int]) -> tuple[int, int, int]:
    time.sleep(SECONDS_A_ROW)
    return row


@contextmanager
def steps_noted(here: Path, target: str, count: int, how: str) -> Generator[Callable[[str], None]]:
    """Return what writes the steps, and waits to be killed at the one that is named."""
    with (here / "step").open("r+b") as file, mmap.mmap(file.fileno(), STEP_BYTES) as step:
        left = count

        def note(name: str) -> None:
            nonlocal left
            step[:] = name.encode().ljust(STEP_BYTES)
            if name == target:
                left -= 1
                if left == 0:
                    os.write(1, b"!")
                    if how == "at":
                        time.sleep(600)

        yield note
        note("done")


def main(directory: str, target: str, count: int, how: str) -> None:
    here = Path(directory)
    with steps_noted(here, target, count, how) as note:

        def define(engine: Engine) -> None:
            note("defining")
            engine.define("log", log, path=str(here / "numbers.log"))
            engine.define("table", table)
            engine.define("folder", folder, path=str(here / "triples"))
            engine.define("sums", sums, source="log", into="table")
            engine.define("triples", triples, source="log", into="folder")

        store = SqliteStore(here / "state.db")
        with Engine(store, define=define, checkpoint_every=timedelta(milliseconds=3), on_step=note) as engine:
            while not all(engine.find(each).status == "ended" for each in ("table", "folder")):
                if any(engine.find(each).status == "failed" for each in ("log", "sums", "triples")):
                    raise SystemExit(f"an artifact failed: {[each.error for each in engine.artifacts()]}")
                time.sleep(0.002)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
