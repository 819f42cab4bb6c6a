"""Keys of a bucket in pages: which page a key is in, and how pages and their changes are written.

The hash of a key chooses its page. Some keys share a page, since it is cheaper to read and write some more bytes than
to call the state store once more; their number does not grow with the bucket, so that what a micro-batch reads and
writes follows its keys, not how many there are. Where micro-batches have keys of most pages, many pages are stored
together, for the same reason. Where they have keys of few, what they change is in a log, so that no page is written
anew for one of its keys.

What is stored is compressed: a socket takes longer for a kilobyte than Snappy, and for many of them than Zstandard.
"""

import struct
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate
from typing import Any, NamedTuple

__all__ = [
    "CHANGE_BYTES",
    "KEY_BYTES",
    "PAGE_BYTES",
    "Change",
    "ChangeLog",
    "Page",
    "compressed",
    "decompressed",
    "divided",
    "joined_pages",
    "mark_of",
    "opened_logs",
    "page_of",
    "pages_for",
    "separate_pages",
]

PAGE_BYTES = 4096
"""Mean size of the pages of a bucket, above which it gets twice as many.

A call of the state store takes as long as a few kilobytes: smaller pages make micro-batches with few keys slow, larger
ones the checkpoint large.
"""

KEY_BYTES = 2
"""Bytes that a key takes in a page besides its value: its mark and its length, if that fits into a byte."""

COUNT = struct.Struct("<I")
"""In front of a page: the number of its keys, and in the two highest bits the position in `LENGTHS` of its lengths."""

COUNT_BITS = 30
LENGTHS = "BHI"
"""Formats of the lengths of the values: the shortest one that all of a page fit into."""

PAGE_LENGTH = struct.Struct("<I")
"""In front of each of several pages that are stored together."""

STORED_HEAD = struct.Struct("<BQ")
"""In front of what is compressed: the position in `CODECS` of how, and how many bytes it has without that."""

CODECS = "snappy", "zstd"
"""The first is for few bytes, of which the second makes hardly fewer and takes twenty times as long."""

FEW_BYTES = 4096
"""The most bytes that the first of `CODECS` compresses."""


