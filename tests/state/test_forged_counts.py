"""Saved state that was forged with a right checksum: each integer in each record, by turns another.

Loading it is refused, or the stream ends as a sane one would: none runs without end, and no number leaves the core's
integers.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import StateError, StateFormatError
from reactivestreams.lifecycle import DefaultOperatorContext
from reactivestreams.state import StateReader, StateWriter, default_registry, load_tree, save_tree
from reactivestreams.state.snapshot import _HEADER, FOOTER, MAGIC, _header_size
from rs_core.state.limits import DEFAULT_LIMITS
from rs_core.state.records import RecordInput, RecordOutput
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import reader_of
from tests.contracts.stepped_loop import SteppedLoop
from tests.sources.test_recovery import Async, Cold
from tests.state.golden_streams import STREAMS, Golden, HostedGolden, LoopGolden

FORGED = [-1, 2**63 - 1, 2**63, 2**100, True, "7"]
MOST = 100
"""More elements than any of the streams has."""

WITHOUT_INTEGERS = {"from_callable.1"}
"""Streams whose state has none."""

CASES: dict[str, Golden | LoopGolden] = {
    **STREAMS,
    "publisher that skips": Golden(lambda touch, _: Stream.from_publisher(Cold(), recovery="skips").do(touch), 3),
    "descending range": Golden(lambda touch, _: Stream.range(20, 2, -3).do(touch), 11),
    "range to the end of 64 bits": Golden(lambda touch, _: Stream.range(2**63 - 9, 2**63 - 1, 3).do(touch), 2**63 - 6),
    "keys with operators": Golden(
        lambda touch, _: (
            Stream.range(12)
            .do(touch)
            .key_by(lambda n: n % 3)
            .through(pipeline().skip(1).take(3).flat_map(lambda n: [n] * 2))
        ),
        5,
    ),
    "async iterable that skips": LoopGolden(
        lambda call, loop: Stream.from_async_iterable(Async(), loop=loop, recovery="skips").map_async(call, loop=loop),
        3,
    ),
}


@dataclass
class Child:
    """A record inside of a record."""

    fields: list[Any]


@dataclass
class Nested:
    """A snapshot inside of a field."""

    records: list[Any]


@dataclass
class Group:
    """A reference to the stream of a group."""

    content: Any


class Groups:
    """Reads and writes references without the groups."""

    def place_of(self, value: object) -> Any:
        return closed(value.content) if isinstance(value, Group) else None

    def stream_at(self, content: Any) -> Group:
        return Group(opened(content))

    def require_written(self) -> None:
        """All are."""


def parsed(data: bytes) -> list[tuple[str, Any, list[Any]]]:
    """Return the records of a snapshot, with what is inside of them."""
    snapshot, records = (
        RecordInput(
            data,
            measure_header=_header_size,
            footer=FOOTER,
            registry=default_registry,
            limits=DEFAULT_LIMITS,
            references=cast("Any", Groups()),
        ),
        [],
    )
    while True:
        with snapshot.create("", "") as reader:
            if not reader.is_present:
                return records
            records.append((reader.name, reader.version, fields_of(reader)))


def fields_of(reader: StateReader) -> list[Any]:
    fields: list[Any] = []
    while True:
        try:
            is_there, field = reader.try_read()
        except StateFormatError:
            with reader.create_child() as child:
                fields.append(Child(fields_of(child)))
            continue
        if not is_there:
            return fields
        fields.append(opened(field))


def opened(value: Any) -> Any:
    if isinstance(value, bytes) and value.startswith(MAGIC):
        return Nested(parsed(value))
    if isinstance(value, list | tuple):
        return type(value)(map(opened, value))
    if isinstance(value, dict):
        return {key: opened(each) for key, each in value.items()}
    return value


def written(records: list[Any]) -> bytes:
    """Return the snapshot of records, with right checksums."""
    references: Any = Groups()
    snapshot = RecordOutput(_HEADER, registry=default_registry, limits=DEFAULT_LIMITS, references=references)
    for name, version, fields in records:
        with snapshot.create(name, version, "") as writer:
            write_fields(writer, fields)
    return snapshot.finish(FOOTER)


def write_fields(writer: StateWriter, fields: list[Any]) -> None:
    for field in fields:
        if isinstance(field, Child):
            with writer.create_child() as child:
                write_fields(child, field.fields)
        else:
            writer.write(closed(field))


def closed(value: Any) -> Any:
    if isinstance(value, Nested):
        return written(value.records)
    if isinstance(value, list | tuple):
        return type(value)(map(closed, value))
    if isinstance(value, dict):
        return {key: closed(each) for key, each in value.items()}
    return value


def forgeries(value: Any) -> Iterator[tuple[int, Any]]:
    """Yield the value with each of its integers by turns replaced by another, and which one that was."""
    if type(value) is int:
        yield from ((value, forged) for forged in FORGED if forged != value or type(forged) is not int)
    elif isinstance(value, Child):
        yield from ((was, Child(fields)) for was, fields in forgeries(value.fields))
    elif isinstance(value, Group):
        yield from ((was, Group(content)) for was, content in forgeries(value.content))
    elif isinstance(value, Nested):
        for position, (name, version, fields) in enumerate(value.records):
            for was, changed in forgeries(fields):
                yield was, Nested([*value.records[:position], (name, version, changed), *value.records[position + 1 :]])
    elif isinstance(value, list | tuple):
        for position, part in enumerate(value):
            for was, changed in forgeries(part):
                yield was, type(value)([*value[:position], changed, *value[position + 1 :]])
    elif isinstance(value, dict):
        for key, part in value.items():
            for was, changed in forgeries(part):
                yield was, {**value, key: changed}


@cache
def saved(name: str) -> list[Any]:
    return parsed(CASES[name].run(parks=True)[1])


async def negated(element: Any) -> Any:
    return -element


def outcome(name: str, state: bytes) -> RecordingSubscriber:
    """Return what a stream that goes on from a state has sent."""
    case = CASES[name]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=MOST)
    host, other = ManualScheduler(), ManualScheduler()
    if isinstance(case, LoopGolden):
        with SteppedLoop() as stepped:
            handle = case.build(negated, stepped.loop).bind(subscriber)
            load_tree(handle, state)
            handle.initialize()
            stepped.settle()
            handle.cancel()
        return subscriber
    handle = case.build(lambda element: None, other).bind(subscriber)
    load_tree(handle, state)
    handle.initialize(DefaultOperatorContext("rx://golden", host) if isinstance(case, HostedGolden) else None)
    for _ in range(3):
        host.run_waiting()
        other.run_waiting()
    handle.cancel()
    host.run_waiting()
    other.run_waiting()
    return subscriber


@pytest.mark.parametrize("name", CASES)
def test_forged_number_is_refused_or_the_stream_ends(name: str) -> None:
    records = saved(name)
    sane = outcome(name, written(records))
    assert len(sane.elements) < MOST
    refusals: list[str] = []
    tried = 0
    for _, forged in forgeries(Nested(records)):
        tried += 1
        try:
            subscriber = outcome(name, written(forged.records))
        except StateError as refused:
            refusals.append(str(refused))
            continue
        assert len(subscriber.elements) < MOST, forged
        assert subscriber.has_ended or not sane.has_ended, forged
        assert not isinstance(subscriber.error, OverflowError), forged
        assert subscriber.faults == []
    assert (tried == 0) == (name in WITHOUT_INTEGERS)
    assert not [refusal for refusal in refusals if "OverflowError" in refusal]


def test_states_are_taken_apart_and_put_together_again() -> None:
    for name in CASES:
        assert written(saved(name)) == CASES[name].run(parks=True)[1]
    numbers = {was for name in CASES for was, _ in forgeries(Nested(saved(name)))}
    assert len(numbers) > 5


@pytest.mark.parametrize("bound", [0, 3, 2**63 - 1, 2**80])
def test_count_is_read_up_to_its_bound(bound: int) -> None:
    reader = reader_of(0, bound, bound + 1, -1, True, "1", None, 7)
    assert (reader.read_count(bound), reader.read_count(bound)) == (0, bound)
    with pytest.raises(
        StateFormatError, match=rf"field 2, byte \d+: expected a count from 0 to {bound}, found {bound + 1}; load"
    ):
        reader.read_count(bound)
    assert reader.read(int) == bound + 1  # what was refused was not passed over
    with pytest.raises(StateFormatError, match="found -1"):
        reader.read_count(bound)
    assert reader.read() == -1
    for other in ("bool", "str", "NoneType"):
        with pytest.raises(StateFormatError, match=f"expected int, found {other}"):
            reader.read_count(bound)
        reader.read()
    if bound >= 7:
        assert reader.read_count() == 7


def test_take_that_has_not_ended_has_something_left() -> None:
    handle = Stream.range(5).take(3).bind(RecordingSubscriber(first_request=1))
    handle.initialize()
    records = parsed(save_tree(handle))
    [position] = [index for index, (name, _, _) in enumerate(records) if name == "rx://operators/take"]
    records[position] = (*records[position][:2], [False, 0])
    with pytest.raises(StateError, match="cannot load that nothing is left to pass on"):
        load_tree(Stream.range(5).take(3).bind(RecordingSubscriber()), written(records))


@pytest.mark.parametrize(("next_number", "left"), list(itertools.product([0, 1, 6], [1, 2, 5])))
def test_place_in_a_range_is_one_that_it_has(next_number: int, left: int) -> None:
    handle = Stream.range(0, 10, 2).bind(RecordingSubscriber(first_request=1))
    handle.initialize()
    records = parsed(save_tree(handle))
    records[-1] = (*records[-1][:2], [False, next_number, left])
    after = RecordingSubscriber(first_request=UNBOUNDED)
    loaded = Stream.range(0, 10, 2).bind(after)
    if next_number == 10 - 2 * left:
        load_tree(loaded, written(records))
        loaded.initialize()
        assert after.elements == list(range(next_number, 10, 2))
    else:
        with pytest.raises(
            StateError, match=r"which is not a position in range\(0, 10, 2\); load the state with the range"
        ):
            load_tree(loaded, written(records))
