"""What the fuzzer starts from: values of every kind, trees of every stage with state, and bytes of other formats."""

import json
import marshal
import pickle
import struct
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from reactivestreams import Stream
from reactivestreams.errors import NullElementError
from reactivestreams.lifecycle import MultiInputNode
from reactivestreams.schedulers import ImmediateScheduler
from reactivestreams.state import SnapshotWriter, encode_value, save_tree
from rs_core.ends.subscriber import SubscriberStage
from rs_core.operators.python_operator import PythonStage
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing
from tests.state.shop import Access, Article, Color, OutOfStockError, Place, Right, Size, UnknownError, shop

DEEPEST = 4


def random_value(random: Random, depth: int = 0) -> Any:
    """Return a value of any kind that can be saved."""
    kinds = _SCALARS if depth >= DEEPEST or random.random() < 0.5 else _CONTAINERS
    return random.choice(kinds)(random, depth + 1)


def _text(random: Random) -> str:
    return "".join(random.choice("ab\N{SNOWMAN}\ud800\U0001f600\x00") for _ in range(random.randrange(6)))


def _integer(random: Random) -> int:
    return random.choice([1, -1]) * random.getrandbits(random.choice([1, 7, 8, 31, 63, 64, 65, 200]))


def _moment(random: Random) -> datetime:
    zone = random.choice([None, UTC, timezone(timedelta(minutes=random.randrange(-1439, 1440)))])
    moment = datetime(random.randrange(2, 9999), 1, 1, tzinfo=zone)
    return (moment + timedelta(microseconds=random.getrandbits(40))).replace(fold=random.getrandbits(1))


def _hashable(random: Random) -> Any:
    kind = random.randrange(5)
    if kind == 0:
        return (_integer(random), _text(random))
    if kind == 1:
        return Place(_text(random), _integer(random))
    return random.choice([_text, _integer, _moment])(random)


def _count(random: Random) -> int:
    return random.choice([0, 1, 2, 3, 5])


def _error(random: Random) -> Exception:
    error = random.choice([ValueError, UnknownError, NullElementError, KeyError])(_text(random))
    if random.random() < 0.3:
        error.add_note(_text(random))
    return error


_SCALARS: list[Callable[[Random, int], Any]] = [
    lambda random, depth: None,
    lambda random, depth: random.random() < 0.5,
    lambda random, depth: _integer(random),
    lambda random, depth: struct.unpack("<d", random.randbytes(8))[0],
    lambda random, depth: random.choice([0.0, -0.0, 1.5, float("nan"), float("inf")]),
    lambda random, depth: Decimal(_integer(random)).scaleb(random.randrange(-50, 50)),
    lambda random, depth: random.choice([Decimal("NaN7"), Decimal("-Infinity"), Decimal("0E-7")]),
    lambda random, depth: _text(random),
    lambda random, depth: random.randbytes(random.randrange(6)),
    lambda random, depth: _moment(random),
    lambda random, depth: date.fromordinal(random.randrange(1, date.max.toordinal())),
    lambda random, depth: time(random.randrange(24), random.randrange(60), tzinfo=random.choice([None, UTC])),
    lambda random, depth: timedelta(random.randrange(-99, 99), random.randrange(86400), random.randrange(10**6)),
    lambda random, depth: UUID(int=random.getrandbits(128)),
    lambda random, depth: random.choice([*Color, *Size, Right.READ, Right.READ | Right.WRITE]),
    lambda random, depth: random.choice([*Access, Access.SHELF | Access.SAFE]),
    lambda random, depth: _error(random),
    lambda random, depth: OutOfStockError(random.randrange(9), wanted=2),
    lambda random, depth: Place(_text(random), _integer(random)),
]
_CONTAINERS: list[Callable[[Random, int], Any]] = [
    lambda random, depth: [random_value(random, depth) for _ in range(_count(random))],
    lambda random, depth: tuple(random_value(random, depth) for _ in range(_count(random))),
    lambda random, depth: {_hashable(random): random_value(random, depth) for _ in range(_count(random))},
    lambda random, depth: {_hashable(random) for _ in range(_count(random))},
    lambda random, depth: frozenset(_hashable(random) for _ in range(_count(random))),
    lambda random, depth: Article(random_value(random, depth), Decimal(_integer(random)), {Color.RED, Color.GREEN}),
]


