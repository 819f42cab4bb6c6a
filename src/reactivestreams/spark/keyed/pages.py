"""Keys of a bucket in pages: which page a key is in, and how a page is written.

The hash of a key chooses its page. Some keys share a page, since it is cheaper to read and write some more bytes than
to call the state store once more; their number does not grow with the bucket, so that what a micro-batch reads and
writes follows its keys, not how many there are.
"""

__all__ = [
    "PAGE_BYTES",
    "PagedKey",
    "mark_of",
    "page_bytes",
    "page_of",
    "pages_for",
    "read_page",
    "size_of",
]

PAGE_BYTES = 4096
"""Mean size of the pages of a bucket, above which it gets twice as many.

A call of the state store takes as long as a few kilobytes: smaller pages make micro-batches with most keys slow, larger
ones the checkpoint large.
"""

LONG = 0xFF
"""Stands for the length of a value with so many bytes or more, which follows in `LENGTH_BYTES`."""

LENGTH_BYTES = 4

PagedKey = tuple[int, bytes]
"""A key with its state in a page: `mark_of` its hash, and both encoded, as in a row of the keyed operator's table.

It is a plain tuple, because a named one takes twice the time to make.
"""


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


def size_of(value: bytes) -> int:
    """Return how many bytes a value takes in a page."""
    return 2 + len(value) + (LENGTH_BYTES if len(value) >= LONG else 0)


def page_bytes(keys: list[PagedKey]) -> bytes:
    """Return the bytes of a page."""
    parts: list[bytes] = []
    for mark, value in keys:
        length = len(value)
        if length < LONG:
            parts += (bytes((mark, length)), value)
        else:
            parts += (bytes((mark, LONG)), length.to_bytes(LENGTH_BYTES, "little"), value)
    return b"".join(parts)


def read_page(page: bytes | None) -> list[PagedKey]:
    """Return the keys of a page; none if there is no page.

    Raises:
        ValueError: The bytes are no page.
    """
    if not page:
        return []
    keys: list[PagedKey] = []
    position, end = 0, len(page)
    while position + 1 < end:
        mark, length = page[position], page[position + 1]
        position += 2
        if length == LONG:
            length = int.from_bytes(page[position : position + LENGTH_BYTES], "little")
            position += LENGTH_BYTES
        keys.append((mark, page[position : position + length]))
        position += length
    if position != end:
        raise ValueError(f"a page of {end} bytes has a key that would end at {position}")
    return keys
