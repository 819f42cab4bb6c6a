"""The store in SQLite keeps the contract of stores, and withstands what happens to files."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import Definition, SqliteStore, Store, StoreError, StoreLockedError
from reactivestreams.errors import ArgumentTypeError
from tests.engine.store_contract import FIRST, StoreContract, tabled, written


class TestSqliteStore(StoreContract):
    def make(self, folder: Path) -> Store:
        return SqliteStore(folder / "state.db")

    def reopened(self, store: Any) -> Store:
        store.close()
        return SqliteStore(store.path)

    def break_lock(self, store: Any) -> Store:
        store._file_lock.release()
        newer = SqliteStore(store.path)
        newer.open()
        return newer


def opened(path: Path) -> SqliteStore:
    store = SqliteStore(path)
    store.open()
    return store


def test_file_says_what_it_is_and_is_synchronous(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.db")
    cursor = store._cursor()
    answers = [
        cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "journal_mode", "synchronous")
    ]
    assert answers == [0x52534547, "wal", 2]
    store.close()


def test_process_that_holds_the_file_is_named(tmp_path: Path) -> None:
    script = (
        "import sys; from reactivestreams.engine import SqliteStore; SqliteStore(sys.argv[1]).open(); "
        "print('open', flush=True); sys.stdin.read()"
    )
    path = tmp_path / "state.db"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        with pytest.raises(StoreLockedError, match=rf"locked by process {process.pid}; stop that engine"):
            opened(path)
        process.kill()
        process.wait()
    store = opened(path)  # the lock dies with the process
    store.close()


@pytest.mark.parametrize("content", [b"", b"not a database, but long enough to be one " * 30])
def test_file_of_something_else_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.db"
    path.write_bytes(content)
    if content:
        with pytest.raises(StoreError, match=r"cannot be used as a store: .*restore a backup, or take another file"):
            opened(path)
        assert path.read_bytes() == content
    else:
        opened(path).close()


def test_database_of_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users(name)")
    connection.close()
    with pytest.raises(StoreError, match=r"is a database of something else .*; take another file"):
        opened(path)


def test_format_of_a_later_release_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    store = opened(path)
    store._cursor().execute("UPDATE engine SET value = X'39' WHERE key = 'format'")
    store.close()
    with pytest.raises(StoreError, match="has format 9, and this release reads format 2"):
        opened(path)


def test_file_of_the_format_before_gets_tables_and_keeps_what_it_has(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.db")
    store.put_definition(FIRST)
    store.commit(written(1, orders=b"one"))
    for table in ("keyed", "cell", "past_cell"):
        store._cursor().execute(f"DROP TABLE {table}")
    store._cursor().execute("UPDATE engine SET value = X'31' WHERE key = 'format'")
    store.close()
    for number in (2, 3):
        after = opened(tmp_path / "state.db")
        assert (after.definitions(), after.state_of("orders")) == ([FIRST], b"one" if number == 2 else b"state")
        after.commit(tabled(number, rows={number: b"row"}))
        after.close()
    after.open_to_read()
    assert after.read_table("orders", "keys", -1, 9) == [(2, b"row"), (3, b"row")]
    after.close()


def test_backup_can_be_made_while_the_store_is_written(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.db")
    store.put_definition(FIRST)
    store.commit(written(1, orders=b"one"))
    with sqlite3.connect(tmp_path / "state.db") as source, sqlite3.connect(tmp_path / "copy.db") as target:
        source.backup(target)
    source.close()
    target.close()
    store.commit(written(2, orders=b"two"))
    copy = opened(tmp_path / "copy.db")
    assert (copy.definitions(), copy.state_of("orders")) == ([FIRST], b"one")
    copy.close()
    store.close()


def test_full_disk_leaves_the_last_checkpoint(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.db")
    store.commit(written(1, orders=b"one"))
    (pages,) = store._cursor().execute("PRAGMA page_count").fetchone()
    store._cursor().execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(sqlite3.OperationalError, match="full"):
        store.commit(written(2, orders=b"x" * 100_000))
    assert (store.last_checkpoint() or written(0)).number == 1
    assert store.state_of("orders") == b"one"
    store._cursor().execute("PRAGMA max_page_count = 100000")
    assert store.commit(written(2, orders=b"x" * 100_000)).number == 2
    store.close()


@pytest.mark.parametrize("statement", range(8))
def test_commit_that_breaks_off_at_any_statement_leaves_nothing(tmp_path: Path, statement: int) -> None:
    path = tmp_path / "state.db"
    store = opened(path)
    store.commit(written(1, orders=b"one"))
    executed = 0

    def trace(_sql: str) -> None:
        nonlocal executed
        executed += 1
        if executed == statement + 1:
            store._cursor().connection.interrupt()

    store._cursor().connection.set_trace_callback(trace)
    write = written(2, orders=b"two", totals=b"two")
    write.prepared["out"] = b"token"
    try:
        store.commit(write)
        is_stored = True
    except sqlite3.OperationalError:
        is_stored = False
    store.close()
    after = opened(path)
    last = after.last_checkpoint()
    assert last is not None
    expected = (2, b"two", b"two", 1) if last.number == 2 else (1, b"one", None, 0)
    actual = (last.number, after.state_of("orders"), after.state_of("totals"), len(after.prepared_of("out")))
    assert actual == expected
    assert not is_stored or last.number == 2
    after.close()


def test_flipped_bytes_at_the_head_of_any_page_are_found(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    store = opened(path)
    for number in range(1, 20):
        store.put_definition(Definition(f"artifact {number}", "query", "shop/x", 1, b"y" * 200, "z\n", number))
        store.commit(written(number, orders=b"z" * 300))
        store.append_input("orders", [b"x" * 100])
    store._cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    whole = path.read_bytes()
    pages = len(whole) // 4096
    assert pages > 10
    for page in range(1, pages):
        content = bytearray(whole)
        content[page * 4096 : page * 4096 + 16] = b"\xa5" * 16
        path.write_bytes(content)
        path.with_name("state.db-wal").unlink(missing_ok=True)
        path.with_name("state.db-shm").unlink(missing_ok=True)
        damaged = SqliteStore(path)
        try:
            damaged.open()
            found = damaged.verify()
        except StoreError as error:
            found = [str(error)]
        finally:
            damaged.close()
        assert found != [], f"page {page}"


def test_rows_of_what_is_not_defined_are_found_by_verify(tmp_path: Path) -> None:
    store = opened(tmp_path / "state.db")
    store.commit(written(1, orders=b"one"))
    assert store.verify() == ["state has rows of 'orders', which is not defined"]
    store.close()


def test_path_is_checked_when_the_store_is_made() -> None:
    with pytest.raises(ArgumentTypeError, match=r"needs a path, got 7 \(int\); pass e.g. 'state.db'"):
        SqliteStore(7)  # type: ignore[arg-type]
