"""The state of a bucket in Spark's state store.

The rows of its keys are in pages, so that a micro-batch reads and writes those of its own keys. State that ends by time
is one value instead, or several chunks if it is large: which of its keys end next cannot be known without the others.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from struct import Struct
from typing import Any, NamedTuple

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.keyed.map_calls import MapCalls
from reactivestreams.spark.keyed.pages import (
    CHANGE_BYTES,
    KEY_BYTES,
    Change,
    ChangeLog,
    Page,
    joined_pages,
    mark_of,
    opened_logs,
    page_of,
    pages_for,
    separate_pages,
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
    "PagesHead",
    "joined_blob",
    "log_numbers",
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

PAGES_HEAD = Struct("<IIQQIQ")
"""In front of the records of a bucket with pages: a `PagesHead`."""

TOGETHER = 64
"""How many pages are stored together where micro-batches need most of them."""

FEW_KEYS, MANY_KEYS = 0.25, 0.75
"""Keys of a micro-batch a page of the bucket: with fewer of them pages are stored one by one, with more together.

Between them they stay as they are, so that micro-batches of changing size do not write the bucket anew each time.
"""

LOG_SHARE = 1 / 8
"""Bytes of the log a byte of the bucket, above which the micro-batch writes the pages with their changes.

A micro-batch reads the whole log: a larger one makes each of them slower, a smaller one writes the pages more often.
"""

LOG_VALUE_BYTES = 32 * 1024
"""A log of more bytes goes on in another value, so that a micro-batch does not write all of it anew."""


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
        if stored == self:
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
        elif stored.layout != self.layout:
            ends, stays = ("end by time", "do not") if stored.layout == ONE_VALUE else ("do not end by time", "do")
            problem = f"its keys {ends}, but those of this pipeline {stays}; use a new checkpoint"
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

    def stored(self) -> tuple[int, bytes] | None:
        """Return the number of the bucket's chunks and its value, or None if it has no state."""
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
        return count, bytes(value or b"")

    def put(self, count: int, value: bytes) -> None:
        """Store the number of chunks of the bucket and its value."""
        self.value.update((self.heading.text(), count, value))

    def load(self) -> tuple[bytes, int]:
        """Return the state of a bucket that is one value, empty if there is none, and the number of its chunks."""
        count, value = self.stored() or (0, b"")
        chunks = {number: chunk or b"" for number, chunk in enumerate(self.chunks.values(range(count)))}
        return joined_blob(count, value, chunks), count

    def store(self, blob: bytes, chunks_before: int) -> None:
        """Store the state of the bucket as one value, and remove the chunks of the previous one that are left over."""
        parts = [*chunked(blob)] if len(blob) > CHUNK_BYTES else []
        self.chunks.update(enumerate(parts))
        self.chunks.remove(range(len(parts), chunks_before))
        self.put(len(parts), b"" if parts else blob)


