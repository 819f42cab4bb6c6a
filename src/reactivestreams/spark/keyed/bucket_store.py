"""The state of a bucket in Spark's state store.

The rows of its keys are in pages, so that a micro-batch reads and writes those of its own keys. State that ends by time
is one value instead, or several chunks if it is large: which of its keys end next cannot be known without the others.
Earlier releases wrote all state in this way.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from itertools import chain
from struct import Struct
from typing import Any, NamedTuple

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.keyed.map_calls import MapCalls
from reactivestreams.spark.keyed.pages import (
    PagedKey,
    mark_of,
    page_bytes,
    page_of,
    pages_for,
    read_page,
    size_of,
)
from reactivestreams.spark.keyed.saved_run import SavedRun, refusal
from reactivestreams.state import decode_value
from rs_core.state.records import row_value, sealed_row

__all__ = [
    "CHUNKS_STATE",
    "CHUNK_BYTES",
    "HEADING_STATE",
    "LAYOUT_VERSION",
    "BucketHeading",
    "BucketStore",
    "PagedBucket",
    "joined_blob",
    "paged_value",
]

CHUNK_BYTES = 4 * 2**20
"""Bytes of a chunk. Larger state that is one value is stored in several chunks."""

HEADING_STATE = "reactivestreams_state"
CHUNKS_STATE = "reactivestreams_chunks"
"""Pages, or chunks of one value."""

ONE_VALUE = 1
"""The layout with one value."""

LAYOUT_VERSION = 2
"""The layout with pages, which is the latest one."""

PAGES_HEAD = Struct("<IQQ")
"""In front of the records of a bucket with pages: a `PagesHead`."""


@dataclass(frozen=True, slots=True)
class BucketHeading:
    """The heading of a bucket's state; when the state is read, it must be the same.

    Attributes:
        buckets: Number of buckets.
        operators: Names of the operators, from the keyed one on.
        layout: Version of the layout in the state store: 1, one value; 2, pages.
    """

    buckets: int
    operators: tuple[str, ...]
    layout: int = LAYOUT_VERSION

    def text(self) -> str:
        """Return the heading as it is stored."""
        return json.dumps(asdict(self))

    @classmethod
    def of_text(cls, text: str) -> "BucketHeading":
        """Return a stored heading.

        Raises:
            ValueError: The text is not a heading.
        """
        fields = json.loads(text)
        try:
            return cls(int(fields["buckets"]), tuple(map(str, fields["operators"])), int(fields["layout"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"{text[:200]!r} is not a heading of a bucket") from error

    def require(self, stored: "BucketHeading") -> None:
        """Refuse state of another pipeline or of a later release."""
        if replace(stored, layout=self.layout) == self and stored.layout <= self.layout:
            return
        if stored.layout > LAYOUT_VERSION:
            problem = (
                f"a later release stored it (layout {stored.layout}, this one reads {LAYOUT_VERSION}); run the query "
                "with that release, or with a new checkpoint"
            )
        elif stored.operators != self.operators:
            problem = (
                f"it belongs to {' | '.join(stored.operators)}, but this pipeline has {' | '.join(self.operators)}; "
                "start the pipeline that made the checkpoint, or use a new checkpoint"
            )
        elif stored.buckets == self.buckets:
            problem = "its keys do not end by time, but those of this pipeline do; use a new checkpoint"
        else:
            problem = (
                f"its keys are in {stored.buckets} buckets, but this query has {self.buckets}; pass "
                f"buckets={stored.buckets}, or use a new checkpoint"
            )
        raise refusal(self.operators[0], f"the state in the checkpoint does not fit: {problem}")


class BucketStore:
    """The state of the bucket that Spark is processing.

    Args:
        handle: Spark's handle to the state of a stateful processor.
        heading: The heading that this pipeline writes and expects.
    """

    def __init__(self, handle: Any, heading: BucketHeading) -> None:
        from pyspark.sql.types import StructType

        # As types and not as text, which the driver would parse in a call for each.
        value = StructType().add("heading", "string").add("chunks", "integer").add("blob", "binary")
        number, chunk = StructType().add("number", "integer"), StructType().add("chunk", "binary")
        self.heading = heading
        self.value: Any = handle.getValueState(HEADING_STATE, value)
        self.chunks: MapCalls = MapCalls(handle.getMapState(CHUNKS_STATE, number, chunk))

    def check(self) -> None:
        """Refuse state of another pipeline, and write the heading of a bucket without state."""
        if self.stored() is None:
            self.put(0, b"")

    def stored(self) -> tuple[int, int, bytes] | None:
        """Return the layout of the bucket, the number of its chunks and its value, or None if it has no state."""
        found = self.value.get()
        if found is None:
            return None
        text, count, value = found
        try:
            heading = BucketHeading.of_text(text)
        except ValueError as error:
            problem = f"the checkpoint was not written by this package: {error}"
            raise refusal(self.heading.operators[0], problem) from error
        self.heading.require(heading)
        return heading.layout, count, bytes(value or b"")

    def put(self, count: int, value: bytes) -> None:
        """Store the number of chunks of the bucket and its value."""
        self.value.update((self.heading.text(), count, value))

    def load(self) -> tuple[bytes, int]:
        """Return the state of a bucket that is one value, empty if there is none, and the number of its chunks."""
        _, count, value = self.stored() or (ONE_VALUE, 0, b"")
        return self.joined(count, value), count

    def joined(self, count: int, value: bytes) -> bytes:
        """Return the whole value of a bucket."""
        chunks = {number: chunk or b"" for number, chunk in enumerate(self.chunks.values(range(count)))}
        return joined_blob(count, value, chunks)

    def store(self, blob: bytes, chunks_before: int) -> None:
        """Store the state of the bucket as one value, and remove the chunks of the previous one that are left over."""
        parts = [*chunked(blob)] if len(blob) > CHUNK_BYTES else []
        self.chunks.update(enumerate(parts))
        self.chunks.remove(range(len(parts), chunks_before))
        self.put(len(parts), b"" if parts else blob)


class PagedBucket:
    """The state of a bucket in pages, during one call of Spark.

    Invariants: `pages` contains each page that was read or written; `changed` those that differ from the state store;
        `given` where the keys are that the run at hand began with, by the numbers that their rows have in this run.

    Args:
        store: The state store, with the bucket.
        hash_of: Returns the hash of a key.
    """

    def __init__(self, store: BucketStore, hash_of: Callable[[object], int]) -> None:
        self.store = store
        self.hash_of = hash_of
        self.buckets: int = store.heading.buckets
        self.pages: dict[int, list[PagedKey]] = {}
        self.changed: set[int] = set()
        self.asked: set[int] = set()
        self.given: dict[int, tuple[int, int, bytes]] = {}
        layout, count, value = store.stored() or (LAYOUT_VERSION, 0, b"")
        self.earlier: bytes = b""
        """State of the layout with one value, until it is in pages."""
        self.value: bytes = value
        """As it is stored."""
        self.head: PagesHead = NO_PAGES
        self.records: bytes = b""
        if layout == ONE_VALUE:
            self.earlier, self.value = store.joined(count, value), b""
            store.chunks.remove(range(count))  # their numbers are those of pages from now on
        elif value:
            try:
                self.head, self.records = paged_value(value)
            except ValueError as error:
                problem = f"the state in the checkpoint is damaged: {error}; use a new checkpoint"
                raise refusal(store.heading.operators[0], problem) from error

    def state_of(self, hashes: set[int]) -> SavedRun | None:
        """Return the state for one run, at least that of the keys with these hashes; None if the bucket has none."""
        self.asked, self.given = hashes, {}
        if self.earlier:
            return SavedRun(self.earlier)
        if not self.records:
            return None
        marks: defaultdict[int, set[int]] = defaultdict(set)
        for hashed in hashes:
            marks[self.page_of(hashed)].add(mark_of(hashed))
        self.read(marks.keys())
        rows: dict[int, bytes] = {}
        for page, wanted in marks.items():
            for index, (mark, value) in enumerate(self.pages[page]):
                if mark in wanted:
                    number = len(rows) + 1
                    rows[number] = data = sealed_row(number, value)
                    self.given[number] = page, index, data
        return SavedRun(self.records, rows)

    def page_of(self, hashed: int) -> int:
        """Return the page of a key's hash. Its remainder chose the bucket, so it is the same for all of them."""
        return page_of(hashed // self.buckets, self.head.pages)

    def read(self, numbers: AbstractSet[int]) -> None:
        """Read pages that were not read before."""
        missing = sorted(numbers - self.pages.keys())
        for number, page in zip(missing, self.store.chunks.values(missing), strict=True):
            try:
                self.pages[number] = read_page(page)
            except ValueError as error:
                problem = f"page {number} of the state in the checkpoint is damaged: {error}; use a new checkpoint"
                raise refusal(self.store.heading.operators[0], problem) from error

    def keep(self, saved: SavedRun) -> None:
        """Take over the state that a run has saved, which began with the result of `state_of`.

        Raises:
            PipelineError: It has a key whose state was not asked for.
        """
        is_earlier, self.earlier = bool(self.earlier), b""
        self.records = saved.records
        given, keys, size = self.given, self.head.keys, self.head.size
        new: list[bytes] = []
        for number, data in (saved.rows or {}).items():
            place = given.get(number)
            if place is None:
                new.append(row_value(data))
            elif data is not place[2]:
                page, index, _ = place
                value, (mark, before) = row_value(data), self.pages[page][index]
                self.pages[page][index] = mark, value
                self.changed.add(page)
                size += size_of(value) - size_of(before)
        self.head = PagesHead(self.head.pages, keys + len(new), size + sum(map(size_of, new)))
        if pages_for(self.head.size) > self.head.pages:
            self.divide(pages_for(self.head.size))
        for value in new:
            hashed = self.hash_in(value)
            if hashed not in self.asked and not is_earlier:
                raise self.another_key(value)
            page = self.page_of(hashed)
            self.pages.setdefault(page, []).append((mark_of(hashed), value))
            self.changed.add(page)

    def hash_in(self, value: bytes) -> int:
        """Return the hash of the key in an encoded value."""
        return self.hash_of(decode_value(value)[0])

    def another_key(self, value: bytes) -> PipelineError:
        """Return the error for a key function that returned another key than before the shuffle."""
        return refusal(
            self.store.heading.operators[0],
            f"the key function returned {decode_value(value)[0]!r:.200} for an element that had another key before; "
            "let it return the same key each time",
        )

    def divide(self, count: int) -> None:
        """Divide the keys among twice as many pages or more; the micro-batch that does so reads the whole bucket."""
        self.read(set(range(self.head.pages)))
        before, self.pages = self.pages, {}
        self.head = self.head._replace(pages=count)
        for key in chain.from_iterable(before.values()):
            self.pages.setdefault(self.page_of(self.hash_in(key[1])), []).append(key)
        self.changed |= self.pages.keys() | before.keys()

    def write(self) -> None:
        """Store what has changed."""
        store, full = self.store, [number for number in self.changed if self.pages.get(number)]
        store.chunks.remove(self.changed.difference(full))
        store.chunks.update((number, page_bytes(self.pages[number])) for number in sorted(full))
        value = PAGES_HEAD.pack(*self.head) + self.records
        if value != self.value:
            store.put(0, value)
        self.changed.clear()


class PagesHead(NamedTuple):
    """What the pages of a bucket contain.

    Attributes:
        pages: How many pages there are; those without keys are not stored.
        keys: How many keys all of them have.
        size: How many bytes these take.
    """

    pages: int
    keys: int
    size: int


NO_PAGES = PagesHead(1, 0, 0)


def paged_value(value: bytes) -> tuple[PagesHead, bytes]:
    """Return what the pages of a bucket contain, and the records, from the value of its layout.

    Raises:
        ValueError: The bytes are no such value.
    """
    if not value:
        return NO_PAGES, b""
    if len(value) < PAGES_HEAD.size:
        raise ValueError(f"a value of {len(value)} bytes is shorter than its head")
    head = PagesHead(*PAGES_HEAD.unpack_from(value))
    if head.pages.bit_count() != 1:
        raise ValueError(f"a bucket has a power of two of pages, and not {head.pages}")
    return head, value[PAGES_HEAD.size :]


def chunked(blob: bytes) -> Iterator[bytes]:
    """Yield the chunks of a state."""
    for start in range(0, len(blob), CHUNK_BYTES):
        yield blob[start : start + CHUNK_BYTES]


def joined_blob(count: int, blob: bytes | None, chunks: dict[int, bytes]) -> bytes:
    """Return the state of a bucket from its value and its chunks."""
    return b"".join(chunks[number] for number in range(count)) if count else bytes(blob or b"")
