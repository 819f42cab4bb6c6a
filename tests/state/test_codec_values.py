"""Values come back as they were, each in one form of bytes that is the same in every process."""

import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from math import inf
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given

from reactivestreams.errors import InvalidRequestError, NullElementError, RecoveredError
from reactivestreams.state import decode_value, encode_value
from tests.state.shop import Access, Article, Color, OutOfStockError, Place, Right, Size, UnknownError, shop
from tests.state.values import float_of, form, values

BERLIN_WINTER = timezone(timedelta(hours=1))
ZONE = timezone(timedelta(hours=-23, minutes=-59, microseconds=-1))

# Each value with its bytes: what an earlier release wrote stays readable.
EXAMPLES: list[tuple[Any, bytes]] = [
    (None, b"N"),
    (True, b"T"),
    (False, b"F"),
    (0, b"i\x00"),
    (1, b"i\x02"),
    (-1, b"i\x01"),
    (64, b"i\x80\x01"),
    (2**63 - 1, b"i\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
    (-(2**63), b"i\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
    (2**63, b"I\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00"),
    (-(2**63) - 1, b"I\x09\xff\xff\xff\xff\xff\xff\xff\x7f\xff"),
    (-(2**71), b"I\x09\x00\x00\x00\x00\x00\x00\x00\x00\x80"),
    (2**71, b"I\x0a\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00"),
    (1.0, b"f\x00\x00\x00\x00\x00\x00\xf0\x3f"),
    (-0.0, b"f\x00\x00\x00\x00\x00\x00\x00\x80"),
    (inf, b"f\x00\x00\x00\x00\x00\x00\xf0\x7f"),
    (float_of(0x7FF8_0000_0000_0007), b"f\x07\x00\x00\x00\x00\x00\xf8\x7f"),
    (Decimal("-1.50"), b"D\x05-1.50"),
    (Decimal("1E+3"), b"D\x041E+3"),
    ("", b"s\x00"),
    ("a\N{SNOWMAN}", b"s\x04a\xe2\x98\x83"),
    ("\ud800", b"s\x03\xed\xa0\x80"),
    (b"\x00\xff", b"b\x02\x00\xff"),
    (datetime(1970, 1, 1, tzinfo=UTC), b"d\x01\x00\x00"),
    (datetime(1970, 1, 1, 1, tzinfo=BERLIN_WINTER), b"d\x01\x00\x80\x90\x9d\xe9\x1a"),
    (datetime.fromisoformat("1970-01-01T00:00:00.000001"), b"d\x00\x02"),
    (datetime.fromisoformat("1969-12-31T23:59:59.999999").replace(fold=1), b"d\x02\x01"),
    (date(1970, 1, 2), b"a\x02"),
    (time(0, 0, 1), b"c\x00\xc0\x84\x3d"),
    (time(0, 0, 1, tzinfo=UTC), b"c\x01\xc0\x84\x3d\x00"),
    (timedelta(days=-1, microseconds=1), b"p\x01\x01"),
    (
        UUID("00112233-4455-6677-8899-aabbccddeeff"),
        b"u\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
    ),
    ([], b"[\x00"),
    ([1, [True]], b"[\x02i\x02[\x01T"),
    ((1, ()), b"(\x02i\x02(\x00"),
    ({"b": 1, "a": 2}, b"{\x02s\x01bi\x02s\x01ai\x04"),
    ({2, 1, "a"}, b"<\x03i\x02i\x04s\x01a"),
    (frozenset({b""}), b">\x01b\x00"),
    (Color.GREEN, b"e\x0ashop/color\x01s\x05GREEN"),
    (Size.LARGE, b"e\x09shop/size\x01s\x05LARGE"),
    (Right.READ | Right.SHARE, b"e\x0ashop/right\x01i\x0a"),
    (Place("A", 3), b"o\x0ashop/place\x01\x02\x05aisles\x01A\x05shelfi\x06"),
    (ValueError("why"), b"x\x0aValueError\x03why\x00\x00"),
    (OutOfStockError(7, wanted=2), b"x\x11shop/out_of_stock\x11no 2 of article 7\x00\x00"),
    (InvalidRequestError("n"), b"x\x2areactivestreams.errors.InvalidRequestError\x01n\x01\x033.9\x00"),
    (Access.SHELF | Access.SAFE, b"e\x0bshop/access\x01i\x12"),
]
EXTREMES: list[Any] = [
    datetime.combine(date.min, time.min),
    datetime.combine(date.max, time.max),
    datetime.min.replace(tzinfo=timezone(timedelta(hours=23))),
    datetime.max.replace(tzinfo=timezone(timedelta(hours=-23))),
    date.min,
    date.max,
    time.min,
    time.max,
    time.max.replace(tzinfo=ZONE),
    timedelta.min,
    timedelta.max,
    timedelta.resolution,
    2**14_000,
    -(2**14_000),
    Decimal("9" * 4000),
    Decimal("1E+999999999999999999"),
    Decimal("-Infinity"),
    Decimal("sNaN123"),
    [[[[]]]],
    dict.fromkeys(range(-500, 500)),
    set(range(1000)),
    {float_of(0x7FF8_0000_0000_0001), float_of(0x7FF8_0000_0000_0001)},
    {(1,): {}, frozenset({1, "1"}): []},
]


def saved(value: Any) -> bytes:
    return encode_value(value, registry=shop)


def loaded(data: bytes) -> Any:
    return decode_value(data, registry=shop)


@pytest.mark.parametrize(("value", "encoded"), EXAMPLES)
def test_value_has_these_bytes_and_comes_back(value: Any, encoded: bytes) -> None:
    assert saved(value) == encoded
    assert form(loaded(encoded)) == form(value)


@pytest.mark.parametrize("value", EXTREMES)
def test_extreme_value_comes_back(value: Any) -> None:
    assert form(loaded(saved(value))) == form(value)


@given(values)
def test_every_value_comes_back_and_is_saved_as_the_same_bytes_again(value: Any) -> None:
    encoded = saved(value)
    again = loaded(encoded)
    assert saved(again) == encoded
    assert _recovered(form(again)) == _recovered(form(value))


def _recovered(of: object) -> object:
    """Let an exception of an unknown class and its stand-in have the same form."""
    return repr(of).replace("'RecoveredError', 'tests.state.shop.UnknownError: ", "'UnknownError', '")


@pytest.mark.parametrize("one_is", [1, True, 1.0, Decimal(1), "1", b"1"], ids=repr)
def test_values_that_are_equal_but_not_the_same_have_bytes_of_their_own(one_is: object) -> None:
    others = [each for each in (1, True, 1.0, Decimal(1), Decimal("1.0"), "1", b"1") if form(each) != form(one_is)]
    assert saved(one_is) not in [saved(each) for each in others]
    assert saved({one_is}) not in [saved({each}) for each in others]


def test_two_zeros_are_distinguished() -> None:
    assert saved(0.0) != saved(-0.0)
    assert saved(Decimal(0)) != saved(Decimal("-0"))


def test_sets_are_saved_in_the_order_of_their_bytes_however_they_were_made() -> None:
    forwards, backwards = set(range(100)), set(range(99, -1, -1))
    backwards |= {1000, 2000}
    backwards -= {1000, 2000}
    assert saved(forwards) == saved(backwards)


def test_dicts_keep_their_order_which_is_part_of_the_state() -> None:
    assert list(loaded(saved({"b": 1, "a": 2}))) == ["b", "a"]
    assert saved({"b": 1, "a": 2}) != saved({"a": 2, "b": 1})


_OTHER_PROCESS = """
from reactivestreams.state import encode_value
print(encode_value([{"a", "b", "c", "d", b"e", 1, 2.5, None}, frozenset({("x", 1), ("y", 2)})]).hex())
"""


@pytest.mark.slow
def test_bytes_are_the_same_in_processes_with_other_hashes() -> None:
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _OTHER_PROCESS],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(outputs) == 1


def test_value_that_occurs_twice_comes_back_as_two() -> None:
    shared: list[int] = [1]
    first, second = loaded(saved([shared, shared]))
    assert (first, second) == ([1], [1])
    assert first is not second


# --- times --------------------------------------------------------------------------------------------------------


def test_time_with_a_zone_comes_back_with_its_offset() -> None:
    summer = datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))
    again = loaded(saved(summer))
    assert again == summer
    assert again.tzinfo == timezone(timedelta(hours=2))


