"""What cannot be saved, and bytes that cannot be loaded: each refused with the place, the reason and a remedy."""

import enum
import mmap
import tracemalloc
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime, time, tzinfo
from decimal import Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams.errors import ArgumentTypeError, StateError, StateFormatError, StateLimitError, StateTypeError
from reactivestreams.state import SnapshotReader, StateLimits, StateRegistry, decode_value, encode_value
from tests.state.shop import shop
from tests.state.values import values


class Pair(NamedTuple):
    left: int
    right: int


class Text(str):
    __slots__ = ()


class Mode(enum.Enum):
    FAST = 1


@dataclass
class Plain:
    number: int


def as_dict(**fields: Any) -> dict[str, Any]:
    return fields


@pytest.mark.parametrize(
    "value",
    [
        object(),
        1j,
        Text("a"),
        OrderedDict(),
        Pair(1, 2),
        bytearray(b"a"),
        Mode.FAST,
        Plain(1),
        as_dict,
        KeyboardInterrupt(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_value_of_another_class_is_refused_by_the_name_of_its_class(value: object) -> None:
    with pytest.raises(StateTypeError) as refused:
        encode_value([value])
    kind = type(value)
    assert str(refused.value) == (
        f"value: a value of class {kind.__module__}.{kind.__qualname__} cannot be saved; save what it consists of, or "
        f"register the class, if it is a dataclass, an enumeration or an exception"
    )
    assert refused.value.location == "value"


def test_time_of_day_whose_offset_depends_on_the_day_is_refused() -> None:
    with pytest.raises(
        StateTypeError, match="a time of day in a zone whose offset depends on the day; save a datetime"
    ):
        encode_value(time(12, tzinfo=ZoneInfo("Europe/Berlin")))


def ring(length: int) -> list[Any]:
    """Return a list that contains itself, so many levels down."""
    first: list[Any] = []
    last = first
    for _ in range(length - 1):
        last.append([])
        last = last[0]
    last.append(first)
    return first


@pytest.mark.parametrize("length", [1, 2, 5, 64])
def test_value_that_contains_itself_is_refused(length: int) -> None:
    with pytest.raises(StateError) as refused:
        encode_value(ring(length))
    assert str(refused.value) == (
        f"value: a list contains itself, {length} levels down; "
        f"state is a tree of values: save what refers to another part by a key"
    )


def test_ring_that_is_deeper_than_the_limit_is_refused_as_too_deep() -> None:
    with pytest.raises(StateLimitError, match="deeper than max_depth=64"):
        encode_value(ring(65))


def test_dict_and_dataclass_that_contain_themselves_are_refused() -> None:
    pairs: dict[str, Any] = {}
    pairs["self"] = [pairs]
    registry = StateRegistry()
    registry.register(name="plain")(Plain)
    plain = Plain(1)
    plain.number = plain  # type: ignore[assignment]
    for value, name in [(pairs, "dict"), (plain, "Plain")]:
        with pytest.raises(StateError, match=f"a {name} contains itself"):
            encode_value(value, registry=registry)


class Shrinking(tzinfo):
    """A zone that empties a container when it is asked for its offset."""

    def __init__(self, container: Any) -> None:
        self.container = container

    def utcoffset(self, moment: datetime | None) -> None:
        self.container.clear()


@pytest.mark.parametrize("container", [[], {}, set()], ids=lambda container: type(container).__name__)
def test_container_that_changes_while_it_is_saved_is_refused(container: Any) -> None:
    moment = datetime(2024, 1, 1, tzinfo=Shrinking(container))
    filled = {list: [moment, 1], dict: {1: moment, 2: 2}, set: {moment, 1}}[type(container)]
    moment.tzinfo.container = filled  # type: ignore[union-attr]
    with pytest.raises(
        StateError, match=f"a {type(container).__name__} changed its size while it was saved; save when"
    ):
        encode_value(filled)


class Replacing(tzinfo):
    """A zone that puts another key into a dict, in place of one, when it is asked for its offset."""

    def __init__(self, pairs: dict[str, Any]) -> None:
        self.pairs = pairs

    def utcoffset(self, moment: datetime | None) -> None:
        del self.pairs["first"]
        self.pairs["first"] = 3


def test_dict_is_saved_as_it_was_at_one_moment() -> None:
    pairs: dict[str, Any] = {"first": 1}
    pairs |= {"moment": datetime(2024, 1, 1, tzinfo=Replacing(pairs)), "last": 2}
    assert decode_value(encode_value(pairs)) == {"first": 1, "moment": datetime(2024, 1, 1), "last": 2}  # noqa: DTZ001


def test_exception_of_a_time_zone_keeps_its_class_and_tells_where() -> None:
    class Broken(tzinfo):
        def utcoffset(self, moment: datetime | None) -> None:
            raise ZeroDivisionError("broken")

    with pytest.raises(ZeroDivisionError) as raised:
        encode_value([datetime(2024, 1, 1, tzinfo=Broken())])
    assert raised.value.__notes__ == ["while the state was saved: value"]


# --- limits -------------------------------------------------------------------------------------------------------


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth - 1):
        value = [value]
    return value


class Crowded:
    """Numbers that all have one hash, as a hostile writer would choose them."""

    MODULUS = 2**61 - 1

    def __init__(self, count: int) -> None:
        self.numbers = [self.MODULUS * n for n in range(1, count + 1)]


AT_AND_BEYOND: list[tuple[str, int, Any, Any]] = [
    ("max_bytes", 10, "a" * 8, "a" * 9),
    ("max_values", 3, [1, 2], [1, 2, 3]),
    ("max_values", 3, [[[]]], [[[[]]]]),
    ("max_depth", 3, nested(3), nested(4)),
    ("max_number_bytes", 9, 2**71 - 1, 2**71),
    ("max_number_bytes", 5, Decimal("1.234"), Decimal("1.2345")),
    ("max_equal_hashes", 3, set(Crowded(3).numbers), set(Crowded(4).numbers)),
    ("max_equal_hashes", 3, dict.fromkeys(Crowded(3).numbers), dict.fromkeys(Crowded(4).numbers)),
    (
        "max_equal_hashes",
        3,
        dict.fromkeys([*range(100), *Crowded(3).numbers]),
        dict.fromkeys([*range(100), *Crowded(4).numbers]),
    ),
    ("max_equal_hashes", 3, {*Crowded(3).numbers, *range(100)}, {*Crowded(4).numbers, *range(100)}),
]


@pytest.mark.parametrize(("name", "limit", "at", "beyond"), AT_AND_BEYOND)
def test_limit_holds_for_both_directions_and_is_named(name: str, limit: int, at: Any, beyond: Any) -> None:
    limits = StateLimits(**{name: limit})
    assert decode_value(encode_value(at, limits=limits), limits=limits) == at
    said = f"{name}={limit}\\b.*raise {name} of StateLimits"
    with pytest.raises(StateLimitError, match=said):
        encode_value(beyond, limits=limits)
    with pytest.raises(StateLimitError, match=said):
        decode_value(encode_value(beyond), limits=limits)


def test_deepest_limit_holds_for_both_directions() -> None:
    limits = StateLimits(max_depth=256)
    deepest = encode_value(nested(256), limits=limits)
    assert decode_value(deepest, limits=limits) == nested(256)
    for refused in (
        lambda: encode_value(nested(257), limits=limits),
        lambda: decode_value(b"[\x01" + deepest, limits=limits),
    ):
        with pytest.raises(StateLimitError, match="deeper than max_depth=256"):
            refused()


def test_depth_of_hostile_bytes_does_not_reach_the_stack() -> None:
    with pytest.raises(StateLimitError, match="deeper than max_depth=64"):
        decode_value(b"[\x01" * 1_000_000 + b"N")


def test_depth_of_values_does_not_reach_the_stack() -> None:
    deep: Any = None
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(StateLimitError, match="deeper than max_depth=64"):
        encode_value(deep)


def test_texts_with_one_hash_do_not_count_since_nobody_can_foresee_them() -> None:
    limits = StateLimits(max_equal_hashes=1)
    value = {f"key {n}" for n in range(100)}
    assert decode_value(encode_value(value, limits=limits), limits=limits) == value


def test_count_that_the_bytes_cannot_hold_asks_for_no_memory() -> None:
    for tag in b"[({<>sb":
        with pytest.raises(StateFormatError, match="should follow"):
            decode_value(bytes([tag]) + b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f")


# --- damaged bytes ------------------------------------------------------------------------------------------------

DAMAGED = [
    (b"", "byte 0: the bytes end within a value"),
    (b"i", "byte 1: the bytes end within a value"),
    (b"NN", "byte 1: 1 bytes follow the value"),
    (b"?", "byte 0: 0x3F begins no value"),
    (b"\x00", "byte 0: 0x00 begins no value"),
    (b"i\x80\x00", "byte 3: a number is longer than it has to be"),
    (b"i\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "byte 11: a number has more than 64 bits"),
    (b"i\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "byte 11: a number has more than 64 bits"),
    (b"I\x08" + b"\x01" * 8, "byte 2: an int that fits into 64 bits is written as a longer one"),
    (b"I\x09" + b"\x01" * 8 + b"\x00", "byte 11: an int is longer than it has to be"),
    (b"I\x09" + b"\xff" * 9, "byte 11: an int is longer than it has to be"),
    (b"f\x00", "byte 1: 8 bytes should follow, and there are 1"),
    (b"D\x011", None),
    (b"D\x02 1", "byte 4: a Decimal is not in the form in which it is written"),
    (b"D\x031_0", "byte 5: a Decimal is not in the form in which it is written"),
    (b"D\x031e5", "byte 5: a Decimal is not in the form in which it is written"),
    (b"D\x02\xd9\xa1", "byte 4: a Decimal is not in the form in which it is written"),
    (b"D\x01x", "byte 3: a Decimal has no number in it"),
    (b"D\x151E9999999999999999999", "byte 23: a Decimal has no number in it"),
    (b"s\x01\xff", "byte 3: a text is no UTF-8 (invalid start byte)"),
    (b"s\x02\xc0\x80", "byte 4: a text is no UTF-8 (invalid start byte)"),
    (b"s\x02a", "byte 2: 2 bytes or values should follow, and 1 bytes are left"),
    (b"d\x03\x00", "byte 3: 0x03 is no form of a time"),
    (b"d\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "byte 12: a datetime is out of the years 1 to 9999"),
    (b"d\x01\x00\x80\xc0\xc7\xde\x83\x05", "byte 9: a clock is a day or more ahead of UTC, or behind it"),
    (b"a\xff\xff\xff\xff\x0f", "byte 6: a date is out of the years 1 to 9999"),
    (b"c\x00\x80\xe0\xa3\xef\xc1\x02", "byte 8: a time of day is beyond the day"),
    (b"c\x07\x00", "byte 3: 0x07 is no form of a time"),
    (b"p\x00\x80\xe0\xa3\xef\xc1\x02", "byte 8: a duration is out of range"),
    (b"p\x80\xa8\xd6\xb9\x07\x00", "byte 7: a duration is out of range"),
    (b"u123", "byte 1: 16 bytes should follow, and there are 3"),
    (b"<\x02i\x02i\x00", "byte 6: the elements of a set are out of order"),
    (b"<\x02i\x02i\x02", "byte 6: a set has equal elements"),
    (b"<\x02i\x02T", "byte 5: the elements of a set are out of order"),
    (b"<\x02Ti\x02", "byte 5: a set has equal elements"),
    (b"<\x02f\x00\x00\x00\x00\x00\x00\xf0\x3fi\x02", "byte 13: a set has equal elements"),
    (b"<\x01[\x00", "byte 4: what has no hash is an element of a set (unhashable type: 'list')"),
    (b">\x01D\x04sNaN", "byte 8: what has no hash is an element of a set (Cannot hash a signaling NaN value)"),
    (b"{\x02i\x02NTN", "byte 7: a dict has equal keys"),
    (b"{\x02i\x02Ni\x02N", "byte 8: a dict has equal keys"),
    (b"{\x02i\x02N{\x00N", "byte 8: what has no hash is a key of a dict (unhashable type: 'dict')"),
    (b"{\x01{\x00N", "byte 5: what has no hash is a key of a dict (unhashable type: 'dict')"),
    (b"x\x00\x00\x02", "byte 4: 0x02 tells of no rule"),
    (b"o\x04some\x01\x00", "byte 7: a value of 'some', which is not registered"),
    (b"e\x04some\x01N", "byte 7: a value of 'some', which is not registered"),
    (b"r\x00\x00\x00\x00\x00\x00\x00\x00", "byte 0: a child record stands here, no value"),
]


@pytest.mark.parametrize(("data", "said"), DAMAGED)
def test_damaged_bytes_are_refused_where_they_are_damaged(data: bytes, said: str | None) -> None:
    if said is None:
        assert encode_value(decode_value(data)) == data
        return
    with pytest.raises(StateError) as refused:
        decode_value(data)
    message = str(refused.value)
    assert message.startswith(f"value, {said}; ")
    assert refused.value.location == f"value, {said.partition(':')[0]}"
    assert any(remedy in message for remedy in ("load an older checkpoint", "register the class", "create_child()"))


@given(values, st.data())
def test_every_cut_of_a_value_is_refused(value: Any, data: st.DataObject) -> None:
    encoded = encode_value(value, registry=shop)
    length = data.draw(st.integers(0, len(encoded) - 1))
    with pytest.raises(StateFormatError):
        decode_value(encoded[:length], registry=shop)


@given(values, st.binary(min_size=1, max_size=3))
def test_what_follows_a_value_is_refused(value: Any, more: bytes) -> None:
    with pytest.raises(StateFormatError):
        decode_value(encode_value(value, registry=shop) + more, registry=shop)


@given(st.binary(max_size=24))
def test_bytes_that_are_accepted_are_those_that_would_be_written(data: bytes) -> None:
    try:
        value = decode_value(data, registry=shop)
    except StateError:
        return
    assert encode_value(value, registry=shop) == data


@pytest.mark.parametrize("data", ["text", None, 3, [1]], ids=repr)
def test_what_has_no_buffer_is_refused(data: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"saved state is bytes, got .*; pass what save_tree\(\), SnapshotW"):
        decode_value(data)


def test_bytes_that_are_too_large_are_not_copied() -> None:
    refused = (
        lambda data, limits: decode_value(data, limits=limits),
        lambda data, limits: SnapshotReader(data, limits=limits),
    )
    with mmap.mmap(-1, 16 << 20) as mapped:
        for load in refused:
            tracemalloc.start()
            try:
                with pytest.raises(StateLimitError, match="byte 0: 16777216 bytes, more than max_bytes=4096; raise"):
                    load(mapped, StateLimits(max_bytes=4096))
                _, most = tracemalloc.get_traced_memory()
            finally:
                tracemalloc.stop()
            assert most < 1 << 20
    assert mapped.closed  # nobody holds its memory any more


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview])
def test_anything_with_a_buffer_is_read(make: Any) -> None:
    assert decode_value(make(encode_value([1, "one"]))) == [1, "one"]
