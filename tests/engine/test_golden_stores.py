"""A store that an earlier release wrote is opened and goes on, and this release writes the same as the newest one."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reactivestreams.engine import SqliteStore
from reactivestreams.engine.postgres_store import PostgresStore
from reactivestreams.engine.sqlite_table import OWN_TABLES
from reactivestreams.engine.state_codec import StateCodec
from tests.engine.golden_engine import (
    FOLDER,
    LATE,
    OPTIONS,
    ORDERS,
    POSTGRES,
    SQLITE,
    GoldenEngine,
    dumped,
    postgres_layout,
    restored,
    written,
)

STORES = sorted(path.name for path in FOLDER.glob("sqlite.*.sql"))


def totals_of(orders: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the rows of the table for orders, in the order of the orders."""
    sums: dict[str, int] = {}
    rows: list[tuple[str, int]] = []
    for product, price in orders:
        sums[product] = sums.get(product, 0) + price
        rows.append((product, sums[product]))
    return rows


def rows_in(path: Path) -> list[tuple[str, int]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT product, total FROM results").fetchall()


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("version", [1, 2])
def test_engine_goes_on_in_the_store_of_an_earlier_release(name: str, version: int, tmp_path: Path) -> None:
    path = restored(name, tmp_path / "state.db")
    golden = GoldenEngine(SqliteStore(path), version=version)
    with golden.engine as engine:
        assert [each.status for each in engine.artifacts()] == ["running"] * 8
        arguments = {"orders": "orders", "options": OPTIONS, **({} if version == 1 else {"length": 3})}
        assert engine.find("triples").arguments == arguments
        golden.flow()
        golden.flow(("pot", 1))

    assert sorted(rows_in(path)) == sorted(totals_of([*ORDERS, *LATE, ("pot", 1)]))
    prices = [price for _, price in [*ORDERS, *LATE]]
    assert [row for _, batch in golden.lines for row in batch] == [prices[first : first + 3] for first in (0, 3, 6)]
    assert [number for number, _ in golden.lines] == [1, 2, 3]


@pytest.mark.parametrize("name", STORES)
def test_store_of_an_earlier_release_is_whole(name: str, tmp_path: Path) -> None:
    store = SqliteStore(restored(name, tmp_path / "state.db"))
    store.open()
    assert store.verify() == []
    store.close()


def test_this_release_stores_the_same(tmp_path: Path) -> None:
    """Where this fails since the layout or the encoding has changed: see `tests/engine/golden_engine.py`."""
    golden = (FOLDER / SQLITE).read_text(encoding="utf-8")
    assert written(tmp_path / "state.db").splitlines() == golden.splitlines()


def test_golden_store_has_rows_in_each_table(tmp_path: Path) -> None:
    path = restored(SQLITE, tmp_path / "state.db")
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        empty = [name for name in names if not connection.execute(f"SELECT 1 FROM {name}").fetchone()]
    assert empty == []
    assert {*names} == {*OWN_TABLES, "results"}


def test_dump_makes_the_same_store_again(tmp_path: Path) -> None:
    assert dumped(restored(SQLITE, tmp_path / "state.db")) == (FOLDER / SQLITE).read_text(encoding="utf-8")


def test_arguments_and_tokens_are_those_that_were_encoded(tmp_path: Path) -> None:
    codec = StateCodec()
    found = re.findall(r"'golden/triples', 1, X'(\w+)'", (FOLDER / SQLITE).read_text(encoding="utf-8"))
    assert [codec.decode(bytes.fromhex(data))["arguments"]["options"] for data in found] == [OPTIONS]


@pytest.mark.slow
def test_tables_in_postgresql_are_those_of_their_format(conninfo: str) -> None:
    """Where this fails since the layout has changed: see `tests/engine/golden_engine.py`."""
    store = PostgresStore(conninfo, schema="golden")
    store.open()
    try:
        layout = postgres_layout(conninfo, "golden")
    finally:
        store.close()
    assert layout.splitlines() == (FOLDER / POSTGRES).read_text(encoding="utf-8").splitlines()