def test_second_of_two_equal_readings_becomes_its_offset() -> None:
    first = datetime(2024, 10, 27, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"))
    second = first.replace(fold=1)
    assert loaded(saved(first)).utcoffset() == timedelta(hours=2)
    assert loaded(saved(second)).utcoffset() == timedelta(hours=1)
    assert loaded(saved(second)).fold == 0


def test_naive_time_stays_naive_and_keeps_its_fold() -> None:
    naive = datetime.fromisoformat("2024-10-27T02:30:00").replace(fold=1)
    again = loaded(saved(naive))
    assert (again, again.tzinfo, again.fold) == (naive, None, 1)


def test_time_zone_of_utc_is_one_object() -> None:
    assert loaded(saved(datetime(2024, 1, 1, tzinfo=UTC))).tzinfo is UTC


# --- exceptions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "error",
    [ValueError("why"), KeyError("key"), OSError("gone"), StopIteration("end"), ImportError("no"), Exception("it")],
    ids=repr,
)
def test_built_in_exception_comes_back_as_it_was(error: Exception) -> None:
    again = loaded(saved(error))
    assert (type(again), again.args, str(again)) == (type(error), error.args, str(error))


def test_exception_with_other_arguments_comes_back_with_its_text() -> None:
    assert repr(loaded(saved(ValueError(1, 2)))) == "ValueError('(1, 2)')"
    assert repr(loaded(saved(FileNotFoundError(2, "gone")))) == "FileNotFoundError('[Errno 2] gone')"


