"""The ingress from a table sends its rows in the order of their keys, and goes on after the last one."""

import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import SqliteRows
from reactivestreams.errors import ArgumentError, ArgumentTypeError


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(tmp_path / "shop.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute('CREATE TABLE "the orders"(id INTEGER PRIMARY KEY AUTOINCREMENT, item TEXT)')
    yield connection
    connection.close()


def insert(shop: sqlite3.Connection, *items: str) -> None:
    shop.executemany('INSERT INTO "the orders"(item) VALUES (?)', [(item,) for item in items])


def opened(tmp_path: Path, position: int = 0, bookmark: Any = None, **arguments: Any) -> SqliteRows:
    ingress = SqliteRows(tmp_path / "shop.db", "the orders", ["item"], key="id", **arguments)
    ingress.open(position, bookmark)
    return ingress


def test_rows_come_in_the_order_of_their_keys_and_new_ones_later(tmp_path: Path, shop: sqlite3.Connection) -> None:
    insert(shop, "tea", "cup", "pot")
    shop.execute('DELETE FROM "the orders" WHERE id = 2')
    ingress = opened(tmp_path)
    assert ingress.read(1) == [(1, ("tea",))]
    insert(shop, "milk")
    assert ingress.read(9) == [(2, ("pot",)), (3, ("milk",))]
    assert ingress.read(9) == []
    ingress.close()


def test_it_goes_on_after_the_last_row(tmp_path: Path, shop: sqlite3.Connection) -> None:
    insert(shop, "a", "b", "c")
    first = opened(tmp_path)
    first.read(2)
    first.close()
    second = opened(tmp_path, 2, first.bookmark, follow=False)
    assert second.read(9) == [(3, ("c",))]
    assert second.read(9) is None
    second.close()


def test_file_and_table_may_come_later(tmp_path: Path) -> None:
    ingress = SqliteRows(tmp_path / "late.db", "t", ["v"], key="k")
    ingress.open(0, None)
    assert ingress.read(9) == []
    connection = sqlite3.connect(tmp_path / "late.db", isolation_level=None)
    connection.execute("CREATE TABLE other(x)")
    assert ingress.read(9) == []
    connection.execute("CREATE TABLE t(k INTEGER PRIMARY KEY, v)")
    connection.execute("INSERT INTO t VALUES (-5, NULL), (7, 0.5)")
    assert ingress.read(9) == [(1, (None,)), (2, (0.5,))]
    connection.close()
    ingress.close()


def test_key_that_is_no_number_and_column_that_is_not_there_are_raised(
    tmp_path: Path, shop: sqlite3.Connection
) -> None:
    insert(shop, "tea")
    ingress = SqliteRows(tmp_path / "shop.db", "the orders", ["id"], key="item")
    ingress.open(0, None)
    with pytest.raises(ArgumentTypeError, match="the key of a row is 'tea'"):
        ingress.read(9)
    ingress.close()
    other = SqliteRows(tmp_path / "shop.db", "the orders", ["(SELECT 1)"], key="id")
    other.open(0, None)
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        other.read(9)
    other.close()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"path": 7}, ArgumentTypeError, "needs a path, got 7"),
        ({"table": 7}, ArgumentTypeError, "names that are texts, got 7"),
        ({"table": ""}, ArgumentError, "names that are not empty"),
        ({"columns": []}, ArgumentError, "one name or more"),
        ({"columns": "item"}, ArgumentError, "one name or more, got 'item'"),
        ({"poll_interval": 7}, ArgumentTypeError, "needs a timedelta, got 7"),
        ({"poll_interval": timedelta()}, ArgumentError, "needs a time above 0"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SqliteRows(**{"path": "x", "table": "t", "columns": ["a"], "key": "k", **arguments})
