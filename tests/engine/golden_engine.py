"""The golden stores: an engine that was stopped in the middle, as a release has stored it, in `tests/engine/golden`.

`sqlite.<format>.sql` has all rows of all tables, with 0 for times; `postgres.<format>.txt` has the columns and
keys of the tables. A file stays as it is, since there are stores like it. `python -m tests.engine.golden_engine` writes
those that are missing; where the layout or the encoding has changed, first raise the format of the store, or the
version of the state that has changed.
"""

import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

from reactivestreams.engine import (
    BuildContext,
    Engine,
    FactoryRegistry,
    PushInput,
    SqliteStore,
    SqliteTable,
    TwoPhaseEgress,
    postgres_store,
    sqlite_store,
)
from reactivestreams.schedulers import VirtualTime, VirtualTimeScheduler
from reactivestreams.subjects import ReplaySubject

FOLDER = Path(__file__).parent / "golden"
SQLITE = f"sqlite.{sqlite_store.FORMAT}.sql"
POSTGRES = f"postgres.{postgres_store.FORMAT}.txt"

TIMES = ("began", "committed", "pause_us")
"""Columns that differ from run to run."""

ORDERS = [("tea", 3), ("cup", 7), ("tea", 5), ("pot", 20), ("cup", 9), ("tea", 4), ("jug", 15), ("cup", 8)]
"""The orders of the first process: five before its first checkpoint, three before its second one."""

LATE = [("pot", 21), ("tea", 6)]
"""The orders that were stored after the last checkpoint, and have not flowed."""

OPTIONS: dict[str, Any] = {
    "none": None,
    "whole": [True, -1, 2**70],
    "real": (0.5, Decimal("1.50")),
    "text": "\u00fc",
    "bytes": b"\x00\xff",
    "time": [datetime(2026, 1, 2, 3, 4, 5, 6, UTC), date(2026, 1, 2), timedelta(milliseconds=7)],
    "id": UUID(int=8),
    "set": frozenset({9}),
}
"""Arguments of the kinds that a definition can have."""


def product_of(order: tuple[str, int]) -> str:
    return order[0]


def price_of(order: tuple[str, int]) -> int:
    return order[1]


def added(before: tuple[str, int], order: tuple[str, int]) -> tuple[str, int]:
    return order[0], before[1] + order[1]


class Ledger(TwoPhaseEgress):
    """Has the rows of a batch as its token, and fails to commit until it may."""

    def __init__(self, lines: list[Any], may_commit: bool) -> None:
        self._lines = lines
        self._may_commit = may_commit

    def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> Any:
        return list(rows)

    def commit(self, checkpoint_id: int, token: Any) -> None:
        if not self._may_commit:
            raise OSError("the ledger is away")
        self._lines.append((checkpoint_id, token))

    def abort(self, last_committed: int) -> None:
        pass


class GoldenEngine:
    """An engine over a store, in virtual time.

    Attributes:
        engine: The engine.
        lines: The batches that its ledger has.
    """

    def __init__(self, store: Any, *, may_commit: bool = True, version: int = 1) -> None:
        registry = FactoryRegistry()
        self.lines: list[tuple[int, list[Any]]] = []
        self._clock = VirtualTime()
        self._now = 0

        @registry.register("golden/orders")
        def orders(engine: BuildContext) -> PushInput:
            return PushInput()

        @registry.register("golden/table")
        def table(engine: BuildContext, *, name: str) -> SqliteTable:
            return SqliteTable(name, ["product", "total"])

        @registry.register("golden/ledger")
        def ledger(engine: BuildContext) -> Ledger:
            return Ledger(self.lines, may_commit)

        @registry.register("golden/latest")
        def latest(engine: BuildContext, *, count: int) -> ReplaySubject[int]:
            return ReplaySubject(count)

        @registry.register("golden/totals")
        def totals(engine: BuildContext, *, orders: str) -> Any:
            return engine.stream(orders).key_by(product_of, max_keys=9).scan(added, ("", 0))

        @registry.register("golden/triples", version, migrate=lambda before, arguments: {**arguments, "length": 3})
        def triples(engine: BuildContext, *, orders: str, options: dict[str, Any], length: int = 3) -> Any:
            return engine.stream(orders).map(price_of).buffer(length)

        @registry.register("golden/prices")
        def prices(engine: BuildContext, *, source: str) -> Any:
            return engine.stream(source).map(price_of).distinct()

        @registry.register("golden/pairs")
        def pairs(engine: BuildContext, *, source: str) -> Any:
            return engine.stream(source).buffer(2)

        scheduler = VirtualTimeScheduler(self._clock)
        self.engine: Engine = Engine(store, scheduler=scheduler, checkpoint_every=None, registry=registry)

    def define(self) -> None:
        define = self.engine.define
        define("orders", "golden/orders")
        define("table", "golden/table", name="results")
        define("ledger", "golden/ledger")
        define("latest", "golden/latest", count=2)
        define("totals", "golden/totals", into="table", orders="orders")
        define("triples", "golden/triples", into="ledger", orders="orders", options=OPTIONS)
        define("prices", "golden/prices", into="latest", source="orders")
        define("pairs", "golden/pairs", source="latest")

    def flow(self, *orders: tuple[str, int]) -> None:
        """Push orders, let all flow that is there, and take a checkpoint."""
        if orders:
            self.engine.push("orders", *orders)
        self._now += 100_000
        self._clock.advance_to(self._now)
        self.engine.checkpoint()


