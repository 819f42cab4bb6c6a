"""Keys of a bucket in pages: which page a key is in, and how pages are written.

The hash of a key chooses its page. Some keys share a page, since it is cheaper to read and write some more bytes than
to call the state store once more; their number does not grow with the bucket, so that what a micro-batch reads and
writes follows its keys, not how many there are. Where micro-batches have keys of most pages, many pages are stored
together, for the same reason.
"""

import struct
from itertools import accumulate, pairwise

__all__ = ["KEY_BYTES", "PAGE_BYTES", "Page", "joined_pages", "mark_of", "page_of", "pages_for", "separate_pages"]

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


class Page:
    """The keys of a page.

    Args:
        stored: The bytes of the page; none if it has no keys.

    Attributes:
        marks: `mark_of` the hash of each key.
        values: Each key with its state, encoded as in a row of the keyed operator's table.

    Raises:
        ValueError: The bytes are no page.

    Example:
        >>> page = Page()
        >>> page.add(7, b"ant")
        >>> page.add(9, b"bee")
        >>> Page(page.stored()).places({9}), page.stored()[-6:]
        ([1], b'antbee')
    """

    __slots__ = ("marks", "values")

    def __init__(self, stored: bytes = b"") -> None:
        self.marks: bytearray = bytearray()
        self.values: list[bytes] = []
        if not stored:
            return
        try:
            (count,) = COUNT.unpack_from(stored)
            kind, count = LENGTHS[count >> COUNT_BITS], count & (1 << COUNT_BITS) - 1
            start = COUNT.size + count
            lengths = struct.unpack_from(f"<{count}{kind}", stored, start)
        except (struct.error, IndexError) as error:
            raise ValueError(f"a page of {len(stored)} bytes ends in its heading") from error
        ends = [*accumulate(lengths, initial=start + count * struct.calcsize(kind))]
        if ends[-1] != len(stored):
            raise ValueError(f"a page of {len(stored)} bytes has keys that would end at {ends[-1]}")
        self.marks += stored[COUNT.size : start]
        self.values = [stored[begin:end] for begin, end in pairwise(ends)]

    def places(self, marks: set[int]) -> list[int]:
        """Return the positions of the keys with some marks."""
        places: list[int] = []
        find = self.marks.find
        for mark in marks:
            place = find(mark)
            while place >= 0:
                places.append(place)
                place = find(mark, place + 1)
        return places

    def add(self, mark: int, value: bytes) -> None:
        """Add a key."""
        self.marks.append(mark)
        self.values.append(value)

    def stored(self) -> bytes:
        """Return the bytes of the page; none if it has no keys."""
        if not self.values:
            return b""
        lengths = [*map(len, self.values)]
        longest = max(lengths)
        kind = (longest > 0xFF) + (longest > 0xFFFF)
        head = COUNT.pack(len(lengths) | kind << COUNT_BITS)
        return b"".join((head, self.marks, struct.pack(f"<{len(lengths)}{LENGTHS[kind]}", *lengths), *self.values))


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
