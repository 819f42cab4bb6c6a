"""Values that can be saved, for properties; and whether two of them are the same."""

import struct
from datetime import UTC, timedelta, timezone
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from tests.state.shop import Access, Article, Color, OutOfStockError, Place, Right, Size, UnknownError

DAY = timedelta(days=1)


def float_of(bits: int) -> float:
    """Return the float of 64 bits; a NaN among them may carry a payload."""
    return float(struct.unpack("<d", struct.pack("<Q", bits))[0])


floats = st.floats() | st.integers(0, 2**64 - 1).map(float_of)
texts = st.text(st.characters(codec=None), max_size=8)
integers = st.integers() | st.integers(-(2**70), 2**70) | st.sampled_from([2**63 - 1, 2**63, -(2**63), -(2**63) - 1])
offsets = st.timedeltas(-DAY + timedelta(microseconds=1), DAY - timedelta(microseconds=1)).map(
    lambda offset: timezone(offset) if offset else UTC
)
zones = st.none() | offsets
errors = st.builds(ValueError, texts) | st.builds(UnknownError, texts) | st.builds(OSError, st.integers(0, 9), texts)
flags = [Right(0), *Right, Right.READ | Right.SHARE, Access(0), *Access, Access.SHELF | Access.SAFE]
enumerated = st.sampled_from([*Color, *Size, *flags])

scalars = (
    st.none()
    | st.booleans()
    | integers
    | floats
    | texts
    | st.binary(max_size=8)
    | st.decimals()
    | st.sampled_from([Decimal("sNaN12"), Decimal("-NaN"), Decimal("-0E+5"), Decimal("1.50"), Decimal("1E-99999999")])
    | st.datetimes(timezones=zones)
    | st.dates()
    | st.times(timezones=zones)
    | st.timedeltas()
    | st.uuids()
    | enumerated
)
# A signaling NaN has no hash.
keys = st.recursive(
    scalars.filter(lambda value: not (isinstance(value, Decimal) and value.is_snan())),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(inner, max_size=3)
        | st.builds(Place, texts, st.integers())
    ),
    max_leaves=4,
)
values = st.recursive(
    scalars | keys | errors,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
        | st.sets(keys, max_size=4)
        | st.builds(Article, inner, st.decimals(allow_nan=False), st.sets(st.sampled_from(Color)))
        | st.builds(OutOfStockError, st.integers(), wanted=st.integers())
    ),
    max_leaves=12,
)


def form(value: Any) -> object:
    """Return what tells a value from every other one: with its type, the bits of its floats, the order of its pairs."""
    kind = type(value)
    if kind is float:
        return kind, struct.pack("<d", value)
    if kind is Decimal:
        return kind, value.as_tuple()
    if kind in {list, tuple}:
        return kind, [form(each) for each in value]
    if kind in {set, frozenset}:
        return kind, sorted((form(each) for each in value), key=repr)
    if kind is dict:
        return kind, [(form(key), form(each)) for key, each in value.items()]
    if kind is Article or kind is Place:
        return kind, [form(getattr(value, name)) for name in value.__dataclass_fields__]
    if hasattr(value, "utcoffset"):
        offset = value.utcoffset()
        # Where the offset is known, the fold says nothing more.
        return kind, repr(value.replace(tzinfo=None) if offset is None else value.replace(tzinfo=None, fold=0)), offset
    if isinstance(value, Exception):
        return kind.__name__, str(value), getattr(value, "rule", None), getattr(value, "__notes__", [])
    return kind, value
