"""The egress into a table of the store: rows and checkpoint are one transaction."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import (
    CheckpointError,
    Engine,
    FactoryRegistry,
    MemoryStore,
    PushInput,
    SqliteStore,
    SqliteTable,
)
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler

registry = FactoryRegistry()
registry.register("in")(lambda engine: PushInput())
registry.register("rows")(lambda engine, source: engine.stream(source).map(lambda n: (n, n * n)))
registry.register("table")(lambda engine: SqliteTable("squares", ["n", "square"]))


def engine_over(store: Any) -> tuple[Engine, VirtualTime]:
    clock = VirtualTime()
    engine = Engine(store, scheduler=VirtualTimeScheduler(clock), checkpoint_every=None, registry=registry)
    return engine, clock


def rows_in(path: Path) -> list[Any]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT * FROM squares ORDER BY n").fetchall()
    finally:
        connection.close()


def test_rows_come_with_their_checkpoint_and_no_sooner(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    engine, clock = engine_over(SqliteStore(path))
    with engine:
        engine.define("in", "in")
        engine.define("out", "table")
        engine.define("rows", "rows", source="in", into="out")
        engine.push("in", 1, 2)
        clock.advance_to(100_000)
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            rows_in(path)
        engine.checkpoint()
        assert rows_in(path) == [(1, 1), (2, 4)]
        engine.checkpoint()
        assert rows_in(path) == [(1, 1), (2, 4)]


def test_row_that_does_not_fit_fails_the_checkpoint_and_keeps_what_was_stored(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    engine, clock = engine_over(SqliteStore(path))
    engine.start()
    engine.define("in", "in")
    engine.define("out", "table")
    engine.define("rows", "rows", source="in", into="out")
    engine.push("in", 1)
    clock.advance_to(100_000)
    first = engine.checkpoint()
    engine.push("in", 10**30)
    clock.advance_to(300_000)
    with pytest.raises(CheckpointError, match="checkpoint 2 was not stored: OverflowError"):
        engine.checkpoint()
    assert (engine.last_checkpoint, rows_in(path)) == (first, [(1, 1)])
    engine.unload()


def test_store_of_another_kind_is_refused_when_it_is_defined() -> None:
    engine, _ = engine_over(MemoryStore())
    with engine, pytest.raises(ArgumentError, match=r"writes in transactions of 'sqlite', and those .* are 'memory'"):
        engine.define("out", "table")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("state", ["a"]), ArgumentError, "cannot be 'state', which is a table of the store itself"),
        (("past_cell", ["a"]), ArgumentError, "cannot be 'past_cell', which is a table of the store itself"),
        (("sqlite_x", ["a"]), ArgumentError, "take another name"),
        (("", ["a"]), ArgumentError, "needs a name, got ''"),
        ((7, ["a"]), ArgumentTypeError, r"needs a text, got 7 \(int\)"),
        (("t", []), ArgumentError, "needs one name or more"),
        (("t", ["a", "a"]), ArgumentError, "each once"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SqliteTable(*arguments)


def test_names_are_quoted() -> None:
    connection = sqlite3.connect(":memory:")
    table = SqliteTable('a"b; DROP TABLE x', ["select", "c d"])
    table.write_in(connection, 1, [[1, 2]])
    assert connection.execute('SELECT * FROM "a""b; DROP TABLE x"').fetchall() == [(1, 2)]
    connection.close()


def test_key_that_is_no_column_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"key\) needs names of columns, got \['b'\]"):
        SqliteTable("t", ["a"], key=["b"])
