"""The bucket of a key: equal for equal keys, the same in every process, spread over all buckets."""

import datetime as dt
import enum
import subprocess
import sys
import uuid
from collections import Counter, namedtuple
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactivestreams.spark import UnsupportedKeyError
from reactivestreams.spark.keyed.buckets import bucket_finder, bucket_of, grouping_number, key_bytes

ROOT = Path(__file__).resolve().parents[3]
Flight = namedtuple("Flight", "origin carrier")  # noqa: PYI024 - a named tuple of the plain kind is what is tested
BERLIN = dt.timezone(dt.timedelta(hours=1))


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1


class Kind(enum.StrEnum):
    FAST = "fast"


class CaselessText(str):
    """A text with an equality of its own."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self.lower() == other.lower()

    def __hash__(self) -> int:
        return hash(self.lower())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (1, Level.LOW),
        (Decimal("0.5"), 0.5),
        (Decimal(3), 3),
        (0.0, -0.0),
        ("fast", Kind.FAST),
        (("JFK", "UA"), Flight("JFK", "UA")),
        (("JFK", 1), ("JFK", 1.0)),
        (frozenset({1, 2}), frozenset({2.0, 1.0})),
        (dt.datetime(2013, 1, 1, 12, tzinfo=dt.UTC), dt.datetime(2013, 1, 1, 13, tzinfo=BERLIN)),
        (dt.datetime(2013, 1, 1, 12), dt.datetime(2013, 1, 1, 12, fold=1)),  # noqa: DTZ001 - without a zone on purpose
        (dt.time(12, tzinfo=dt.UTC), dt.time(13, tzinfo=BERLIN)),
    ],
)
def test_equal_keys_have_equal_bytes(one: Any, other: Any) -> None:
    assert one == other
    assert key_bytes(one) == key_bytes(other)


def test_parts_of_tuples_do_not_run_into_each_other() -> None:
    keys = [("a", "bc"), ("ab", "c"), ("abc",), "abc", b"abc", (("a",), "bc"), ("a", ("bc",)), (), "", None, 0, "0"]

    assert len({key_bytes(key) for key in keys}) == len(keys)


@pytest.mark.parametrize("key", [[1], {"a": 1}, {1}, object(), bytearray(b"x"), ("a", [1]), CaselessText("a"), print])
def test_key_without_a_stable_hash_is_refused(key: Any) -> None:
    with pytest.raises(UnsupportedKeyError, match="let the key function return None, bool, int"):
        key_bytes(key)


KEYS = [
    None, "JFK", ("EWR", "UA", 2013), 7, -1, 2.5, Decimal("1.10"), b"\x00", dt.date(2013, 1, 1), dt.time(1, 2),
    dt.timedelta(days=-1), uuid.UUID(int=5), frozenset({"a", "b"}), dt.datetime(2013, 1, 1, tzinfo=dt.UTC),
    "\ud800", 10**30,
]  # fmt: skip


def test_bucket_is_the_same_in_a_process_with_another_hash_seed() -> None:
    script = (
        "import datetime as dt, uuid\nfrom decimal import Decimal\n"
        "from reactivestreams.spark.keyed.buckets import bucket_of\n"
        f"import datetime\nprint([bucket_of(key, 1000) for key in {KEYS!r}])"
    ).replace("UUID(", "uuid.UUID(")

    answers = {
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "src")},
        ).stdout
        for seed in ("1", "2")
    }

    assert answers == {f"{[bucket_of(key, 1000) for key in KEYS]}\n"}


def test_enum_members_are_told_apart_by_name() -> None:
    assert key_bytes(Color.RED) != key_bytes(1)


@settings(max_examples=60, derandomize=True)
@given(
    st.one_of(st.integers(), st.floats(), st.text(), st.binary(), st.tuples(st.text(), st.integers())),
    st.integers(1, 4096),
)
def test_bucket_lies_in_range(key: object, buckets: int) -> None:
    assert 0 <= bucket_of(key, buckets) < buckets


def test_keys_spread_over_all_buckets() -> None:
    counts = Counter(bucket_of((origin, number), 8) for origin in ("EWR", "JFK", "LGA") for number in range(1000))

    assert set(counts) == set(range(8))
    assert max(counts.values()) < 2 * min(counts.values())


def test_finder_gives_what_bucket_of_gives() -> None:
    find = bucket_finder(8)

    assert [find(key) for key in (*KEYS, *KEYS)] == [bucket_of(key, 8) for key in (*KEYS, *KEYS)]


@pytest.mark.spark
def test_hash_of_spark_gives_the_bucket_of_a_grouping_number(spark: Any) -> None:
    buckets = [*range(300), 4095, 2**16, 2**31 - 1]
    numbers = spark.createDataFrame([(grouping_number(bucket),) for bucket in buckets], "number int")
    assert [row[0] for row in numbers.selectExpr("hash(number)").collect()] == buckets
