"""The live operator behind key_by(...).through and what is built on it."""

from typing import Any, ClassVar, Literal

from reactivestreams.errors import StateError
from reactivestreams.operators.expiry import Expiry, KeyTimes, TimeReached, microseconds
from reactivestreams.operators.keyed_chains import KeyedChains
from reactivestreams.schedulers import ImmediateScheduler
from rs_core.description import Description
from rs_core.python_stage import PythonStage

__all__ = ["MAX_RESULTS_WAITING", "KeyedStage", "operator_name"]

MAX_RESULTS_WAITING = 65_536
"""How many results of one element, or of the end of one key, may wait for demand; one more is a CapacityError."""


class KeyedStage(PythonStage[Any, Any]):
    """Hand each element to the operators of its key and pass on what they send.

    Elements are requested one by one, and only while fewer results than requested were passed on. Keys that are over,
    and at the end of the input all keys, are ended one by one, in the order of their last and of their first elements.

    Args:
        key: Returns the key of an element.
        chain: The operators of every key; the nodes behind the head of the pipeline.
        max_keys: How many keys may be known.
        expiry: When a key is over, or None for only at the end.
        results: `"plain"`: as the operators send them; `"pair"`: with the key in front; `"record"`: dicts, with the
            key in the entry "key".

    State: for each key the records of its operators, and when it had its last element; version 1.0.0.0.
    """

    name = "rx://operators/keyed"
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
        self.held: list[Any] = []  # the element that waits until keys that are over by its time have ended
        self.is_finishing: bool = False
        self.is_waiting: bool = False  # for the element that was requested
        self.wanted: int = 0  # results requested and not yet passed on; below 0: so many wait

    def on_request(self, n: int) -> None:
        """Go on as far as the demand reaches."""
        self.wanted += n
        self.work()

    def on_next(self, element: Any) -> None:
        """Take an element."""
        self.is_waiting = False
        self.held.append(element)
        if self.times is not None:
            self.note_time(element)
        self.work()

    def on_complete(self) -> None:
        """End every key, then complete."""
        self.is_finishing = True
        self.work()

    def on_dispose(self) -> None:
        """Tear the operators of every key down; their state is still there for a save."""
        self.chains.close()

    def work(self) -> None:
        """Do what there is to do, as far as there is demand for what comes of it."""
        while not self.has_ended_a_key():
            if self.held:
                self.feed(self.held.pop())
            elif self.is_finishing:
                first = next(iter(self.chains.known), self)
                if first is self:
                    self.complete()
                    return
                if self.wanted < 0:
                    return
                if self.times is not None:
                    self.times.forget(first)
                self.send(first, self.chains.end(first))
            else:
                if self.wanted > 0 and not self.is_waiting:
                    self.is_waiting = True
                    self.request_upstream(1)
                return
            if self.wanted < 0 and not self.is_finishing:
                return

    def has_ended_a_key(self) -> bool:
        """End the keys that are over; True: more of them wait for demand."""
        if self.times is None or self.time is None:
            return False
        while self.wanted >= 0:
            over = next(self.times.take_over_by(self.time), self)
            if over is self:
                return False
            self.send(over, self.chains.end(over))
        end = self.times.next_end()
        return end is not None and end <= self.time

    def note_time(self, element: Any) -> None:
        """Move the time on by what an element says, before it is handled."""
        if type(element) is TimeReached:
            self.host_keeps_time = True
            reached = element.now
        elif self.expiry is not None and self.expiry.event_time is not None:
            reached = microseconds(self.expiry.event_time(element)) - self.expiry.lateness
        elif self.host_keeps_time:
            return
        else:
            reached = microseconds(self.clock())
        if self.time is None or reached > self.time:
            self.time = reached

    def clock(self) -> Any:
        """Return the present time by the scheduler of the host, or by the system's clock."""
        scheduler: Any = getattr(self.context, "scheduler", None) or ImmediateScheduler()
        return scheduler.now

    def feed(self, element: Any) -> None:
        """Give an element to the operators of its key."""
        if type(element) is TimeReached:
            return
        key = self.key(element)
        results = self.chains.feed(key, element)
        if self.times is not None and self.expiry is not None:
            told = self.expiry.event_time
            self.times.touch(key, microseconds(told(element)) if told is not None else self.time or 0)
        self.send(key, results)

    def send(self, key: Any, results: list[Any]) -> None:
        """Pass on what the operators of a key have sent."""
        self.wanted -= len(results)
        for result in results:
            if self.results == "plain":
                self.emit(result)
            elif self.results == "pair":
                self.emit((key, result))
            else:
                self.emit({"key": key, **result})

    def save_fields(self, writer: Any) -> None:
        """Write the state."""
        writer.write(self.shape)
        writer.write(self.chains.records(writer.registry, writer.limits))
        writer.write(self.times.last if self.times is not None else None)
        writer.write(self.time)
        writer.write(self.host_keeps_time)
        writer.write(self.held)
        writer.write(self.is_finishing)

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Read the state."""
        shape = reader.read(list)
        if shape != self.shape:
            raise StateError(
                f"the operators of each key were {' | '.join(map(str, shape))} when this was saved, and are "
                f"{' | '.join(self.shape)} now; build the same pipeline, or begin without state"
            )
        self.chains.take_over(reader.read(dict), reader.registry, reader.limits)
        last = reader.read(dict | None)
        if last is not None and any(type(time) is not int for time in last.values()):
            raise StateError(
                f"the times of the keys' last elements are no integers: {last!r:.200}; load an older checkpoint"
            )
        if self.times is not None:
            # Saved without: then every key had its last element at the beginning of time, and is over soon.
            known = last if last is not None else dict.fromkeys(self.chains.known, 0)
            self.times = KeyTimes(self.times.idle, known)
        self.time = reader.read(int | None)
        self.host_keeps_time = reader.read(bool)
        self.held = reader.read(list)
        self.is_finishing = reader.read(bool)


def operator_name(node: Any) -> str:
    """Return the name under which the operator of a node saves its state."""
    lifted: Any = node.parameters[0] if node.definition.method == "lift" else None
    name = getattr(lifted, "name", None)
    return name if isinstance(name, str) else str(node.definition.id)
