"""What every store has to do: a suite that the tests of each store inherit."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import (
    CheckpointWrite,
    Definition,
    Store,
    StoreError,
    StoreFencedError,
    StoreLockedError,
    TableWrite,
)

FIRST = Definition("orders", "ingress", "shop/orders", 1, b"\x00\xff", "ingress Orders\n", 1)
SECOND = Definition("totals", "query", "shop/totals", 2, b"", "rx://operators/scan(add, 0)\nschön\n", 2)


def written(number: int, kind: str = "differential", **states: bytes) -> CheckpointWrite:
    return CheckpointWrite(number, kind, 1_000 + number, 25, dict(states))


def tabled(number: int, *, rows: Any = (), deleted: Any = (), is_whole: bool = False) -> CheckpointWrite:
    """Return a checkpoint with the state of `orders` and its table `keys`."""
    write = written(number, orders=b"state")
    write.tables["orders"] = {"keys": TableWrite(dict(rows), list(deleted), is_whole)}
    return write


class StoreContract(ABC):
    """Tests of one kind of store; a subclass says how one is made, and how a process that dies leaves it behind."""

    @abstractmethod
    def make(self, folder: Path) -> Store:
        """Return a new store."""

    @abstractmethod
    def reopened(self, store: Any) -> Store:
        """Return the store of the next process, after this one has died; not open yet."""

    @abstractmethod
    def break_lock(self, store: Any) -> Store:
        """Return the store of another process which has got hold of it while the first one lives; open."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = self.make(tmp_path)
        store.open()
        yield store
        store.close()

    # --- opening ----------------------------------------------------------------------------------------------------

    def test_new_store_is_empty(self, store: Store) -> None:
        assert (store.definitions(), store.last_checkpoint(), store.checkpoints()) == ([], None, [])
        assert (store.state_of("orders"), dict(store.state_sizes()), store.verify()) == (None, {}, [])

    def test_each_opening_has_a_higher_fence(self, tmp_path: Path) -> None:
        store = self.make(tmp_path)
        fences = []
        for _ in range(3):
            fences.append(store.open())
            store.close()
        assert fences == [1, 2, 3]

    def test_open_store_is_locked(self, store: Store) -> None:
        with pytest.raises(StoreLockedError, match=r"uses .*; (stop|take)"):
            store.open()
        store.put_definition(FIRST)

    def test_closed_store_is_not_used(self, store: Store) -> None:
        store.close()
        store.close()
        with pytest.raises(StoreError, match="not open"):
            store.put_definition(FIRST)
        store.open()
        store.put_definition(FIRST)

    def test_older_engine_cannot_write_after_another_one_has_opened_the_store(self, store: Store) -> None:
        store.put_definition(FIRST)
        newer = self.break_lock(store)
        for write in (
            lambda: store.commit(written(1, orders=b"old")),
            lambda: store.put_definition(SECOND),
            lambda: store.delete_definition("orders"),
            lambda: store.append_input("orders", [b"x"]),
            lambda: store.settle("orders", 1),
            lambda: store.trim_input("orders", 1),
            lambda: store.prune(1),
        ):
            with pytest.raises(StoreFencedError, match="let this one end"):
                write()
        assert newer.definitions() == [FIRST]
        assert newer.last_checkpoint() is None
        newer.close()

    # --- definitions --------------------------------------------------------------------------------------------------

    def test_definitions_survive_in_their_order(self, store: Store) -> None:
        store.put_definition(SECOND)
        store.put_definition(FIRST)
        after = self.reopened(store)
        after.open()
        assert after.definitions() == [FIRST, SECOND]
        after.close()

    def test_replaced_definition_keeps_its_state(self, store: Store) -> None:
        store.put_definition(FIRST)
        store.commit(written(1, orders=b"state"))
        changed = Definition("orders", "ingress", "shop/orders", 2, b"new", "other\n", 1)
        store.put_definition(changed)
        assert (store.definitions(), store.state_of("orders")) == ([changed], b"state")

    def test_deleted_definition_takes_everything_along(self, store: Store) -> None:
        for each in (FIRST, SECOND):
            store.put_definition(each)
        write = written(1, orders=b"state", totals=b"kept")
        write.prepared["orders"] = b"token"
        store.commit(write)
        store.append_input("orders", [b"a"])
        store.delete_definition("orders")
        store.delete_definition("unknown")
        assert store.definitions() == [SECOND]
        assert (store.state_of("orders"), store.state_of("totals")) == (None, b"kept")
        assert (store.prepared_of("orders"), store.read_input("orders", 0, 9)) == ([], [])
        assert store.append_input("orders", [b"a"]) == 1

    # --- checkpoints --------------------------------------------------------------------------------------------------

    def test_checkpoint_is_read_as_it_was_stored(self, store: Store) -> None:
        stored = store.commit(written(1, "full", orders=b"four", totals=b"six666"))
        assert (stored.number, stored.kind, stored.began, stored.size_bytes) == (1, "full", 1_001, 10)
        assert (stored.pause_microseconds, stored.artifacts) == (25, ("orders", "totals"))
        after = self.reopened(store)
        after.open()
        assert after.last_checkpoint() == stored
        assert after.checkpoints() == [stored]
        after.close()

    def test_state_is_the_newest_of_each_artifact(self, store: Store) -> None:
        store.commit(written(1, "full", orders=b"one", totals=b"one"))
        store.commit(written(2, orders=b"two"))
        store.commit(written(4))
        assert (store.state_of("orders"), store.state_of("totals")) == (b"two", b"one")
        assert dict(store.state_sizes()) == {"orders": (2, 3), "totals": (1, 3)}
        assert [each.number for each in store.checkpoints()] == [4, 2, 1]
        assert [store.state_of("orders", number) for number in (1, 2, 4)] == [b"one", b"two", b"two"]
        assert store.state_of("orders", 0) is None

    def test_pruning_leaves_what_the_last_checkpoints_need(self, store: Store) -> None:
        store.put_definition(FIRST)
        store.put_definition(SECOND)
        store.commit(written(1, "full", orders=b"one", totals=b"one"))
        for number in (2, 3, 4):
            store.commit(written(number, orders=b"%d" % number))
        store.prune(2)
        store.prune(2)
        assert [each.number for each in store.checkpoints()] == [4, 3]
        assert (store.state_of("orders"), store.state_of("totals")) == (b"4", b"one")
        assert store.verify() == []

    def test_large_and_empty_states_are_kept(self, store: Store) -> None:
        store.commit(written(1, orders=b"\x00" * 3_000_000, totals=b""))
        assert (store.state_of("orders"), store.state_of("totals")) == (b"\x00" * 3_000_000, b"")

    def test_function_in_the_transaction_that_raises_leaves_nothing_behind(self, store: Store) -> None:
        if not store.transaction_kind:
            pytest.skip("this store runs no functions")

        def fail(_transaction: Any) -> None:
            raise ZeroDivisionError

        write = written(1, orders=b"state")
        write.prepared["orders"] = b"token"
        write.writes.append(fail)
        with pytest.raises(ZeroDivisionError):
            store.commit(write)
        assert (store.last_checkpoint(), store.state_of("orders"), store.prepared_of("orders")) == (None, None, [])
        write.writes.clear()
        assert store.commit(write).number == 1

    # --- tables -------------------------------------------------------------------------------------------------------

    def test_table_has_the_rows_that_checkpoints_wrote(self, store: Store) -> None:
        store.commit(tabled(1, rows={5: b"five", 2: b"two", 9: b""}))
        store.commit(tabled(2, rows={2: b"zwei", 7: b"seven"}, deleted=[5, 6]))
        after = self.reopened(store)
        after.open()
        assert after.read_table("orders", "keys", -1, 9) == [(2, b"zwei"), (7, b"seven"), (9, b"")]
        assert after.read_table("orders", "keys", 2, 1) == [(7, b"seven")]
        assert after.read_table("orders", "keys", 9, 9) == []
        assert dict(after.table_sizes("orders")) == {"keys": (3, 9)}
        assert (after.read_table("orders", "others", -1, 9), dict(after.table_sizes("totals"))) == ([], {})
        after.close()

    def test_table_is_read_as_each_checkpoint_has_it(self, store: Store) -> None:
        store.commit(tabled(1, rows={1: b"a", 2: b"b"}))
        store.commit(tabled(3, rows={1: b"A", 3: b"c"}))
        store.commit(tabled(4, deleted=[2]))
        store.commit(tabled(6, rows={4: b"d"}, is_whole=True))
        views = {
            1: [(1, b"a"), (2, b"b")],
            2: [(1, b"a"), (2, b"b")],
            3: [(1, b"A"), (2, b"b"), (3, b"c")],
            4: [(1, b"A"), (3, b"c")],
            6: [(4, b"d")],
        }
        assert {at: store.read_table("orders", "keys", -1, 9, at) for at in views} == views
        assert store.read_table("orders", "keys", 1, 1, 3) == [(2, b"b")]
        store.prune(2)
        assert {at: store.read_table("orders", "keys", -1, 9, at) for at in (4, 6)} == {4: views[4], 6: views[6]}
        assert store.read_table("orders", "keys", -1, 9) == views[6]

    def test_checkpoint_without_an_artifact_leaves_its_tables_alone(self, store: Store) -> None:
        store.commit(tabled(1, rows={1: b"a"}))
        store.commit(written(2, totals=b"state"))
        assert store.read_table("orders", "keys", -1, 9) == [(1, b"a")]
        store.commit(written(3, orders=b"state"))
        assert store.read_table("orders", "keys", -1, 9) == []
        assert store.read_table("orders", "keys", -1, 9, 2) == [(1, b"a")]

    def test_tables_of_artifacts_have_nothing_to_do_with_each_other(self, store: Store) -> None:
        write = tabled(1, rows={1: b"a"})
        write.states["totals"] = b"state"
        write.tables["totals"] = {"keys": TableWrite({1: b"b"}), "more": TableWrite({1: b"c"})}
        store.commit(write)
        assert store.read_table("totals", "keys", -1, 9) == [(1, b"b")]
        assert dict(store.table_sizes("totals")) == {"keys": (1, 1), "more": (1, 1)}
        store.put_definition(FIRST)
        store.put_definition(SECOND)
        assert store.verify() == []
        store.delete_definition("totals")
        assert (store.read_table("totals", "keys", -1, 9), store.read_table("orders", "keys", -1, 9)) == (
            [],
            [(1, b"a")],
        )

    def test_many_checkpoints_of_a_table_are_one_table(self, store: Store) -> None:
        expected: dict[int, bytes] = {}
        for number in range(1, 41):
            rows = {(number * 7 + step) % 20: b"%d" % (number * 10 + step) for step in range(3)}
            gone = [number % 20] if number % 20 not in rows else []
            store.commit(tabled(number, rows=rows, deleted=gone))
            expected = {row: data for row, data in (expected | rows).items() if row not in gone}
            before = store.read_table("orders", "keys", -1, 99, number - 1)
            store.prune(2)
            assert store.read_table("orders", "keys", -1, 99) == sorted(expected.items())
            if number > 1:
                assert store.read_table("orders", "keys", -1, 99, number - 1) == before

    def test_failed_checkpoint_changes_no_table(self, store: Store) -> None:
        if not store.transaction_kind:
            pytest.skip("this store runs no functions")
        store.commit(tabled(1, rows={1: b"a"}))
        write = tabled(2, rows={1: b"b"}, deleted=[1])
        write.writes.append(lambda _: 1 // 0)
        with pytest.raises(ZeroDivisionError):
            store.commit(write)
        assert store.read_table("orders", "keys", -1, 9) == [(1, b"a")]

    # --- tokens and input ---------------------------------------------------------------------------------------------

    def test_prepared_tokens_stay_until_they_are_settled(self, store: Store) -> None:
        for number in (1, 2, 3):
            write = written(number)
            write.prepared["out"] = b"token %d" % number
            store.commit(write)
        after = self.reopened(store)
        after.open()
        assert after.prepared_of("out") == [(1, b"token 1"), (2, b"token 2"), (3, b"token 3")]
        after.settle("out", 2)
        after.settle("out", 2)
        assert after.prepared_of("out") == [(3, b"token 3")]
        assert after.prepared_of("other") == []
        after.close()

    def test_input_has_positions_that_follow_each_other(self, store: Store) -> None:
        assert store.append_input("in", [b"a", b"b"]) == 2
        assert store.append_input("in", [b"", b"d", b"e"]) == 5
        assert store.append_input("other", [b"z"]) == 1
        assert store.read_input("in", 0, 2) == [(1, b"a"), (2, b"b")]
        assert store.read_input("in", 2, 9) == [(3, b""), (4, b"d"), (5, b"e")]
        assert store.read_input("in", 5, 9) == []

    def test_trimmed_input_keeps_its_positions(self, store: Store) -> None:
        store.append_input("in", [b"a", b"b", b"c"])
        store.trim_input("in", 2)
        store.trim_input("in", 2)
        assert store.read_input("in", 0, 9) == [(3, b"c")]
        store.trim_input("in", 3)
        after = self.reopened(store)
        after.open()
        assert after.append_input("in", [b"d"]) == 4
        assert after.read_input("in", 0, 9) == [(4, b"d")]
        after.close()

    def test_threads_that_push_and_store_at_once_lose_nothing(self, store: Store) -> None:
        def push(name: str) -> None:
            for number in range(20):
                store.append_input("in", [f"{name} {number}".encode()])

        threads = [threading.Thread(target=push, args=(name,)) for name in "ab"]
        for thread in threads:
            thread.start()
        for number in range(1, 21):
            store.commit(written(number, orders=b"x"))
        for thread in threads:
            thread.join()
        found = store.read_input("in", 0, 100)
        assert [position for position, _ in found] == list(range(1, 41))
        for name in "ab":
            own = [element for _, element in found if element.startswith(name.encode())]
            assert own == [f"{name} {number}".encode() for number in range(20)]
