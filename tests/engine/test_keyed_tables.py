"""The state of keyed operators is in tables: a checkpoint writes the keys that have changed; a recovery has all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Stream, pipeline
from reactivestreams.engine import Checkpoint, CheckpointError, CheckpointWrite, Engine, TableWrite
from reactivestreams.errors import ReactiveStreamsError, StateError
from reactivestreams.state import (
    SnapshotReader,
    SnapshotWriter,
    StateLimits,
    StateRegistry,
    load_nodes,
    save_nodes,
    save_tree,
    saved_records,
)
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.engine.hosted import Hosted, Written, added


def key_of(number: int) -> int:
    return number % 10


def time_of(number: int) -> int:
    return number


OPERATORS: dict[str, Callable[[Any], Any]] = {
    "scan": lambda keyed: keyed.scan(added, 0),
    "take": lambda keyed: keyed.take(2),
    "distinct": lambda keyed: keyed.distinct(),
    "count": lambda keyed: keyed.count(),
    "reduce": lambda keyed: keyed.reduce(added, 0),
    "aggregate": lambda keyed: keyed.aggregate(n="count", total="sum", mean="mean"),
    "buffer": lambda keyed: keyed.buffer(3),
    "through": lambda keyed: keyed.through(pipeline().scan(added, 0).map(str)),
    "expiring scan": lambda keyed: keyed.expire_after(25, event_time=time_of).scan(added, 0),
    "expiring count": lambda keyed: keyed.expire_after(25, event_time=time_of).count(),
}


class Queries(Hosted):
    """Hosts one keyed query, and knows what each checkpoint has written to its table."""

    def __init__(self, add: Callable[[Any], Any], key: Callable[[Any], Any] = key_of, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.add = add
        self.registry.register("keyed")(lambda engine, source: add(engine.stream(source).key_by(key)))
        self.registry.register("ending")(lambda engine, source, most: add(engine.stream(source).take(most).key_by(key)))

    def define(self, engine: Engine) -> None:
        engine.define("in", "in")
        engine.define("out", "out")
        engine.define("keyed", "keyed", source="in", into="out")

    def checkpoint(self, kind: str = "differential") -> TableWrite:
        """Take a checkpoint, and return what it wrote to the table of the query."""
        written: list[CheckpointWrite] = []
        real = self.store.commit

        def commit(write: CheckpointWrite) -> Checkpoint:
            written.append(write)
            return real(write)

        self.store.commit = commit  # type: ignore[method-assign]
        try:
            self.engine.checkpoint(kind)
        finally:
            del self.store.commit
        tables = written[0].tables["keyed"] if written and "keyed" in written[0].tables else {}
        (table,) = tables.values() if tables else [TableWrite({})]
        return table

    def table(self) -> str:
        """Return the name of the table."""
        (name,) = self.store.table_sizes("keyed")
        return name

    def rows_of_table(self) -> int:
        """Return how many rows the table has."""
        return sum(rows for rows, _ in self.store.table_sizes("keyed").values())

    def again(self, **arguments: Any) -> None:
        self.crash(**arguments)
        self.engine.start()
        self.settle()


@pytest.fixture
def queries(request: Any) -> Iterator[Queries]:
    hosted = Queries(OPERATORS[request.param])
    hosted.start()
    yield hosted
    hosted.engine.unload()


def over_all(test: Any) -> Any:
    return pytest.mark.parametrize("queries", OPERATORS, indirect=True)(test)


@over_all
def test_checkpoint_writes_the_keys_that_have_changed(queries: Queries) -> None:
    queries.push(*range(1, 11))
    assert (len(queries.checkpoint().rows), queries.rows_of_table()) == (10, 10)
    queries.push(21, 22)
    written = queries.checkpoint()
    assert (len(written.rows), written.is_whole) == (2, False)
    assert queries.checkpoint().rows == {}
    full = queries.checkpoint("full")
    assert (len(full.rows), full.is_whole) == (queries.rows_of_table(), True)


@over_all
def test_queries_go_on_with_their_keys_after_each_crash(queries: Queries) -> None:
    uninterrupted = Queries(queries.add)
    uninterrupted.start()
    for hosted, crashes in ((uninterrupted, False), (queries, True)):
        for place, number in enumerate([3, 14, 14, 25, 26, 37, 38, 38, 49, 50, 61, 62, 63, 74, 75, 76, 77, 98, 99]):
            hosted.push(number)
            if place % 3 != 2:
                hosted.engine.checkpoint("full" if place % 7 == 6 else "differential")
            if crashes and place % 2:
                hosted.again()
        hosted.engine.checkpoint()
    assert queries.rows == uninterrupted.rows
    uninterrupted.engine.unload()


@over_all
def test_keys_are_sent_at_the_end_wherever_the_process_dies(queries: Queries) -> None:
    queries.engine.delete("keyed")
    queries.registry.register("slow out")(lambda engine: Written(queries.batches, 2))  # two rows for each checkpoint
    queries.engine.define("slow", "slow out")
    queries.engine.define("keyed", "ending", source="in", most=12, into="slow")
    queries.push(*range(1, 11), 21, 22, 99)
    for _ in range(30):
        queries.engine.checkpoint()
        queries.again()
    plain = Stream.from_iterable([*range(1, 11), 21, 22])
    assert queries.rows == queries.add(plain.key_by(key_of)).to_list()
    assert queries.engine.find("keyed").status == "ended"


@over_all
def test_rows_of_a_checkpoint_that_was_not_stored_are_part_of_the_next_one(queries: Queries) -> None:
    queries.push(*range(1, 11))
    queries.engine.checkpoint()
    real = queries.store.commit

    def fail(write: CheckpointWrite) -> Checkpoint:
        raise OSError("the disk is full")

    for numbers in ([31], [32, 33]):
        queries.push(*numbers)
        queries.store.commit = fail  # type: ignore[method-assign]
        with pytest.raises(CheckpointError, match="the disk is full"):
            queries.engine.checkpoint()
        queries.store.commit = real  # type: ignore[method-assign]
    queries.push(34)
    assert len(queries.checkpoint().rows) == 4
    assert queries.checkpoint().rows == {}


@pytest.mark.parametrize("queries", ["scan", "through"], indirect=True)
def test_table_that_was_never_stored_is_written_whole(queries: Queries) -> None:
    real = queries.store.commit

    def fail(write: CheckpointWrite) -> Checkpoint:
        raise OSError("the disk is full")

    queries.push(1, 2)
    queries.store.commit = fail  # type: ignore[method-assign]
    with pytest.raises(CheckpointError):
        queries.engine.checkpoint()
    queries.store.commit = real  # type: ignore[method-assign]
    queries.push(3)
    written = queries.checkpoint()
    assert (len(written.rows), written.is_whole) == (3, True)


@pytest.mark.parametrize("queries", ["scan", "through"], indirect=True)
def test_commit_that_succeeds_and_raises_counts_for_the_rows(queries: Queries) -> None:
    queries.push(1, 2)
    real = queries.store.commit

    def lie(write: CheckpointWrite) -> Checkpoint:
        real(write)
        raise OSError("the connection was lost")

    queries.store.commit = lie  # type: ignore[method-assign]
    queries.engine.checkpoint()
    queries.store.commit = real  # type: ignore[method-assign]
    queries.push(3)
    written = queries.checkpoint()
    assert (len(written.rows), written.is_whole) == (1, False)


def test_key_that_expires_is_deleted_from_the_table_and_may_come_again() -> None:
    queries = Queries(OPERATORS["expiring count"])
    queries.start()
    queries.push(1, 2)
    queries.engine.checkpoint()
    before = dict(queries.store.read_table("keyed", queries.table(), -1, 9))
    queries.push(30, 31)
    written = queries.checkpoint()
    assert sorted(written.deleted) == sorted(before)
    assert len(written.rows) == queries.rows_of_table() == 2
    assert not set(before) & set(written.rows)
    queries.again()
    queries.push(60)
    queries.engine.checkpoint()
    assert queries.rows == [(1, 1), (2, 1), (0, 1), (1, 1)]
    queries.engine.unload()


def test_more_keys_than_values_of_a_record_are_stored() -> None:
    """A bound of the values in a record, as max_values is, used to make the first checkpoint of many keys fail."""
    queries = Queries(
        lambda keyed: keyed.aggregate(n="count", total="sum"), key=repr, limits=StateLimits(max_values=60)
    )
    queries.start()
    queries.push(*range(200))
    assert len(queries.checkpoint().rows) == 200
    queries.again()
    queries.push(7)
    assert len(queries.checkpoint().rows) == 1
    queries.engine.unload()


def test_classes_of_the_program_are_part_of_rows() -> None:
    @dataclass(frozen=True)
    class Place:
        number: int

    own = StateRegistry()
    own.register(name="keyed-table-test/place")(Place)
    for add in (OPERATORS["scan"], OPERATORS["through"]):
        queries = Queries(add, key=lambda number: Place(number % 2), state_registry=own)
        queries.start()
        queries.push(1, 2, 3)
        queries.engine.checkpoint()
        queries.again()
        queries.push(5)
        assert len(queries.checkpoint().rows) == 1
        assert [int(row) for row in queries.rows] == [1, 2, 4, 9]
        queries.engine.unload()


@pytest.mark.parametrize("queries", ["scan", "count", "through"], indirect=True)
def test_state_that_was_saved_without_tables_is_loaded(queries: Queries) -> None:
    queries.push(1, 2, 11)
    queries.engine.checkpoint()
    artifact = queries.engine.find("keyed")
    queries.engine.held().__enter__()
    state = save_tree(artifact.node)
    last = queries.engine.last_checkpoint
    assert last is not None
    queries.store.commit(CheckpointWrite(last.number + 1, "full", 0, states={"keyed": state}))
    assert queries.rows_of_table() == 0
    queries.again()
    queries.push(21, 3)
    written = queries.checkpoint()
    assert (len(written.rows), written.is_whole) == (3, True)


# --- damage -----------------------------------------------------------------------------------------------------------


def damaged(data: bytes) -> bytes:
    return bytes([data[0] ^ 1, *data[1:]])


@pytest.mark.parametrize("queries", ["scan", "count", "through"], indirect=True)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda rows: TableWrite({min(rows): damaged(rows[min(rows)])}),
            "row 1, byte 0: the row does not have its checksum",
        ),
        (lambda rows: TableWrite({2: rows[1]}), "row 2, byte 0: the row does not have its checksum"),
        (lambda rows: TableWrite({1: b""}), "row 1, byte 0: the row does not have its checksum"),
        (lambda rows: TableWrite({}, [1]), "2 rows .*3 keys were saved|there are 2 rows where 3 keys"),
    ],
)
def test_damaged_table_is_refused(queries: Queries, change: Any, message: str) -> None:
    queries.push(1, 2, 3)
    queries.engine.checkpoint()
    rows = dict(queries.store.read_table("keyed", queries.table(), -1, 9))
    last = queries.engine.last_checkpoint
    assert last is not None
    state = queries.store.state_of("keyed") or b""
    write = CheckpointWrite(last.number + 1, "full", 0, states={"keyed": state})
    write.tables["keyed"] = {queries.table(): change(rows)}
    queries.store.commit(write)
    queries.crash()
    with pytest.raises(ExceptionGroup) as refused:
        queries.engine.start()
    (error,) = refused.value.exceptions
    assert isinstance(error, ReactiveStreamsError)
    with pytest.raises(ReactiveStreamsError, match=message):
        raise error


def test_state_with_tables_is_refused_without_its_store() -> None:
    snapshot = SnapshotWriter(keeps_tables=True)
    handle = Stream.range(3).key_by(key_of).scan(added, 0).bind(RecordingSubscriber(first_request=UNBOUNDED))
    handle.initialize()
    save_nodes(handle, snapshot)
    state = snapshot.finish()
    assert list(snapshot.tables) == ["1/keys"]
    assert 3 in [value for record in saved_records(state) for value in record.fields]
    other = Stream.range(3).key_by(key_of).scan(added, 0).bind(RecordingSubscriber())
    with pytest.raises(StateError, match=r"the table 'keys' of this record is in the store that it was saved to; load"):
        load_nodes(other, SnapshotReader(state))


# --- the rows of a record ---------------------------------------------------------------------------------------------


@given(st.dictionaries(st.integers(0, 2**63 - 1), st.one_of(st.integers(), st.text(), st.lists(st.booleans()))))
def test_rows_are_read_as_they_were_written(rows: dict[int, Any]) -> None:
    snapshot = SnapshotWriter(keeps_tables=True)
    with snapshot.create("test/rows", (1, 0, 0, 0)) as writer:
        writer.write("before")
        table = writer.table("rows")
        assert table is not None
        table.write(3, "gone")
        table.replace()
        for row, value in rows.items():
            table.write(row, value)
        writer.write("after")
    state, stored = snapshot.finish(), sorted(snapshot.tables["0/rows"].rows.items())

    def read(name: str, after: int, most: int) -> list[tuple[int, bytes]]:
        assert name == "0/rows"
        return [each for each in stored if each[0] > after][:2]

    reader = SnapshotReader(state, read_table=read).create("test/rows")
    assert reader.read(str) == "before"
    assert list(reader.table("rows")) == sorted(rows.items())
    assert reader.read(str) == "after"


def test_table_is_written_while_its_record_is_open_and_once() -> None:
    snapshot = SnapshotWriter(keeps_tables=True)
    with snapshot.create("test/rows", (1, 0, 0, 0)) as writer:
        table = writer.table("rows")
        assert table is not None
        with pytest.raises(StateError, match=r"table\('rows'\) is there already; take another name"):
            writer.table("rows")
        with pytest.raises(ReactiveStreamsError, match=r"write\(-1\): rows are numbered from 0"):
            table.write(-1, "x")
        with pytest.raises(ReactiveStreamsError, match="field 0"):
            table.write(1, object())
        assert table.rows == {}
    for late in (lambda: table.write(1, "x"), lambda: table.delete(1), table.replace):
        with pytest.raises(StateError, match="after the end of the record"):
            late()
    assert SnapshotWriter().create("test/rows", (1, 0, 0, 0)).table("rows") is None


def test_rows_out_of_order_are_refused() -> None:
    snapshot = SnapshotWriter(keeps_tables=True)
    with snapshot.create("test/rows", (1, 0, 0, 0)) as writer:
        table = writer.table("rows")
        assert table is not None
        for row in (1, 2):
            table.write(row, "x")
    stored = sorted(table.rows.items(), reverse=True)
    reader = SnapshotReader(snapshot.finish(), read_table=lambda name, after, most: stored).create("test/rows")
    with pytest.raises(ReactiveStreamsError, match="row 1, byte 0: a row of this number follows row 2"):
        list(reader.table("rows"))


def test_records_inside_of_a_record_are_shown_as_lists(queries_of_scan: Queries) -> None:
    queries_of_scan.engine.define("middle", "subject")
    queries_of_scan.engine.checkpoint()
    (record,) = saved_records(queries_of_scan.store.state_of("middle") or b"")
    assert (record.operator, isinstance(record.fields[-1], list)) == ("rx://engine/subject", True)


def test_tables_are_shown_after_the_fields_of_their_record(queries_of_scan: Queries) -> None:
    store = queries_of_scan.store
    queries_of_scan.push(4, 14, 5)
    queries_of_scan.engine.checkpoint()
    records = saved_records(
        store.state_of("keyed") or b"",
        tables=store.table_sizes("keyed"),
        read_table=lambda name, after, most: store.read_table("keyed", name, after, most),
    )
    assert records[1].fields[-2:] == (2, {1: (4, 18), 2: (5, 5)})


@pytest.fixture
def queries_of_scan() -> Iterator[Queries]:
    hosted = Queries(OPERATORS["scan"])
    hosted.start()
    yield hosted
    hosted.engine.unload()