def pages_for(size: int) -> int:
    """Return how many pages a bucket needs for keys of a size in bytes; a power of two.

    Example:
        >>> pages_for(100), pages_for(5000), pages_for(64 * 1024), pages_for(10**6)
        (1, 2, 16, 256)
    """
    return 1 << max(-(-size // PAGE_BYTES) - 1, 0).bit_length()


def page_of(position: int, pages: int) -> int:
    """Return the page of a key.

    Args:
        position: The hash of the key without the part that chose its bucket.
        pages: The number of pages.

    Example:
        >>> [page_of(position, 4) for position in range(8)]
        [0, 1, 2, 3, 0, 1, 2, 3]
    """
    return position & (pages - 1)


def mark_of(hashed: int) -> int:
    """Return a byte of a key's hash, by which most keys of a page are told apart without decoding them."""
    return hashed >> 24


class Change(NamedTuple):
    """A key of a page that has changed or is new.

    Attributes:
        page: The number of the page.
        place: The position of the key in it; behind the other ones if it is new.
        mark: `mark_of` the hash of the key.
        value: The key with its state; empty if it has ended.
    """

    page: int
    place: int
    mark: int
    value: bytes


class Page:
    """The keys of a page, each with its state, encoded as in a row of the keyed operator's table.

    Invariants: `data` is the page as it was read, whose value at a place ends at `ends[place + 1]`; `changed` contains
        the values that are other ones now, and those of the keys that were added. So only what is asked for is copied.
        A key that has ended keeps its place, with an empty value, until the page is stored.

    Args:
        stored: The bytes of the page; none if it has no keys.

    Attributes:
        marks: `mark_of` the hash of each key.

    Raises:
        ValueError: The bytes are no page.

    Example:
        >>> page = Page()
        >>> page.add(7, b"ant")
        >>> page.add(9, b"bee")
        >>> again = Page(page.stored())
        >>> again.places({9}), again.value(1), again.stored()[-6:]
        ([1], b'bee', b'antbee')
    """

    __slots__ = ("changed", "data", "ends", "lengths", "marks")

    def __init__(self, stored: bytes = b"") -> None:
        self.data: bytes = stored
        self.marks: bytearray = bytearray()
        self.lengths: list[int] = []
        self.ends: list[int] = [0]
        self.changed: dict[int, bytes] = {}
        if not stored:
            return
        try:
            (count,) = COUNT.unpack_from(stored)
            kind, count = LENGTHS[count >> COUNT_BITS], count & (1 << COUNT_BITS) - 1
            start = COUNT.size + count
            self.lengths += struct.unpack_from(f"<{count}{kind}", stored, start)
        except (struct.error, IndexError) as error:
            raise ValueError(f"a page of {len(stored)} bytes ends in its heading") from error
        self.marks += stored[COUNT.size : start]
        self.ends = [*accumulate(self.lengths, initial=start + count * struct.calcsize(kind))]
        if self.ends[-1] != len(stored):
            raise ValueError(f"a page of {len(stored)} bytes has keys that would end at {self.ends[-1]}")

    def places(self, marks: set[int]) -> list[int]:
        """Return the positions of the keys with some marks."""
        places: list[int] = []
        find, lengths = self.marks.find, self.lengths
        for mark in marks:
            place = find(mark)
            while place >= 0:
                if lengths[place]:
                    places.append(place)
                place = find(mark, place + 1)
        return places

    def held(self) -> list[int]:
        """Return the positions of all keys."""
        return [place for place, length in enumerate(self.lengths) if length]

    def value(self, place: int) -> bytes:
        """Return the key at a position with its state."""
        value = self.changed.get(place)
        return self.data[self.ends[place] : self.ends[place + 1]] if value is None else value

    def values(self) -> list[bytes]:
        """Return all keys with their state."""
        return [*map(self.value, self.held())]

    def apply(self, change: Change) -> None:
        """Make a change that was made after the page was stored.

        Raises:
            ValueError: There is no such position.
        """
        if change.place < len(self.lengths):
            self.replace(change.place, change.value)
        elif change.place == len(self.lengths):
            self.add(change.mark, change.value)
        else:
            raise ValueError(f"a page of {len(self.lengths)} keys has a change of key number {change.place}")

    def replace(self, place: int, value: bytes) -> None:
        """Replace the key at a position and its state; with an empty value it has ended."""
        self.changed[place] = value
        self.lengths[place] = len(value)

    def add(self, mark: int, value: bytes) -> None:
        """Add a key."""
        self.changed[len(self.lengths)] = value
        self.marks.append(mark)
        self.lengths.append(len(value))

    def stored(self) -> bytes:
        """Return the bytes of the page; none if it has no keys."""
        lengths = self.lengths
        if not lengths:
            return b""
        if not all(lengths):
            (page,) = divided([self], 1)
            return page
        parts: list[bytes] = [page_head(self.marks, lengths)]
        data, ends, count = self.data, self.ends, len(self.ends) - 1
        begin = ends[0]
        for place in sorted(self.changed):  # what was added comes behind all that was there
            parts += data[begin : ends[min(place, count)]], self.changed[place]
            begin = ends[min(place + 1, count)]
        return b"".join((*parts, data[begin:]))


def page_head(marks: Iterable[int], lengths: list[int]) -> bytes:
    """Return what stands in front of the keys of a page."""
    longest = max(lengths)
    kind = (longest > 0xFF) + (longest > 0xFFFF)
    words = struct.pack(f"<{len(lengths)}{LENGTHS[kind]}", *lengths)
    return COUNT.pack(len(lengths) | kind << COUNT_BITS) + bytes(marks) + words


def divided(whole: Iterable[Page], parts: int) -> list[bytes]:
    """Return the bytes of the pages into which the keys of some pages are divided by their marks.

    Example:
        >>> page = Page()
        >>> for mark, value in ((4, b"ant"), (5, b"bee"), (8, b"fly")):
        ...     page.add(mark, value)
        >>> [Page(part).values() for part in divided([page], 4)]
        [[b'ant', b'fly'], [b'bee'], [], []]
    """
    marks: list[list[int]] = [[] for _ in range(parts)]
    values: list[list[bytes]] = [[] for _ in range(parts)]
    for page in whole:
        for place in page.held():
            mark = page.marks[place]
            marks[mark % parts].append(mark)
            values[mark % parts].append(page.value(place))
    return [
        page_head(marks[part], [*map(len, found)]) + b"".join(found) if found else b""
        for part, found in enumerate(values)
    ]


CHANGE_BYTES = 13
"""Bytes that a change takes in a log besides its value."""


class ChangeLog:
    """Changes of pages, in the order in which they were made.

    Args:
        stored: The bytes of the log; none if it has no changes.

    Raises:
        ValueError: The bytes are no log.

    Example:
        >>> log = ChangeLog()
        >>> log.add([Change(5, 0, 7, b"ant"), Change(6, 2, 9, b"bee")])
        >>> [*ChangeLog(log.stored()).changes({6})]
        [Change(page=6, place=2, mark=9, value=b'bee')]
    """

    __slots__ = ("lengths", "marks", "pages", "places", "values")

    def __init__(self, stored: bytes = b"") -> None:
        self.pages: list[int] = []
        self.places: list[int] = []
        self.lengths: list[int] = []
        self.marks: bytes = b""
        self.values: bytes = b""
        if not stored:
            return
        try:
            (count,) = COUNT.unpack_from(stored)
            words = struct.unpack_from(f"<{3 * count}I", stored, COUNT.size)
        except struct.error as error:
            raise ValueError(f"a log of {len(stored)} bytes ends in its heading") from error
        self.pages += words[:count]
        self.places += words[count : 2 * count]
        self.lengths += words[2 * count :]
        start = COUNT.size + CHANGE_BYTES * count
        self.marks, self.values = stored[start - count : start], stored[start:]
        if start + sum(self.lengths) != len(stored):
            raise ValueError(f"a log of {len(stored)} bytes has changes that would end at {start + sum(self.lengths)}")

    def changes(self, pages: set[int]) -> Iterator[Change]:
        """Yield the changes of some pages, in order."""
        wanted = [index for index, page in enumerate(self.pages) if page in pages]
        ends = [*accumulate(self.lengths, initial=0)] if wanted else []
        for index in wanted:
            value = self.values[ends[index] : ends[index + 1]]
            yield Change(self.pages[index], self.places[index], self.marks[index], value)

    def add(self, changes: Iterable[Change]) -> None:
        """Add changes."""
        pages, places, marks, values = zip(*changes, strict=True)
        self.pages += pages
        self.places += places
        self.lengths += map(len, values)
        self.marks += bytes(marks)
        self.values += b"".join(values)

    def stored(self) -> bytes:
        """Return the bytes of the log."""
        words = (*self.pages, *self.places, *self.lengths)
        return COUNT.pack(len(self.pages)) + struct.pack(f"<{len(words)}I", *words) + self.marks + self.values


def opened_logs(values: Iterable[bytes | None]) -> list[ChangeLog]:
    """Return the log that is stored in some values, the oldest one first.

    Raises:
        ValueError: A value is missing, or is no log.
    """
    logs: list[ChangeLog] = []
    for number, value in enumerate(values, 1):
        if not value:
            raise ValueError(f"value {number} of the log is missing")
        logs.append(ChangeLog(value))
    return logs


def joined_pages(pages: list[bytes]) -> bytes:
    """Return the bytes of several pages that are stored together."""
    return b"".join(part for page in pages for part in (PAGE_LENGTH.pack(len(page)), page))


def separate_pages(value: bytes) -> list[bytes]:
    """Return the pages that are stored together.

    Raises:
        ValueError: The bytes are no pages.

    Example:
        >>> separate_pages(joined_pages([b"one", b"", b"three"]))
        [b'one', b'', b'three']
    """
    pages: list[bytes] = []
    position = 0
    while position < len(value):
        start = position + PAGE_LENGTH.size
        if start > len(value):
            break
        position = start + PAGE_LENGTH.unpack_from(value, position)[0]
        pages.append(value[start:position])
    if position != len(value):
        raise ValueError(f"{len(value)} bytes have a page that would end at {position}")
    return pages


@cache
def codec(name: str) -> Any:
    """Return one of `CODECS`, which pyarrow has; Spark needs pyarrow for all that is in Python."""
    import pyarrow as pa

    return pa.Codec(name)


def compressed(data: bytes) -> bytes:
    """Return bytes in a shorter form.

    Example:
        >>> len(compressed(b"ant" * 1000)) < 200, decompressed(compressed(b"ant"))
        (True, b'ant')
    """
    number = int(len(data) > FEW_BYTES)
    packed: bytes = codec(CODECS[number]).compress(data, asbytes=True)
    return STORED_HEAD.pack(number, len(data)) + packed


def decompressed(stored: bytes) -> bytes:
    """Return the bytes that were compressed.

    Raises:
        ValueError: They are damaged.
    """
    if len(stored) <= STORED_HEAD.size:
        raise ValueError(f"{len(stored)} bytes are shorter than their head")
    number, size = STORED_HEAD.unpack_from(stored)
    if number >= len(CODECS):
        raise ValueError(f"{len(stored)} bytes are compressed in an unknown way, number {number}")
    packed = memoryview(stored)[STORED_HEAD.size :]
    try:
        data: bytes = codec(CODECS[number]).decompress(packed, decompressed_size=size, asbytes=True)
    except (OSError, ValueError, MemoryError, OverflowError) as error:
        problem = str(error) or "too large"
        raise ValueError(f"{len(stored)} bytes that claim to be {size} cannot be decompressed: {problem}") from error
    return data
