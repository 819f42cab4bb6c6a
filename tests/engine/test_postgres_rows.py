"""The ingress from a table in PostgreSQL leaves no row out, in whatever order transactions commit."""

import itertools
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import Engine, MemoryStore, PostgresRows, factories
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing.crash import IngressCase, check_ingress

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture
def shop(conninfo: str) -> Iterator[Any]:
    import psycopg

    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute('DROP TABLE IF EXISTS "the 100% orders ?"')
        connection.execute('CREATE TABLE "the 100% orders ?"(id BIGINT GENERATED ALWAYS AS IDENTITY, item TEXT)')
        yield connection


def insert(connection: Any, *items: str) -> None:
    for item in items:
        connection.execute("""INSERT INTO "the 100%% orders ?"(item) VALUES (%s)""", (item,))


def opened(conninfo: str, position: int = 0, bookmark: Any = None, **arguments: Any) -> PostgresRows:
    ingress = PostgresRows(conninfo, "the 100% orders ?", ["item"], key="id", **arguments)
    ingress.open(position, bookmark)
    return ingress


def test_rows_come_in_the_order_of_their_keys_and_new_ones_later(conninfo: str, shop: Any) -> None:
    insert(shop, "tea", "cup", "pot")
    shop.execute('DELETE FROM "the 100% orders ?" WHERE id = 2')
    ingress = opened(conninfo)
    assert ingress.read(1) == [(1, ("tea",))]
    insert(shop, "milk")
    assert ingress.read(9) == [(2, ("pot",)), (3, ("milk",))]
    assert ingress.read(9) == []
    ingress.close()
    rest = opened(conninfo, 2, 3, follow=False)
    assert rest.read(9) == [(3, ("milk",))]
    assert rest.read(9) is None
    rest.close()


def test_lower_key_that_is_committed_after_a_higher_one_is_not_left_out(conninfo: str, shop: Any) -> None:
    import psycopg

    ingress = opened(conninfo, follow=False)
    with psycopg.connect(conninfo) as slow:
        insert(slow, "first")
        insert(shop, "second")
        assert ingress.read(9) == []  # and it does not end
        slow.commit()
        assert ingress.read(9) == [(1, ("first",)), (2, ("second",))]
    ingress.close()


def test_every_row_of_many_who_insert_at_once_comes_once(conninfo: str, shop: Any) -> None:
    import psycopg

    def insert_some(name: str) -> None:
        with psycopg.connect(conninfo) as connection:
            for number in range(50):
                insert(connection, f"{name} {number}", f"{name} {number} too")
                (connection.rollback if number % 5 == 0 else connection.commit)()

    threads = [threading.Thread(target=insert_some, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    ingress = opened(conninfo)
    rows: list[Any] = []
    while any(thread.is_alive() for thread in threads):
        rows += ingress.read(7) or ()
    while more := ingress.read(99):
        rows += more
    ingress.close()
    expected = [row for (row,) in shop.execute('SELECT item FROM "the 100% orders ?" ORDER BY id')]
    assert len(expected) == 4 * 40 * 2
    assert [item for _, (item,) in rows] == expected
    assert [position for position, _ in rows] == list(range(1, len(rows) + 1))


def test_table_may_come_later_and_a_lost_connection_is_made_again(conninfo: str, shop: Any) -> None:
    import psycopg

    shop.execute('DROP TABLE "the 100% orders ?"')
    ingress = opened(conninfo)
    assert ingress.read(9) == []
    shop.execute('CREATE TABLE "the 100% orders ?"(id INT, item TEXT)')
    shop.execute("""INSERT INTO "the 100% orders ?" VALUES (-5, NULL)""")
    assert ingress.read(9) == [(1, (None,))]
    shop.execute("SELECT pg_terminate_backend(%s, 10000)", (ingress._connection.info.backend_pid,))
    with pytest.raises(psycopg.OperationalError):
        ingress.read(9)
    assert ingress.read(9) == []
    ingress.close()


def test_query_of_an_engine_takes_its_rows(conninfo: str, shop: Any) -> None:
    insert(shop, "tea", "cup")

    @factories.register("postgres rows/orders", version=1)
    def orders(_engine: Any) -> PostgresRows:
        return PostgresRows(conninfo, "the 100% orders ?", ["item"], key="id", follow=False)

    seen: list[Any] = []

    @factories.register("postgres rows/seen", version=1)
    def items(engine: Any, *, orders: str) -> Any:
        return engine.stream(orders).do(on_next=seen.append)

    def define(engine: Engine) -> None:
        engine.define("orders", orders)
        engine.define("seen", items, orders="orders")

    with Engine(MemoryStore(), define=define) as engine:
        while engine.find("seen").status == "running":
            time.sleep(0.01)
        assert engine.find("seen").status == "ended"
    assert seen == [("tea",), ("cup",)]


def test_faults_lose_and_repeat_nothing(conninfo: str, shop: Any) -> None:
    numbers = itertools.count(1)

    def make_case(_folder: Path) -> IngressCase:
        table = f"orders {next(numbers)}"
        shop.execute(f'CREATE TABLE "{table}"(id BIGINT GENERATED ALWAYS AS IDENTITY, item INT)')

        def insert_round(_engine: Engine, number: int) -> None:
            if number <= 2:
                shop.execute(f'INSERT INTO "{table}"(item) VALUES (%s), (%s)', (number, -number))

        return IngressCase(
            make=lambda: PostgresRows(conninfo, table, ["item"], key="id"),
            elements=[(item,) for number in (1, 2) for item in (number, -number)],
            ends=False,
            before_round=insert_round,
            rounds=2,
            abandon=PostgresRows.close,
        )

    report = check_ingress(make_case, most_runs=60)
    assert report.runs >= 60
    assert not report.findings, str(report)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"conninfo": 7}, ArgumentTypeError, "needs a text, got 7"),
        ({"table": 7}, ArgumentTypeError, "names that are texts, got 7"),
        ({"schema": ""}, ArgumentError, "PostgresRows"),
        ({"columns": []}, ArgumentError, "one name or more"),
        ({"poll_interval": timedelta()}, ArgumentError, "needs a time above 0"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PostgresRows(**{"conninfo": "", "table": "t", "columns": ["a"], "key": "k", **arguments})