def test_exception_keeps_rule_and_notes() -> None:
    error = NullElementError("none", rule="1.9")
    error.add_note("assembled at line 7")
    again = loaded(saved(error))
    assert (type(again), again.rule, again.__notes__) == (NullElementError, "1.9", ["assembled at line 7"])


def test_registered_exception_comes_back_without_its_constructor() -> None:
    again = loaded(saved(OutOfStockError(7, wanted=2)))
    assert (type(again), str(again)) == (OutOfStockError, "no 2 of article 7")
    assert not hasattr(again, "article")


@pytest.mark.parametrize(
    "make",
    [lambda: UnknownError("odd"), lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad")],
    ids=["ours", "with a constructor of its own"],
)
def test_exception_of_an_unknown_class_comes_back_as_a_stand_in(make: Callable[[], Exception]) -> None:
    error = make()
    again = loaded(saved(error))
    assert type(again) is RecoveredError
    assert again.args == (str(error),)
    assert again.kind.endswith(type(error).__qualname__)
    assert str(again) == f"{again.kind}: {error}"
    assert saved(again) == saved(error)


def test_stand_in_becomes_the_exception_where_its_class_is_known() -> None:
    stand_in = RecoveredError("no 2 of article 7", kind="shop/out_of_stock")
    assert type(loaded(saved(stand_in))) is OutOfStockError


def test_exception_whose_text_fails_is_saved_without_it() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("mute")

    text = "<test_exception_whose_text_fails_is_saved_without_it.<locals>.MuteError without a working str>"
    assert loaded(saved(MuteError())).args == (text,)


# --- classes of the program ---------------------------------------------------------------------------------------


def test_dataclass_is_made_from_its_fields_alone() -> None:
    assert loaded(saved(Article(7, Decimal("2.50"), {Color.RED}))) == Article(7, Decimal("2.50"), {Color.RED})
    assert loaded(saved({Place("A", 1), Place("B", 2)})) == {Place("A", 1), Place("B", 2)}


def test_member_under_another_name_is_saved_by_its_own() -> None:
    assert saved(Color.SCARLET) == saved(Color.RED)
    assert loaded(saved(Color.SCARLET)) is Color.RED
