"""The stage of key_by(...).through, and of the other methods where keys expire."""

import datetime as dt
from typing import Any, ClassVar, Literal

from reactivestreams.errors import StateError
from reactivestreams.lifecycle import DependencyOperator
from reactivestreams.lifecycle.context import ContextOn
from reactivestreams.operators.keyed.chains import KeyedChains
from reactivestreams.operators.keyed.expiry import (
    Expiry,
    KeyTimes,
    TimeOrder,
    TimeReached,
    WaitingElement,
    microseconds,
)
from reactivestreams.schedulers import ImmediateScheduler
from rs_core.operators.keyed_chains import KeyedChainsStage
from rs_core.stream.description import Description

__all__ = ["MAX_RESULTS_WAITING", "KeyedStage", "TimedKeyedStage", "operator_name"]

MAX_RESULTS_WAITING = 65_536
"""Maximum number of results of one element, or of the end of one key, that wait for demand."""


class KeyedStage(KeyedChainsStage):
    """Pass each element to the operators of its key and pass on their results.

    Elements are requested one by one, and only while there is unserved demand. Expired keys are ended one by one in the
    order of their last elements, and at the end of the input all keys in the order of their first elements.

    With event times, elements are processed in the order of their times, and a key expires when the next element in
    this order, or the watermark, is after its end. So the elements of a key depend neither on the order of arrival
    within the lateness nor on other keys. An element exactly at the end still belongs to the key.

    Args:
        key: Returns the key of an element.
        chain: The operators of every key; the nodes after the head of the pipeline.
        max_keys: Maximum number of keys.
        expiry: When a key expires; None means only at the end.
        results: `"plain"`: unchanged; `"pair"`: pairs of the key and the result; `"record"`: dicts, with the key in the
            entry "key".

    State: for each key the records of its operators and the time of its last element; the elements that wait for the
        watermark; version 1.1.0.0.
    """

    name = "rx://operators/keyed"
    version: tuple[int, int, int, int] = (1, 1, 0, 0)
    # In the older version no elements wait for the watermark; the current element waited for demand.
    loadable_versions: tuple[tuple[int, int, int, int], ...] = ((1, 0, 0, 0),)
    demand: ClassVar[Literal["per_element", "own"]] = "own"
    prefetch = 1
    capacity = MAX_RESULTS_WAITING

    def __init__(self, key: Any, chain: Description, max_keys: int, expiry: Expiry | None, results: str) -> None:
        operators = chain.nodes()[1:]
        self.key = key
        self.shape: list[str] = [operator_name(node) for node in operators]
        self.chains: KeyedChains = KeyedChains(operators, max_keys)
        self.expiry = expiry
        self.times = KeyTimes(expiry.idle, {}) if expiry is not None else None
        self.results = results
        self.time: int | None = None  # how late it is: by a clock, or the watermark
        self.host_keeps_time: bool = False
        self.is_hosted: bool = False  # whoever feeds it, such as Spark, does so when the next key is due, too
        self.held: list[Any] = []  # of a state of version 1.0: came, and is not in order yet
        self.order: TimeOrder = TimeOrder(expiry.max_waiting if expiry is not None else 1)
        self.has_written_rows: bool = False  # in the save that runs
        self.last_saved: int = 0
        self.is_finishing: bool = False
        self.wanted: int = 0  # results requested and not yet passed on; below 0: so many wait
        self.set_chains(key, self.chains, self.chains.table, TimeReached)

    def on_next(self, element: Any) -> None:
        """Process an element that is not fed as it comes."""
        self.admit(element)
        self.work()
        if self.time is not None:
            self.order.require_room(self.time)

    def on_complete(self) -> None:
        """End every key, then complete."""
        self.is_finishing = True
        self.work()

    def on_dispose(self) -> None:
        """Dispose the operators of every key; their state can still be saved."""
        self.chains.close()

    def unload(self) -> None:
        """Have the operators of the keys release what they hold of this process."""
        self.chains.unload()

    @property
    def dependencies(self) -> set[str]:
        """The ids that the live operators of the keys name as their dependencies."""
        nodes = [node for node in self.chains.live_nodes() if isinstance(node, DependencyOperator)]
        return {each for node in nodes for each in node.dependencies if each is not None}

    def work(self) -> None:
        """Process elements and end keys, as far as there is demand for the results."""
        if self.chains.context is None and self.context is not None:
            self.chains.context = ContextOn(self.context, None)  # signals pass in the call that feeds a key
        while self.held:
            self.admit(self.held.pop(0))
        while self.wanted >= 0 and self.has_worked():
            pass
        waits = self.time is not None or len(self.order) > 0
        self.proceed(self.expiry is None and self.results == "plain" and not waits)

    def has_worked(self) -> bool:
        """End one key or process one element, whichever is earlier; return False if nothing is due."""
        due = self.due_time()
        if self.times is not None and self.time is not None:
            by_clock = self.expiry is not None and self.expiry.event_time is None
            before = self.time + 1 if by_clock else self.time if due is None else due
            for over in self.times.take_over_before(before):
                self.end(over)
                return True
        if due is not None:
            self.feed(self.order.take())
            return True
        if not self.is_finishing:
            return False
        for first in self.chains.known:
            if self.times is not None:
                self.times.forget(first)
            self.end(first)
            return True
        self.complete()
        return False

    def due_time(self) -> int | None:
        """Return the time of the next element if it can be processed, else None."""
        time = self.order.next_time()
        waits = time is not None and self.time is not None and time > self.time and not self.is_finishing
        return None if waits else time

    def due_of(self, row: Any) -> int:
        """Return the time at which the key of a row expires without further elements."""
        assert self.expiry is not None
        end: int = row[2] + self.expiry.idle
        return end if self.expiry.event_time is None else end + 1

    def admit(self, element: Any) -> None:
        """Sort an element in, and advance the time to its time."""
        if type(element) is TimeReached:
            self.host_keeps_time = True
            self.reach(element.now)
            return
        time, expiry = 0, self.expiry
        if expiry is not None and expiry.event_time is not None:
            time = microseconds(expiry.event_time(element))
            if not self.host_keeps_time:
                self.reach(time - expiry.lateness)
        elif expiry is not None:
            if not self.host_keeps_time:
                self.reach(microseconds(self.clock()))
            time = self.time or 0
        self.order.add(time, element, time if self.time is None else self.time, name=self.name)

    def reach(self, time: int) -> None:
        """Advance the time; it never goes back."""
        if self.time is None or time > self.time:
            self.time = time

    def clock(self) -> Any:
        """Return the current time of the host's scheduler, or of the system's clock."""
        scheduler: Any = getattr(self.context, "scheduler", None) or ImmediateScheduler()
        return scheduler.now

    def feed(self, waited: WaitingElement) -> None:
        """Pass an element to the operators of its key."""
        key = self.key(waited.element)
        try:
            results = self.chains.feed(key, waited.element)
        except Exception:
            self.send(key, self.chains.taken_before_error())
            raise
        if self.times is not None:
            self.times.touch(key, waited.time)
        self.send(key, results)

    def end(self, key: Any) -> None:
        """End the operators of a key."""
        try:
            results = self.chains.end(key)
        except Exception:
            self.send(key, self.chains.taken_before_error())
            raise
        self.send(key, results)

    def send(self, key: Any, results: list[Any]) -> None:
        """Pass on the results of the operators of a key."""
        self.wanted -= len(results)
        for result in results:
            if self.results == "plain":
                self.emit(result)
            elif self.results == "pair":
                self.emit((key, result))
            else:
                self.emit({"key": key, **result})

    def save_state(self, writer: Any) -> int:
        """Write the state; the rows of the keys belong to the snapshot of the returned number."""
        self.has_written_rows = False
        self.last_saved = super().save_state(writer)
        if self.has_written_rows and self.chains.rows is not None:
            self.chains.rows.saved_as(self.last_saved)
        return self.last_saved

    def on_state_saved(self, generation: int | None = None) -> None:
        """Record that a snapshot is stored, with the rows that are part of it."""
        super().on_state_saved(generation)
        if self.chains.rows is not None:
            self.chains.rows.was_stored(self.last_saved if generation is None else generation)

    def save_fields(self, writer: Any) -> None:
        """Write the state."""
        writer.write(self.shape)
        times = self.times.last if self.times is not None else None
        table = writer.table("keys")
        if table is None:
            writer.write(self.chains.records(writer.registry, writer.limits))
            writer.write(times)
        else:
            self.chains.use(writer.registry, writer.limits)
            self.chains.write_rows(table, times)
            self.has_written_rows = True
            writer.write(self.chains.absent + len(self.chains.known))
            writer.write(None)  # they are in the rows
        writer.write(self.time)
        writer.write(self.host_keeps_time)
        writer.write(self.held)
        writer.write(self.is_finishing)
        writer.write([(each.time, each.element, each.origin) for each in sorted(self.order.heap)])

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Read the state."""
        shape = reader.read(list)
        if shape != self.shape:
            raise StateError(
                f"the operators of each key were {' | '.join(map(str, shape))} when this was saved, but are "
                f"{' | '.join(self.shape)} now; build the same pipeline, or start without state"
            )
        records = reader.read(dict | int)
        last = reader.read(dict | None)
        if type(records) is int:
            found, times = self.chains.take_rows(reader.table("keys"), records, reader.registry, reader.limits)
            last = times if self.times is not None and len(times) == len(found) else None
        else:
            self.chains.take_over(records, reader.registry, reader.limits)
        if last is not None and any(type(time) is not int for time in last.values()):
            raise StateError(
                f"the times of the keys' last elements are no integers: {last!r:.200}; load an older checkpoint"
            )
        if self.times is not None:
            # Saved without times: each key gets the earliest time as that of its last element, so it expires soon.
            known = last if last is not None else dict.fromkeys(self.chains.known, 0)
            self.times = KeyTimes(self.times.idle, known)
        self.time = reader.read(int | None)
        self.host_keeps_time = reader.read(bool)
        self.held = reader.read(list)
        self.is_finishing = reader.read(bool)
        if version[:2] == (1, 0):
            if self.expiry is not None and self.expiry.event_time is not None:
                self.time = None  # it was ahead of the watermark: by it elements would be too late that are not
            return
        waiting = [WaitingElement(each[0], number, *each[1:]) for number, each in enumerate(reader.read(list), 1)]
        self.order.take_over(waiting)


class TimedKeyedStage(KeyedStage):
    """A keyed operator whose keys expire by the clock of its host's scheduler, also while no element comes.

    State: that of KeyedStage; when the next key expires follows from it.
    """

    scheduled_hooks: ClassVar[tuple[str, ...]] = ("end_expired",)
    saves_schedule: ClassVar[bool] = False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.waits_for_expiry: bool = False

    def on_start(self) -> None:
        """Wait for the next key that expires, of those that were loaded."""
        super().on_start()
        self.wait_for_expiry()

    def on_next(self, element: Any) -> None:
        """Process an element, and wait for the next key that expires."""
        super().on_next(element)
        self.wait_for_expiry()

    def wait_for_expiry(self) -> None:
        """Have expired keys ended when the next one is due; one that gets another element meanwhile is due later."""
        if self.waits_for_expiry or self.is_hosted or self.times is None:
            return
        due = self.times.next_end()
        if due is not None:
            self.waits_for_expiry = True
            self.schedule(dt.timedelta(microseconds=max(0, due - microseconds(self.clock()))), self.end_expired)

    def end_expired(self) -> None:
        """End the keys whose time is over."""
        self.waits_for_expiry = False
        self.reach(microseconds(self.clock()))
        self.work()
        self.wait_for_expiry()


def operator_name(node: Any) -> str:
    """Return the name under which the operator of a node saves its state."""
    lifted: Any = node.parameters[0] if node.definition.method == "lift" else None
    name = getattr(lifted, "name", None)
    return name if isinstance(name, str) else str(node.definition.id)
