"""The store in PostgreSQL keeps the contract of stores, and withstands the loss of its connection."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import PostgresStore, PostgresTable, Store, StoreError, StoreFencedError, StoreLockedError
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.testing.crash import EgressCase, StoreCase, check_egress, check_store
from tests.conftest import Depth
from tests.engine import postgres_server
from tests.engine.store_contract import FIRST, StoreContract, tabled, written

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

FAULTS = 24
"""How many places of a fault the gate tries; greater depths try more."""

schemas = (f"schema {number}" for number in itertools.count(1))


class TestPostgresStore(StoreContract):
    @pytest.fixture(autouse=True)
    def server(self, conninfo: str) -> None:
        self.conninfo = conninfo

    @pytest.fixture
    def store(self, server: None, tmp_path: Path) -> Iterator[Store]:
        store = self.make(tmp_path)
        store.open()
        yield store
        store.close()

    def make(self, folder: Path) -> Store:
        return PostgresStore(self.conninfo, schema=next(schemas))

    def reopened(self, store: Any) -> Store:
        store.close()
        return PostgresStore(self.conninfo, schema=store.schema)

    def break_lock(self, store: Any) -> Store:
        store._connection.execute("SELECT pg_advisory_unlock_all()")
        newer = PostgresStore(self.conninfo, schema=store.schema)
        newer.open()
        return newer


def opened(conninfo: str, schema: str) -> PostgresStore:
    store = PostgresStore(conninfo, schema=schema)
    store.open()
    return store


def end_session(conninfo: str, store: PostgresStore) -> None:
    import psycopg

    with psycopg.connect(conninfo, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 10000)", (store._connection.info.backend_pid,))


def test_engine_that_starts_waits_until_the_last_one_has_let_go(conninfo: str) -> None:
    last = opened(conninfo, schema := next(schemas))
    ending = threading.Timer(0.3, last._connection.close)  # as the server sees it when a process dies
    ending.start()
    opened(conninfo, schema).close()
    ending.join()
    last.close()


def test_lost_connection_fails_a_call_and_is_made_again(conninfo: str) -> None:
    import psycopg

    store = opened(conninfo, next(schemas))
    store.put_definition(FIRST)
    end_session(conninfo, store)
    with pytest.raises(psycopg.OperationalError):
        store.commit(written(1, orders=b"one"))
    assert store.commit(written(1, orders=b"one")).number == 1
    assert (store.definitions(), store.state_of("orders")) == ([FIRST], b"one")
    store.close()


def test_engine_whose_store_was_taken_over_meanwhile_is_refused(conninfo: str) -> None:
    import psycopg

    store = opened(conninfo, next(schemas))
    end_session(conninfo, store)
    newer = opened(conninfo, store.schema)
    with pytest.raises(psycopg.OperationalError):
        store.put_definition(FIRST)
    with pytest.raises(StoreLockedError, match="holds the advisory lock; stop that engine"):
        store.put_definition(FIRST)
    newer.close()
    with pytest.raises(StoreFencedError, match="let this one end"):
        store.put_definition(FIRST)
    store.close()


def test_schema_of_the_format_before_gets_tables_and_keeps_what_it_has(conninfo: str) -> None:
    store = opened(conninfo, next(schemas))
    store.put_definition(FIRST)
    store.commit(written(1, orders=b"one"))
    store._connection.execute("DROP TABLE keyed, cell, past_cell")
    store._connection.execute("UPDATE engine SET value = '1' WHERE key = 'format'")
    store.close()
    after = opened(conninfo, store.schema)
    assert (after.definitions(), after.state_of("orders")) == ([FIRST], b"one")
    after.commit(tabled(2, rows={2: b"row"}))
    assert after.read_table("orders", "keys", -1, 9) == [(2, b"row")]
    after.close()


def test_schema_of_something_else_is_refused(conninfo: str) -> None:
    import psycopg

    with psycopg.connect(conninfo, autocommit=True) as other:
        other.execute('CREATE SCHEMA "of others"')
        other.execute('CREATE TABLE "of others".engine(key TEXT PRIMARY KEY, value TEXT)')
    with pytest.raises(
        StoreError, match=r"not the store of an engine of this release \(it has 1 tables, format None\)"
    ):
        opened(conninfo, "of others")


def test_server_that_is_not_there_is_told() -> None:
    if reason := postgres_server.missing():
        pytest.skip(reason)
    with pytest.raises(StoreError, match=r"(?s)cannot be used as a store: .*; look at the data"):
        opened("host=127.0.0.1 port=1 connect_timeout=2", "x")


def test_fault_in_a_sample_of_steps_has_no_findings(conninfo: str, depth: Depth) -> None:
    def make_case(_folder: Path) -> StoreCase:
        schema = next(schemas)
        return StoreCase(make=lambda: PostgresStore(conninfo, schema=schema))

    report = check_store(make_case, most_runs=depth.scaled(FAULTS))
    report.require_none()
    assert report.runs >= FAULTS


def made_table(conninfo: str, columns: str) -> str:
    """Return the name of a new table, which has an odd letter."""
    import psycopg

    table = f"100% {next(schemas)}"
    with psycopg.connect(conninfo, autocommit=True) as other:
        other.execute(f'CREATE TABLE public."{table}" ({columns})'.encode())
    return table


def rows_of(conninfo: str, table: str) -> list[Any]:
    import psycopg

    with psycopg.connect(conninfo) as other:
        return other.execute(f'SELECT * FROM public."{table}" ORDER BY 1'.encode()).fetchall()


def test_rows_come_once_with_their_checkpoint_whatever_dies(conninfo: str, depth: Depth) -> None:
    def make_case(_folder: Path) -> EgressCase:
        schema, table = next(schemas), made_table(conninfo, "number BIGINT")
        return EgressCase(
            make=lambda: PostgresTable(table, ["number"]),
            results=lambda: [number for (number,) in rows_of(conninfo, table)],
            store=lambda: PostgresStore(conninfo, schema=schema),
        )

    report = check_egress(make_case, most_runs=depth.scaled(FAULTS))
    report.require_none()
    assert report.runs >= FAULTS


def test_row_replaces_the_one_of_its_key(conninfo: str) -> None:
    store = opened(conninfo, next(schemas))
    table = made_table(conninfo, "airport TEXT PRIMARY KEY, flights INT")
    totals = PostgresTable(table, ["airport", "flights"], key=["airport"])
    names = PostgresTable(table, ["airport"], key=["airport"])
    write = written(1)
    write.writes.append(
        lambda connection: totals.write_in(connection, 1, [("LHR", 1), {"flights": 5, "airport": "ORD"}])
    )
    write.writes.append(lambda connection: totals.write_in(connection, 1, [["LHR", 2]]))
    write.writes.append(lambda connection: names.write_in(connection, 1, ["LHR", "CDG"]))
    store.commit(write)
    assert rows_of(conninfo, table) == [("CDG", None), ("LHR", 2), ("ORD", 5)]
    store.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("", ["a"]), r"PostgresTable\(table\) needs a name"),
        (("t", []), r"PostgresTable\(columns\) needs one name or more"),
    ],
)
def test_names_of_a_table_are_checked_when_it_is_made(arguments: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        PostgresTable(*arguments)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"conninfo": 7}, ArgumentTypeError, r"PostgresStore\(conninfo\) needs a text, got 7"),
        ({"schema": 7}, ArgumentTypeError, r"PostgresStore\(schema\) needs a text, got 7"),
        ({"schema": ""}, ArgumentError, "1 to 63 bytes"),
        ({"schema": "x" * 64}, ArgumentError, "1 to 63 bytes"),
    ],
)
def test_arguments_are_checked_when_it_is_made(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        PostgresStore(**{"conninfo": "", **arguments})
