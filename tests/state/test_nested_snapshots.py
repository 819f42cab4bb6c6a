"""Snapshots inside of snapshots are written and read with the registry and the limits of the outer one."""

import ast
from pathlib import Path
from typing import Any

import pytest

import reactivestreams
from reactivestreams import Stream, pipeline
from reactivestreams.errors import StateError, StateLimitError, StateTypeError
from reactivestreams.operators.keyed import chains as keyed_chains
from reactivestreams.state import (
    DEFAULT_LIMITS,
    SnapshotReader,
    SnapshotWriter,
    StateLimits,
    default_registry,
    load_tree,
    save_tree,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.state.shop import Place, shop

SOURCES = Path(reactivestreams.__file__).parent
# Where the outermost snapshot is made, or read: of Spark's state, which has the classes that the program registers.
OUTERMOST = {"spark/keyed/bucket_run.py"}
PLACES = [Place("A", n) for n in range(12)]


def key_of(place: Place) -> int:
    return PLACES.index(place) % 3


def last_place(before: Any, place: Place) -> Place:
    return place


KEYED: dict[str, Any] = {
    "through scan": lambda keyed: keyed.through(pipeline().scan(last_place, None)),
    "through buffer": lambda keyed: keyed.through(pipeline().buffer(3)),
    "reduce": lambda keyed: keyed.reduce(last_place, None),
    "distinct": lambda keyed: keyed.distinct(),
    "scan": lambda keyed: keyed.scan(last_place, None),
}
walked = pytest.mark.parametrize("name", KEYED)
live_keys = pytest.mark.parametrize("live", [1, 100], ids=["closed keys", "live keys"])


def started(name: str, requested: int, state: bytes | None = None, **read_with: Any) -> tuple[Any, RecordingSubscriber]:
    subscriber = RecordingSubscriber(first_request=requested)
    handle = KEYED[name](Stream.from_iterable(PLACES).key_by(key_of)).bind(subscriber)
    if state is not None:
        load_tree(handle, state, **read_with)
    handle.initialize()
    return handle, subscriber


@pytest.fixture(autouse=True)
def nothing_is_dropped() -> Any:
    with recorded_drops() as drops:
        yield
    assert drops == []


@walked
@live_keys
@pytest.mark.parametrize("position", [1, 2, 3])
def test_registry_reaches_the_operators_of_each_key(
    name: str, live: int, position: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyed_chains, "LIVE_CHAINS", live)
    _, whole = started(name, UNBOUNDED)
    assert whole.is_complete
    before_handle, before = started(name, position)
    state = save_tree(before_handle, registry=shop)
    before_handle.cancel()
    handle, after = started(name, 1, state, registry=shop)
    again = save_tree(handle, registry=shop)
    handle.cancel()
    _, last = started(name, UNBOUNDED, again, registry=shop)
    assert before.elements + after.elements + last.elements == whole.elements


@walked
def test_class_that_is_not_known_is_refused_inside_of_keys(name: str) -> None:
    handle, _ = started(name, 2)
    with pytest.raises(StateTypeError, match="Place cannot be saved"):
        save_tree(handle)
    state = save_tree(handle, registry=shop)
    handle.cancel()
    with pytest.raises(StateError, match="place"):
        run_to_its_end(name, state)


def run_to_its_end(name: str, state: bytes) -> None:
    _, after = started(name, UNBOUNDED, state)
    if after.error is not None:  # the records of a key are read when its next element comes
        raise after.error


@walked
@live_keys
def test_limits_reach_the_operators_of_each_key(name: str, live: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyed_chains, "LIVE_CHAINS", live)
    numbers = [2 ** (8 * 5000) + n for n in range(9)]  # longer than max_number_bytes by default
    wide = StateLimits(max_number_bytes=6000)

    def bound(requested: int, state: bytes | None = None) -> tuple[Any, RecordingSubscriber]:
        subscriber = RecordingSubscriber(first_request=requested)
        stream = KEYED[name](Stream.from_iterable(numbers).key_by(lambda number: number % 4))
        handle = stream.bind(subscriber)
        if state is not None:
            load_tree(handle, state, limits=wide)
        handle.initialize()
        return handle, subscriber

    _, whole = bound(UNBOUNDED)
    handle, before = bound(3)
    with pytest.raises(StateLimitError, match="max_number_bytes"):
        save_tree(handle)
    state = save_tree(handle, limits=wide)
    handle.cancel()
    _, after = bound(UNBOUNDED, state)
    assert before.elements + after.elements == whole.elements


@walked
def test_records_of_keys_that_were_closed_are_written_anew_for_another_registry(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys are closed with what the stream was saved with last; a save with another one may not keep these bytes."""
    monkeypatch.setattr(keyed_chains, "LIVE_CHAINS", 1)
    narrow = StateLimits(max_values=1000)
    handle, _ = started(name, 1)
    first = save_tree(handle, registry=shop)
    handle.request(1)
    second = save_tree(handle, registry=shop, limits=narrow)
    assert first != second
    with pytest.raises(StateTypeError):
        save_tree(handle)
    assert save_tree(handle, registry=shop) == second


def test_keys_that_cannot_be_closed_stay_live_and_cost_no_more_than_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(keyed_chains, "LIVE_CHAINS", 8)
    tries = 0
    saved = keyed_chains.KeyedChains.saved

    def counted(self: Any, handle: Any) -> bytes:
        nonlocal tries
        tries += 1
        return saved(self, handle)

    monkeypatch.setattr(keyed_chains.KeyedChains, "saved", counted)
    things = [object() for _ in range(500)]
    stream = Stream.from_iterable(things).key_by(id).through(pipeline().scan(last_place, None))
    assert stream.to_list() == things
    assert tries <= 3 * len(things)


def test_writer_and_reader_tell_what_they_were_made_with() -> None:
    limits = StateLimits(max_depth=7)
    snapshot = SnapshotWriter(registry=shop, limits=limits)
    with snapshot.create("outer", (1, 0, 0, 0)) as writer, writer.create_child() as child:
        assert (writer.registry, writer.limits, child.registry, child.limits) == (shop, limits) * 2
    data = snapshot.finish()
    with SnapshotReader(data, registry=shop, limits=limits).create("outer") as reader:
        child_reader = reader.create_child()
        assert (reader.registry, reader.limits, child_reader.registry, child_reader.limits) == (shop, limits) * 2
    with SnapshotReader(data).create("outer") as reader:
        assert (reader.registry, reader.limits) == (default_registry, DEFAULT_LIMITS)


def calls_without_a_registry(path: Path) -> list[str]:
    """Return the calls that make a snapshot's writer or reader with the default registry and limits."""
    return [
        f"{path.name}:{node.lineno}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("SnapshotWriter", "SnapshotReader")
        and not {keyword.arg for keyword in node.keywords} >= {"registry", "limits"}
    ]


def test_no_nested_snapshot_takes_the_defaults() -> None:
    for path in sorted(SOURCES.rglob("*.py")):
        if path.relative_to(SOURCES).as_posix() not in OUTERMOST:
            assert calls_without_a_registry(path) == [], "pass writer.registry and writer.limits of the outer one"
    assert all(calls_without_a_registry(SOURCES / name) for name in OUTERMOST)