class PagedBucket:
    """The state of a bucket in pages, during one call of Spark.

    Invariants: `stored` contains the bytes of each page that was read, `pages` those of them whose keys were asked for
        or have changed, with the changes in the log; `touched` the keys that have changed since, by page and place;
        `changed` the pages that must be written; `given` where the keys are that this run began with, by the numbers
        that their rows have in it. Only pages that are stored one by one have a log.

    Args:
        store: The state store, with the bucket.
        hash_of: Returns the hash of a key.
    """

    def __init__(self, store: BucketStore, hash_of: Callable[[object], int]) -> None:
        self.store = store
        self.hash_of = hash_of
        self.buckets: int = store.heading.buckets
        self.stored: dict[int, bytes] = {}
        self.pages: dict[int, Page] = {}
        self.changed: set[int] = set()
        self.touched: set[tuple[int, int]] = set()
        self.logs: list[ChangeLog] | None = None
        self.logged: defaultdict[int, list[Change]] = defaultdict(list)
        """The changes in the log of pages that were read and are not among `pages`."""
        self.keys: int = 0
        """How many keys the runs of this micro-batch have had."""
        self.found: set[int] = set()
        """The numbers of the values that were read and are there."""
        self.asked: set[int] = set()
        self.given: dict[int, tuple[int, int, bytes]] = {}
        _, value = store.stored() or (0, b"")
        self.value: bytes = value
        """As it is stored."""
        self.head: PagesHead
        self.records: bytes
        try:
            self.head, self.records = paged_value(value)
        except ValueError as error:
            raise self.damaged(error) from error

    def damaged(self, error: ValueError) -> PipelineError:
        """Return the error for state that cannot be read."""
        problem = f"the state in the checkpoint is damaged: {error}; use a new checkpoint"
        return refusal(self.store.heading.operators[0], problem)

    def state_of(self, hashes: set[int]) -> SavedRun | None:
        """Return the state for one run, at least that of the keys with these hashes; None if the bucket has none."""
        self.asked, self.given = hashes, {}
        self.keys += len(hashes)
        if not self.records:
            return None
        marks: defaultdict[int, set[int]] = defaultdict(set)
        for hashed in hashes:
            marks[self.page_of(hashed)].add(mark_of(hashed))
        self.read(marks)
        rows: dict[int, bytes] = {}
        for number, wanted in marks.items():
            page = self.page(number)
            for row, place in enumerate(page.places(wanted), len(rows) + 1):
                rows[row] = data = sealed_row(row, page.value(place))
                self.given[row] = number, place, data
        return SavedRun(self.records, rows)

    def page_of(self, hashed: int) -> int:
        """Return the page of a key's hash. Its remainder chose the bucket, so it is the same for all of them."""
        return page_of(hashed // self.buckets, self.head.pages)

    def read(self, numbers: Iterable[int]) -> None:
        """Read pages that were not read before, with those that are stored together with them, and their changes."""
        together, before = self.head.together, set(self.stored)
        values = sorted({number // together for number in numbers if number not in self.stored})
        for value, found in zip(values, self.store.chunks.values(values), strict=True):
            first = value * together
            self.stored.update(dict.fromkeys(range(first, min(first + together, self.head.pages)), b""))
            if found is not None:
                self.found.add(value)
                try:
                    self.stored.update(enumerate(separate_pages(found), first))
                except ValueError as error:
                    raise self.damaged(error) from error
        new = self.stored.keys() - before
        for log in self.log() if new else ():
            for change in log.changes(new):
                self.logged[change.page].append(change)

    def log(self) -> list[ChangeLog]:
        """Return the log, the oldest value first."""
        if self.logs is None:
            try:
                self.logs = opened_logs(self.store.chunks.values(log_numbers(self.head)))
            except ValueError as error:
                raise self.damaged(error) from error
        return self.logs

    def page(self, number: int) -> Page:
        """Return a page that was read or is new."""
        page = self.pages.get(number)
        if page is None:
            try:
                page = self.pages[number] = Page(self.stored.get(number, b""))
                for change in self.logged.pop(number, ()):
                    page.apply(change)
            except ValueError as error:
                raise self.damaged(error) from error
        return page

    def keep(self, saved: SavedRun) -> None:
        """Take over the state that a run has saved, which began with the result of `state_of`.

        Raises:
            PipelineError: It has a key whose state was not asked for.
        """
        self.records = saved.records
        given, size = self.given, self.head.size
        new: list[bytes] = []
        for row, data in (saved.rows or {}).items():
            place = given.get(row)
            if place is None:
                new.append(row_value(data))
            elif data is not place[2]:
                number, index, _ = place
                value, page = row_value(data), self.pages[number]
                size += len(value) - page.lengths[index]
                page.replace(index, value)
                self.touched.add((number, index))
        size += sum(map(len, new)) + KEY_BYTES * len(new)
        self.head = self.head._replace(keys=self.head.keys + len(new), size=size)
        if pages_for(size) > self.head.pages:
            self.divide(pages_for(size))
        for value in new:
            hashed = self.hash_in(value)
            if hashed not in self.asked:
                raise self.another_key(value)
            number = self.page_of(hashed)
            page = self.page(number)
            self.touched.add((number, len(page.lengths)))
            page.add(mark_of(hashed), value)

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
        self.read(range(self.head.pages))
        before = [self.page(number) for number in range(self.head.pages)]
        self.stored, self.pages = dict.fromkeys(range(count), b""), {}
        self.head = self.head._replace(pages=count)
        self.touched.clear()
        for page in before:
            for mark, value in zip(page.marks, page.values(), strict=True):
                self.page(self.page_of(self.hash_in(value))).add(mark, value)
        self.changed.update(range(count))

    def write(self) -> None:
        """Store what has changed."""
        self.gather(self.head)
        is_whole = self.head.together > 1 or bool(self.changed)
        if is_whole or not self.write_log():
            self.write_pages()
        value = PAGES_HEAD.pack(*self.head) + self.records
        if value != self.value:
            self.store.put(0, value)

    def write_log(self) -> bool:
        """Add what has changed to the log; return False if it would be too large."""
        changes = [
            Change(number, place, self.pages[number].marks[place], self.pages[number].value(place))
            for number, place in sorted(self.touched)
        ]
        if not changes:
            return True
        log_size = self.head.log_size + sum(CHANGE_BYTES + len(change.value) for change in changes)
        if log_size > LOG_SHARE * self.head.size:
            return False
        logs = self.log()
        if not logs or len(logs[-1].values) >= LOG_VALUE_BYTES:
            logs.append(ChangeLog())
        logs[-1].add(changes)
        self.store.chunks.update([(-len(logs), logs[-1].stored())])
        self.head = self.head._replace(logs=len(logs), log_size=log_size)
        return True

    def write_pages(self) -> None:
        """Store the pages that have changed, also by the log, which then is empty."""
        logged = {number for log in self.log() for number in log.pages}
        self.read(logged)
        self.changed.update(logged, (number for number, _ in self.touched))
        for number in logged:
            self.page(number)
        store = self.store
        store.chunks.remove(log_numbers(self.head))
        self.head = self.head._replace(logs=0, log_size=0)
        together = self.head.together
        values = {number // together for number in self.changed}
        parts = {number: self.pages_in(number) for number in sorted(values)}
        store.chunks.remove([number for number in sorted(values & self.found) if not any(parts[number])])
        store.chunks.update((number, joined_pages(pages)) for number, pages in parts.items() if any(pages))

    def gather(self, head: "PagesHead") -> None:
        """Store pages one by one where micro-batches need few of them, and together where they need most."""
        density = self.keys / head.pages
        together = 1 if density < FEW_KEYS else TOGETHER if density > MANY_KEYS else head.together
        if together != head.together:
            self.read(range(head.pages))
            self.changed.update(range(head.pages))
            self.store.chunks.remove(self.found)
            self.found.clear()
            self.head = head._replace(together=together)

    def pages_in(self, value: int) -> list[bytes]:
        """Return the bytes of the pages that are stored together."""
        first = value * self.head.together
        return [
            self.pages[number].stored() if number in self.changed and number in self.pages else self.stored[number]
            for number in range(first, min(first + self.head.together, self.head.pages))
        ]


class PagesHead(NamedTuple):
    """What the pages of a bucket contain.

    Attributes:
        pages: How many pages there are; those without keys may not be stored.
        together: How many of them are stored together in one value.
        keys: How many keys all of them have.
        size: How many bytes these take.
        logs: How many values the log has.
        log_size: How many bytes its changes take.
    """

    pages: int
    together: int
    keys: int
    size: int
    logs: int = 0
    log_size: int = 0


NO_PAGES = PagesHead(1, TOGETHER, 0, 0)


def log_numbers(head: PagesHead) -> range:
    """Return the numbers of the values of the log, the oldest one first."""
    return range(-1, -1 - head.logs, -1)


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
    if head.together < 1:
        raise ValueError(f"at least 1 page is stored together, and not {head.together}")
    return head, value[PAGES_HEAD.size :]


def chunked(blob: bytes) -> Iterator[bytes]:
    """Yield the chunks of a state."""
    for start in range(0, len(blob), CHUNK_BYTES):
        yield blob[start : start + CHUNK_BYTES]


def joined_blob(count: int, blob: bytes | None, chunks: dict[int, bytes]) -> bytes:
    """Return the state of a bucket from its value and its chunks."""
    return b"".join(chunks[number] for number in range(count)) if count else bytes(blob or b"")
