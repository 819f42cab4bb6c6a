"""The operators of each key: live while they are used, bytes of their saved records otherwise."""

from collections.abc import Iterator
from typing import Any

from reactivestreams.errors import CapacityError, StateError, StateLimitError, StateTypeError
from reactivestreams.lifecycle import UnloadableOperator
from reactivestreams.lifecycle.context import ContextOn
from reactivestreams.sources.from_publisher import FromPublisher
from reactivestreams.state import (
    DEFAULT_LIMITS,
    SnapshotReader,
    SnapshotWriter,
    StateLimits,
    StateRegistry,
    TableChanges,
    TableReader,
    TableWriter,
    default_registry,
    load_record,
    save_record,
    stateful_nodes,
)
from rs_core.ends.subscriber import SubscriberStage
from rs_core.operators.keyed_chains import Chain, Inlet, LiveChains, Outlet
from rs_core.stream.description import Description, new_head
from rs_core.stream.tree_walk import nodes_with_paths

__all__ = ["LIVE_CHAINS", "KeyedChains"]

LIVE_CHAINS = 16_384
"""For how many keys the operators stay live; those of the keys that came first become bytes, until they are used."""

MOST_ROUNDS = 1_000
"""How many times the operators of a key may subscribe again after its last element, as `repeat` and `retry` do."""