def written(path: Path) -> str:
    """Let a first process write a store, and return it as text."""
    first = GoldenEngine(SqliteStore(path), may_commit=False)
    first.engine.start()
    first.define()
    first.flow(*ORDERS[:5])
    first.flow(*ORDERS[5:])
    first.engine.push("orders", *LATE)
    first.engine.unload()
    return dumped(path)


def dumped(path: Path) -> str:
    """Return statements that make a store anew, a line each."""
    with closing(sqlite3.connect(path)) as connection:
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        lines = [f"PRAGMA application_id = {application_id}"]
        tables = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
        ).fetchall()
        for name, sql in tables:
            lines.append(" ".join(sql.split()))
            columns = [column[1] for column in connection.execute(f"PRAGMA table_info({name})")]
            shown = ["0" if column in TIMES else f"quote({column})" for column in columns]
            order = ", ".join(str(place) for place in range(1, len(columns) + 1))
            rows = connection.execute(f"SELECT {', '.join(shown)} FROM {name} ORDER BY {order}")
            lines += [f"INSERT INTO {name} VALUES ({', '.join(map(str, row))})" for row in rows]
    return "".join(f"{line};\n" for line in lines)


def restored(name: str, path: Path) -> Path:
    """Make a store of a golden file."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((FOLDER / name).read_text(encoding="utf-8"))
    return path


def postgres_layout(conninfo: str, schema: str) -> str:
    """Return the columns and the indexes of the tables in a schema, a line each."""
    import psycopg

    with psycopg.connect(conninfo) as connection:
        columns = connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable, is_identity FROM information_schema.columns "
            "WHERE table_schema = %s ORDER BY table_name, ordinal_position",
            (schema,),
        ).fetchall()
        keys = connection.execute(
            "SELECT indexname, replace(indexdef, schemaname || '.', '') FROM pg_indexes WHERE schemaname = %s "
            "ORDER BY indexname",
            (schema,),
        ).fetchall()
    lines = [
        f"{table}.{column} {kind}{'' if nullable == 'YES' else ' not null'}{' identity' if identity == 'YES' else ''}"
        for table, column, kind, nullable, identity in columns
    ]
    return "".join(f"{line}\n" for line in [*lines, *(definition for _, definition in keys)])


def main() -> int:
    from tests.engine import postgres_server

    FOLDER.mkdir(exist_ok=True)
    if not (FOLDER / SQLITE).exists():
        with tempfile.TemporaryDirectory() as folder:
            (FOLDER / SQLITE).write_text(written(Path(folder) / "state.db"), encoding="utf-8")
        print(f"wrote {FOLDER.name}/{SQLITE}")
    if not (FOLDER / POSTGRES).exists():
        with postgres_server.running() as conninfo:
            store = postgres_store.PostgresStore(conninfo, schema="golden")
            store.open()
            (FOLDER / POSTGRES).write_text(postgres_layout(conninfo, "golden"), encoding="utf-8")
            store.close()
        print(f"wrote {FOLDER.name}/{POSTGRES}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
