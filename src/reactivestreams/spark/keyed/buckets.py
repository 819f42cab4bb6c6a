"""The bucket of a key: the same in every process and for equal keys of different types.

Python's hash of a text differs from process to process, so two workers would send one key to two buckets.
"""

import datetime as dt
import enum
import numbers
import uuid
import zlib
from collections.abc import Callable
from functools import lru_cache

from reactivestreams.spark.errors import UnsupportedKeyError

__all__ = ["bucket_finder", "bucket_of", "grouping_number", "key_bytes", "key_hash"]

REMEMBERED_KEYS = 65_536
"""How many keys `bucket_finder` caches, and `key_hash` in each process."""

WORD = 2**32 - 1
SPARK_SEED = 42
INT_BYTES = 4

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
SUPPORTED = (
    "None, bool, int, float, Decimal, str, bytes, date, time, datetime, timedelta, UUID, Enum, frozenset, "
    "and tuples of these"
)


def bucket_of(key: object, buckets: int) -> int:
    """Return the bucket of a key.

    Args:
        key: None, a number, text, bytes, a date, a time, a UUID, a member of an Enum, or a tuple or frozenset of these.
        buckets: Number of buckets, 1 or more.

    Returns:
        A number from 0 to buckets - 1. Keys that are equal in Python, such as 1, 1.0 and True, have the same bucket.

    Raises:
        UnsupportedKeyError: The key has another type.

    Example:
        >>> from reactivestreams.spark.keyed.buckets import bucket_of
        >>> bucket_of(("JFK", 1), 8) == bucket_of(("JFK", 1.0), 8)
        True
    """
    return key_hash(key) % buckets


@lru_cache(maxsize=REMEMBERED_KEYS)
def key_hash(key: object) -> int:
    """Return the hash of a key, from 0 to 2**32 - 1; its remainder is the bucket of the key.

    Raises:
        UnsupportedKeyError: The type of the key is not supported.
    """
    return zlib.crc32(key_bytes(key))


def bucket_finder(buckets: int) -> Callable[[object], int]:
    """Return `bucket_of` for a number of buckets, with a bounded cache."""

    @lru_cache(maxsize=REMEMBERED_KEYS)
    def find(key: object) -> int:
        return zlib.crc32(key_bytes(key)) % buckets

    return find


@lru_cache(maxsize=REMEMBERED_KEYS)
def grouping_number(bucket: int) -> int:
    """Return the number by which Spark groups the rows of a bucket: the one whose hash is the bucket.

    Spark shuffles rows to the partition that is the remainder of their hash. So buckets are spread evenly over any
    number of partitions: bucket 0 is in the first one, bucket 1 in the second. Eight buckets that were grouped by their
    own numbers would be in five of eight partitions.

    Args:
        bucket: The number of the bucket.

    Returns:
        A signed number of 32 bits. MurmurHash3 maps each of these to another one, so there is exactly one; each step
        of the hash is undone here, in reverse.

    Example:
        >>> from reactivestreams.spark.keyed.buckets import grouping_number
        >>> [grouping_number(bucket) for bucket in range(3)]
        [-1693959553, -1910889132, -1382833682]
    """
    word = bucket
    word ^= word >> 16
    word = word * inverse(0xC2B2AE35) & WORD
    word ^= word >> 13 ^ word >> 26
    word = word * inverse(0x85EBCA6B) & WORD
    word ^= word >> 16
    word = ((word ^ INT_BYTES) - 0xE6546B64) * inverse(5) & WORD
    word = turned_right(word, 13) ^ SPARK_SEED
    word = turned_right(word * inverse(0x1B873593) & WORD, 15)
    word = word * inverse(0xCC9E2D51) & WORD
    return word - 2**32 if word >= 2**31 else word


def inverse(factor: int) -> int:
    """Return the word that undoes a multiplication of words."""
    return pow(factor, -1, WORD + 1)


def turned_right(word: int, bits: int) -> int:
    """Return a word of 32 bits turned right."""
    return (word >> bits | word << 32 - bits) & WORD