class KeyedChains:
    """The operators of all keys, used by one thread at a time.

    A key is known from its first element on until it is ended or, where its operators completed by themselves, for
    ever: what comes for it then is dropped.

    Args:
        operators: The nodes of the pipeline that each key gets, without its head.
        max_keys: How many keys may be known.
    """

    def __init__(self, operators: list[Description], max_keys: int) -> None:
        self.max_keys = max_keys
        self.table: LiveChains = LiveChains()
        self.live: dict[Any, Chain] = self.table.live
        self.inlet: Inlet = self.table.inlet
        self.outlet: Outlet = self.table.outlet
        chain: Any = new_head(Description, FromPublisher, (self.inlet, 1, "exact"))
        for node in operators:
            chain = chain._then(node.definition, node.parameters, node.assembly)
        self.description: Description = chain
        # Every known key, in the order of their first elements: its records; None: they are live; empty: completed.
        self.known: dict[Any, bytes | None] = {}
        # What these records were written with: what the stream was last saved or loaded with.
        self.registry: StateRegistry = default_registry
        self.limits: StateLimits = DEFAULT_LIMITS
        self.stuck: int = 0  # keys that were live when some of them could not be closed
        # The row of each key, where a host stores rows; and what has changed since the last save. None: no host does.
        self.rows: TableChanges | None = None
        self.numbers: dict[Any, int] = {}
        self.last_number: int = 0
        self.context: ContextOn | None = None
        self.ended: list[int] = []
        self.absent: int = 0  # keys of the table that the host has not given, since they do not come

    def feed(self, key: Any, element: Any) -> list[Any]:
        """Give an element to the operators of its key and return what follows from it; see `LiveChains.feed`."""
        return self.table.feed(self, key, element)

    def end(self, key: Any) -> list[Any]:
        """Complete the operators of a key, forget the key, and return what its end brings.

        Raises:
            CapacityError: They subscribe again without end.
            Exception: What an operator failed with.
        """
        chain = self.live.get(key)
        if chain is None and self.known.get(key):
            chain = self.opened(key)
        try:
            if chain is not None:
                self._complete(key, chain)
            return self.taken(key)
        finally:
            self.live.pop(key, None)
            self.known.pop(key, None)
            if self.table.changed is not None:
                self.table.changed.pop(key, None)
                if key in self.numbers:
                    self.ended.append(self.numbers.pop(key))

    def _complete(self, key: Any, chain: Chain) -> None:
        """Complete the operators of a key, and once more each time that they subscribe again."""
        outlet, ended = self.outlet, None
        self.inlet.chain = chain
        for _ in range(MOST_ROUNDS):
            if chain.inlet is ended or outlet.is_complete or outlet.error is not None:
                return
            ended = chain.inlet
            ended.on_complete()
        outlet.error = CapacityError(
            f"the operators of key {key!r:.200} subscribed again {MOST_ROUNDS:,} times after its last element; state a "
            f"smaller number in repeat or retry"
        )

    def taken(self, key: Any) -> list[Any]:
        """Take the results of the call before, and notice where the operators have ended.

        Raises:
            Exception: What an operator failed with; what came before it stays to be taken by `taken_before_error`.
        """
        outlet = self.outlet
        if outlet.error is not None:
            error, outlet.error = outlet.error, None
            self.live.pop(key, None)
            self.known[key] = b""
            raise error
        if outlet.is_complete:
            outlet.is_complete = False
            self.live.pop(key, None)
            self.known[key] = b""
        return self.taken_before_error()

    def taken_before_error(self) -> list[Any]:
        """Take the results that came since the last call."""
        results = self.outlet.results
        if results:
            self.outlet.results = []
        return results

    def opened(self, key: Any) -> Chain | None:
        """Make the operators of a key live, with their saved state where there is one; None where they completed."""
        records = self.known.get(key)
        if records is None:
            if len(self.known) + self.absent >= self.max_keys:
                raise CapacityError(
                    f"key {key!r:.200} would be number {self.max_keys + 1}, and key_by(max_keys={self.max_keys}) holds "
                    f"{self.max_keys}; raise max_keys or use a coarser key, or let keys end by expire_after()"
                )
        elif not records:
            return None
        handle = SubscriberStage(self.description, self.outlet)
        chain = self.inlet.chain = self.live[key] = Chain(handle)
        if records is not None:
            self.load(handle, records)
        handle.initialize(self.context)  # without the host's scheduler: signals pass in the call that feeds them
        self.known[key] = None
        if self.rows is not None:
            self.number_of(key)
        if len(self.live) > max(LIVE_CHAINS, 2 * self.stuck):
            self.close_oldest(LIVE_CHAINS // 2)
        return chain

    def load(self, handle: SubscriberStage, records: bytes) -> None:
        """Load the operators of a key, all nodes of the tree but its ends."""
        snapshot = SnapshotReader(records, registry=self.registry, limits=self.limits)
        for node, path in nodes_with_paths(handle):
            node.subscribe()
            if self.context is not None:
                node.set_context(self.context)
            if node is not handle and node.name != FromPublisher.id:
                load_record(node, snapshot, path=path)
        snapshot.finish()

    def saved(self, handle: SubscriberStage) -> bytes:
        """Return the records of the operators of a key."""
        snapshot = SnapshotWriter(registry=self.registry, limits=self.limits)
        for node, path in stateful_nodes(handle):
            if node is not handle and node.name != FromPublisher.id:
                save_record(node, snapshot, path=path)
        return snapshot.finish()

    def close_oldest(self, count: int) -> None:
        """Keep the operators of so many keys, those that became live first, as bytes.

        Those that hold what only another registry knows, or other limits allow, stay live: the stream may be saved with
        these.
        """
        closed = 0
        for key in list(self.live)[:count]:
            chain = self.live[key]
            try:
                self.known[key] = self.saved(chain.handle)
            except (StateTypeError, StateLimitError):
                continue
            closed += 1
            del self.live[key]
            chain.handle.cancel()
        self.stuck = len(self.live) if closed < count else 0

    def close(self) -> None:
        """Keep the operators of all keys as bytes, as far as they can be; those are still there for a save."""
        self.close_oldest(len(self.live))
        for key, chain in self.live.items():
            self.known[key] = b""
            chain.handle.cancel()
        self.live.clear()

    def unload(self) -> None:
        """Have the live operators release what they hold of this process."""
        for node in self.live_nodes():
            if isinstance(node, UnloadableOperator):
                node.unload()

    def live_nodes(self) -> Iterator[Any]:
        """Yield the live operators of all keys."""
        for chain in self.live.values():
            for node, _ in nodes_with_paths(chain.handle):
                yield node

    def records(self, registry: StateRegistry, limits: StateLimits) -> dict[Any, bytes]:
        """Return the records of every known key, written with a registry and limits."""
        self.use(registry, limits)
        return {key: self.records_of(key) for key in self.known}

    def records_of(self, key: Any) -> bytes:
        """Return the records of a known key."""
        held = self.known[key]
        return self.saved(self.live[key].handle) if held is None else held

    def use(self, registry: StateRegistry, limits: StateLimits) -> None:
        """Write records with a registry and limits from now on; those that are there, too."""
        if registry is self.registry and limits == self.limits:
            return
        handles = {key: self.closed(held) for key, held in self.known.items() if held}
        self.registry, self.limits, self.stuck = registry, limits, 0
        self.known |= {key: self.saved(handle) for key, handle in handles.items()}
        self.rows = self.table.changed = None  # all of them are to be written

    def write_rows(self, table: TableWriter, times: dict[Any, int] | None) -> None:
        """Write the rows of the keys that have changed: the key, its records and the time of its last element.

        Args:
            table: The table.
            times: The times of the keys' last elements, or None.
        """
        if self.rows is None:
            self.rows = TableChanges()
            self.numbers = {}
        changed, self.table.changed = list(self.table.changed or ()), {}
        ended, self.ended = self.ended, []
        taken = self.rows.take(table.is_full, changed, ended)
        if taken is None:
            table.replace()
        else:
            for number in taken[1]:
                table.delete(number)
        for key in self.known if taken is None else dict.fromkeys(taken[0]):
            if key in self.known:
                table.write(self.number_of(key), (key, self.records_of(key), None if times is None else times[key]))

    def number_of(self, key: Any) -> int:
        """Return the number of the row of a key, which is that of its place in the order of first elements."""
        number = self.numbers.get(key)
        if number is None:
            self.last_number += 1
            number = self.numbers[key] = self.last_number
        return number

    def take_rows(
        self, table: TableReader, count: int, registry: StateRegistry, limits: StateLimits
    ) -> tuple[dict[Any, bytes], dict[Any, int]]:
        """Begin with the keys that were saved as rows; return the times of their last elements, where they have one.

        Args:
            table: The table; of a partial one the other keys count as known, and their rows are left alone.
            count: How many keys were saved.
            registry: The classes that the records were written with.
            limits: The bounds that they were written with.
        """
        records: dict[Any, bytes] = {}
        times: dict[Any, int] = {}
        for number, row in table:
            fields: Any = row
            if type(row) is not tuple or len(fields) != 3 or type(fields[2]) not in (int, type(None)):
                raise StateError(f"row {number} is {row!r:.200}, no key with its records; load an older checkpoint")
            key, held, time = fields
            records[key] = held
            self.numbers[key] = self.last_number = number
            if time is not None:
                times[key] = time
        if table.is_partial and len(records) < count:
            self.absent = count - len(records)
            self.last_number = max(self.last_number, count)
        elif len(records) != count:
            raise StateError(f"there are {len(records)} rows where {count} keys were saved; load an older checkpoint")
        self.rows, self.table.changed = TableChanges(is_stored=True), {}
        self.take_over(records, registry, limits)
        return records, times

    def closed(self, records: bytes) -> SubscriberStage:
        """Return operators that have their saved state and are not started."""
        handle = SubscriberStage(self.description, self.outlet)
        self.inlet.chain = Chain(handle)
        self.load(handle, records)
        return handle

    def take_over(self, records: dict[Any, bytes], registry: StateRegistry, limits: StateLimits) -> None:
        """Begin with the keys that were saved, by their records and what these were written with."""
        self.registry, self.limits = registry, limits
        for key, held in records.items():
            if type(held) is not bytes:
                raise StateError(f"the records of key {key!r:.200} are {type(held).__name__}, not bytes")
        self.known = dict(records)