def saved_values(random: Random, count: int) -> list[bytes]:
    """Return the bytes of so many random values."""
    return [encode_value(random_value(random), registry=shop) for _ in range(count)]


def saved_records(random: Random, count: int) -> list[bytes]:
    """Return so many snapshots of random records, some with child records."""
    found = []
    for _ in range(count):
        snapshot = SnapshotWriter(registry=shop)
        for index in range(_count(random)):
            with snapshot.create(random.choice(["", "take", "test/mean", f"op{index}"]), (1, 0, 0, 0)) as writer:
                for _ in range(_count(random)):
                    writer.write(random_value(random))
                    if random.random() < 0.2:
                        with writer.create_child() as child:
                            child.write(random_value(random))
        found.append(snapshot.finish())
    return found


class Repeating(PythonStage):
    """Has both queues of an operator that asks for elements itself."""

    name = "fuzz/repeating"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(1)

    def on_next(self, element: Any) -> None:
        for _ in range(3):
            self.emit(element)

    def save_fields(self, writer: Any) -> None:
        with writer.create_child() as child:
            child.write("own")

    def load_fields(self, reader: Any, version: Any) -> None:
        with reader.create_child() as child:
            assert child.read(str) == "own"
            assert child.try_read() == (False, None)


class Taking(MultiInputNode[Any]):
    """Takes more from its inputs than is requested of it, and leaves the second one open."""

    name = "fuzz/taking"

    def sources(self) -> Iterable[Stream[Any]]:
        return [Stream.range(4), Stream.never()]

    def on_start(self) -> None:
        self.request_input(0, 9)

    def on_next(self, index: int, element: Any) -> None:
        self.emit(element)


_STREAMS: list[Callable[[], Stream[Any]]] = [
    lambda: Stream.range(100).skip(3).take(50).map(abs).scan(lambda total, n: total + n, 0),
    lambda: Stream.from_iterable("abcdefgh").buffer(3).flat_map(list),
    lambda: (
        Stream.range(100).key_by(lambda n: f"key {n % 3}").scan(lambda total, n: (total or 0) + n, None).filter(bool)
    ),
    lambda: Stream.range(100).lift(Repeating).scan(lambda seen, n: (*seen, n), ()),
    lambda: Stream.range(100).observe_on(ImmediateScheduler(), prefetch=4).do(lambda element: None),
    lambda: Stream.from_publisher(Publishing(Taking)),
]


def tree(kind: int) -> SubscriberStage:
    """Return the handle of a tree; nothing is subscribed."""
    return _STREAMS[kind]().bind(RecordingSubscriber())


def saved_trees() -> list[tuple[int, bytes]]:
    """Return for each kind of tree its state after some elements."""
    found = []
    for kind in range(len(_STREAMS)):
        for requested in (0, 1, 5):
            handle = tree(kind)
            handle.initialize()
            if requested:
                handle.request(requested)
            found.append((kind, save_tree(handle)))
            handle.cancel()
            found.append((kind, save_tree(handle)))
    return found


FOREIGN = [
    b"",
    b"\x00",
    b"BD\x01\x00\x00\x00\x00\x00\x00\x00",
    pickle.dumps({"state": [1, "two", 3.0]}),
    pickle.dumps([1, 2], protocol=0),
    marshal.dumps({"state": [1, "two", 3.0]}),
    json.dumps({"state": [1, "two", 3.0]}).encode(),
    b"\x89PNG\r\n\x1a\n" + bytes(32),
    b"PK\x03\x04" + bytes(30),
    b"\x1f\x8b\x08" + bytes(20),
    b"SQLite format 3\x00" + bytes(84),
    b"<?xml version='1.0'?><state/>",
]