def key_bytes(key: object) -> bytes:
    """Return bytes that are the same for equal keys in every process, and nearly always differ for unequal keys.

    Every part is tagged with its kind and its length, so that the parts of a tuple cannot be confused.

    Raises:
        UnsupportedKeyError: The type of the key is not supported.
    """
    for kinds, encode in ENCODERS:
        # A subclass with its own __eq__ is refused: its equal keys could have different bytes.
        if isinstance(key, kinds) and (encode in OPEN_KINDS or is_compared_as(key, kinds)):
            return encode(key)
    raise UnsupportedKeyError(
        f"a key of type {type(key).__name__} has no hash that is the same in every process, got {key!r:.200}; "
        f"let the key function return {SUPPORTED}"
    )


def is_compared_as(key: object, kinds: tuple[type, ...]) -> bool:
    """Return whether a key is compared by the equality of one of the given types."""
    own: object = type(key).__eq__
    return any(own is kind.__eq__ for kind in kinds)


def framed(tag: bytes, content: bytes) -> bytes:
    """Return the content with its kind and length in front."""
    return b"%s%d:%s" % (tag, len(content), content)


def none_bytes(key: object) -> bytes:
    return framed(b"n", b"")


def number_bytes(key: object) -> bytes:
    # Python's hash of a number is the same in every process, and equal for equal numbers of all types. The hash of a
    # NaN is its address, so all NaNs share one bucket.
    return framed(b"i", b"nan" if key != key else b"%d" % hash(key))


def text_bytes(key: str) -> bytes:
    return framed(b"s", str.encode(key, "utf-8", "surrogatepass"))


def bytes_bytes(key: bytes) -> bytes:
    return framed(b"b", bytes(key))


def instant_bytes(key: dt.datetime) -> bytes:
    if key.utcoffset() is None:
        # Equality ignores `fold`.
        return framed(b"w", key.replace(tzinfo=None, fold=0).isoformat().encode())
    return framed(b"z", b"%d" % ((key - EPOCH) // dt.timedelta(microseconds=1)))


def date_bytes(key: dt.date) -> bytes:
    return framed(b"d", key.isoformat().encode())


def time_bytes(key: dt.time) -> bytes:
    offset = key.utcoffset()
    if offset is None:
        return framed(b"t", key.replace(tzinfo=None, fold=0).isoformat().encode())
    since_midnight = dt.timedelta(hours=key.hour, minutes=key.minute, seconds=key.second, microseconds=key.microsecond)
    return framed(b"o", duration_bytes(since_midnight - offset))


def duration_bytes(key: dt.timedelta) -> bytes:
    return framed(b"l", b"%d" % (key // dt.timedelta(microseconds=1)))


def uuid_bytes(key: uuid.UUID) -> bytes:
    return framed(b"u", key.bytes)


def member_bytes(key: enum.Enum) -> bytes:
    kind = type(key)
    return framed(b"e", f"{kind.__module__}.{kind.__qualname__}.{key.name}".encode())


def tuple_bytes(key: tuple[object, ...]) -> bytes:
    return framed(b"(", b"".join(map(key_bytes, tuple.__iter__(key))))


def set_bytes(key: frozenset[object]) -> bytes:
    return framed(b"{", b"".join(sorted(map(key_bytes, key))))


ENCODERS: tuple[tuple[tuple[type, ...], Callable[..., bytes]], ...] = (
    ((str,), text_bytes),
    ((numbers.Number,), number_bytes),
    ((tuple,), tuple_bytes),
    ((type(None),), none_bytes),
    ((bytes,), bytes_bytes),
    # Before date, because it is a subclass with another __eq__.
    ((dt.datetime,), instant_bytes),
    ((dt.date,), date_bytes),
    ((dt.time,), time_bytes),
    ((dt.timedelta,), duration_bytes),
    ((uuid.UUID,), uuid_bytes),
    ((frozenset,), set_bytes),
    ((enum.Enum,), member_bytes),
)
OPEN_KINDS = (number_bytes,)
"""Abstract kinds: each of their types has its own __eq__, by the rules of Python's numbers."""
