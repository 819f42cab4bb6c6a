"""The state of a bucket in Spark's state store.

The rows of its keys are in pages, so that a micro-batch reads and writes those of its own keys. Of each page the bucket
knows when the first of its keys or windows may end by time, so that those that are due are read, too.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from struct import Struct, pack, unpack_from
from typing import Any, NamedTuple

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.keyed.map_calls import MapCalls
from reactivestreams.spark.keyed.pages import (
    CHANGE_BYTES,
    KEY_BYTES,
    Change,
    ChangeLog,
    Page,
    compressed,
    decompressed,
    divided,
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
    "FIRST_CHUNK",
    "HEADING_STATE",
    "LAYOUT_VERSION",
    "PARTS",
    "BucketHeading",
    "BucketStore",
    "PagedBucket",
    "PagesHead",
    "joined_chunks",
    "log_numbers",
    "paged_value",
]

CHUNK_BYTES = 4 * 2**20
"""Bytes of a chunk. A larger value of a bucket, such as one with many waiting elements, is stored in several chunks."""

FIRST_CHUNK = 2**30
"""The number of the first chunk of the bucket's value; those of pages are lower."""

HEADING_STATE = "reactivestreams_state"
CHUNKS_STATE = "reactivestreams_chunks"
"""Pages, their log, and chunks of a large value."""

LAYOUT_VERSION = 6
"""The layout that this release reads and writes."""

PAGES_HEAD = Struct("<IIQQIQI")
"""In front of the value of a bucket: a `PagesHead`. Behind it are the times of the pages, then the records."""

NEVER = 2**63 - 1
"""The time of a page of which nothing ends by time."""

FEWER_PAGES = 16
"""With more pages a page that its keys need, a bucket gets fewer: windows that have closed leave many empty ones."""

TOGETHER = 64
"""How many pages are stored together where micro-batches need most of them."""

PARTS = 4
"""Into how many smaller pages each page is divided where they are stored one by one: it takes less to read them."""

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
        layout: Version of the layout in the state store.
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
        if stored.layout != LAYOUT_VERSION:
            problem = (
                f"another release stored it (layout {stored.layout}, this one reads {LAYOUT_VERSION}); run the query "
                "with that release, or with a new checkpoint"
            )
        elif stored.operators != self.operators:
            problem = (
                f"it belongs to {' | '.join(stored.operators)}, but this pipeline has {' | '.join(self.operators)}; "
                "start the pipeline that made the checkpoint, or use a new checkpoint"
            )
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
            self.value.update((self.heading.text(), 0, b""))

    def stored(self) -> tuple[int, bytes] | None:
        """Return the number of chunks of the bucket's value and, if it has none, the value; None without state."""
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

    def load(self) -> tuple[bytes, int]:
        """Return the bucket's value, empty if there is none, and the number of its chunks.

        Raises:
            ValueError: It is damaged.
        """
        count, value = self.stored() or (0, b"")
        numbers = range(FIRST_CHUNK, FIRST_CHUNK + count)
        return joined_chunks(count, value, dict(zip(numbers, self.chunks.values(numbers), strict=True))), count

    def store(self, value: bytes, chunks_before: int) -> None:
        """Store the bucket's value, and remove the chunks of the previous one that are left over."""
        data = compressed(value)
        starts = range(0, len(data), CHUNK_BYTES) if len(data) > CHUNK_BYTES else ()
        parts = [data[start : start + CHUNK_BYTES] for start in starts]
        self.chunks.update(enumerate(parts, FIRST_CHUNK))
        self.chunks.remove(range(FIRST_CHUNK + len(parts), FIRST_CHUNK + chunks_before))
        self.value.update((self.heading.text(), len(parts), b"" if parts else data))

    def values(self, numbers: Sequence[int]) -> list[bytes | None]:
        """Return the values of pages or of the log, None where there is none.

        Raises:
            ValueError: One is damaged.
        """
        return [None if value is None else decompressed(value) for value in self.chunks.values(numbers)]

    def update(self, values: Iterable[tuple[int, bytes]]) -> None:
        """Store values of pages or of the log."""
        self.chunks.update((number, compressed(value)) for number, value in values)

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove values of pages or of the log."""
        self.chunks.remove(numbers)


class PagedBucket:
    """The state of a bucket in pages, during one call of Spark.

    Invariants: `stored` contains the bytes of each page that was read, `pages` those of them whose keys were asked for
        or have changed, with the changes in the log; `touched` the keys that have changed since, by page and place;
        `changed` the pages that must be written; `given` where the keys are that this run began with, by the numbers
        that their rows have in it. Only pages that are stored one by one have a log. Nothing of a page ends before its
        time in `times`, which may be too early: then it is put right when the page is read for it.

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
        self.due: set[int] = set()
        """The pages that were read for their time."""
        self.value: bytes
        self.chunks: int
        """In how many chunks the value is stored."""
        self.head: PagesHead
        self.times: list[int]
        """Of each page, if keys or windows end by time."""
        self.records: bytes
        try:
            self.value, self.chunks = store.load()
            self.head, self.times, self.records = paged_value(self.value)
        except ValueError as error:
            raise self.damaged(error) from error

    def damaged(self, error: ValueError) -> PipelineError:
        """Return the error for state that cannot be read."""
        problem = f"the state in the checkpoint is damaged: {error}; use a new checkpoint"
        return refusal(self.store.heading.operators[0], problem)

    def state_of(self, hashes: set[int], now: int | None = None) -> SavedRun | None:
        """Return the state for one run, at least that of the keys with these hashes; None if the bucket has none.

        Args:
            hashes: Hashes of the keys that come.
            now: The time, with which all comes that ends by then; None where nothing ends by time.
        """
        self.asked, self.given, self.due = hashes, {}, set()
        self.keys += len(hashes)
        if not self.records:
            return None
        marks: defaultdict[int, set[int]] = defaultdict(set)
        for hashed in hashes:
            marks[self.page_of(hashed)].add(mark_of(hashed))
        if now is not None:
            self.due = {number for number, time in enumerate(self.times) if time <= now}
        self.read(marks.keys() | self.due)
        rows: dict[int, bytes] = {}
        for number in (*marks, *sorted(self.due - marks.keys())):
            page = self.page(number)
            places = page.held() if number in self.due else page.places(marks[number])
            for row, place in enumerate(places, len(rows) + 1):
                rows[row] = data = sealed_row(row, page.value(place))
                self.given[row] = number, place, data
        return SavedRun(self.records, rows)

    def page_of(self, hashed: int) -> int:
        """Return the page of a key's hash. Its remainder chose the bucket, so it is the same for all of them."""
        parts = self.head.parts
        return page_of(hashed // self.buckets, self.head.pages // parts) * parts + mark_of(hashed) % parts

    def read(self, numbers: Iterable[int]) -> None:
        """Read pages that were not read before, with those that are stored together with them, and their changes."""
        together, before = self.head.together, set(self.stored)
        values = sorted({number // together for number in numbers if number not in self.stored})
        try:
            for value, found in zip(values, self.store.values(values), strict=True):
                first = value * together
                self.stored.update(dict.fromkeys(range(first, min(first + together, self.head.pages)), b""))
                if found is not None:
                    self.found.add(value)
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
                self.logs = opened_logs(self.store.values(log_numbers(self.head)))
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

    def keep(self, saved: SavedRun, due_of: Callable[[Any], int] | None = None) -> None:
        """Take over the state that a run has saved, which began with the result of `state_of`.

        Args:
            saved: The state.
            due_of: Returns when something ends by time in a row; None: nothing does.

        Raises:
            PipelineError: It has a key whose state was not asked for.
        """
        self.records = saved.records
        given, rows, head = self.given, saved.rows, self.head
        size, count = head.size, head.keys
        new: list[bytes] = []
        for row, data in rows.items():
            place = given.get(row)
            if place is None:
                new.append(row_value(data))
            elif data is not place[2]:
                value = row_value(data)
                size += self.replace(place[0], place[1], value)
                self.note_time(place[0], value, due_of)
        for row in given.keys() - rows.keys():
            size += self.replace(*given[row][:2], b"") - KEY_BYTES
            count -= 1
        size += sum(map(len, new)) + KEY_BYTES * len(new)
        self.head = head._replace(keys=count + len(new), size=size)
        needed = pages_for(size) * head.parts
        if needed > head.pages or needed * FEWER_PAGES < head.pages:
            self.divide(needed, due_of)
        for value in new:
            hashed = self.hash_in(value)
            if hashed not in self.asked:
                raise self.another_key(value)
            number = self.page_of(hashed)
            page = self.page(number)
            self.touched.add((number, len(page.lengths)))
            page.add(mark_of(hashed), value)
            self.note_time(number, value, due_of)
        if due_of is not None:
            for number in self.due:
                values = self.page(number).values()
                self.times[number] = min((due_of(decode_value(value)) for value in values), default=NEVER)

    def replace(self, number: int, place: int, value: bytes) -> int:
        """Replace a key of a page and its state, and return by how much that is longer."""
        page = self.pages[number]
        longer = len(value) - page.lengths[place]
        page.replace(place, value)
        self.touched.add((number, place))
        return longer

    def note_time(self, number: int, value: bytes, due_of: Callable[[Any], int] | None) -> None:
        """Note when a key of a page that is new or has changed may end by time."""
        if due_of is not None:
            self.times += [NEVER] * (self.head.pages - len(self.times))
            self.times[number] = min(self.times[number], due_of(decode_value(value)))

    def next_time(self) -> int | None:
        """Return when something may end by time, or None."""
        return min((time for time in self.times if time != NEVER), default=None)

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

    def divide(self, count: int, due_of: Callable[[Any], int] | None) -> None:
        """Divide the keys among another number of pages; the micro-batch that does so reads the whole bucket."""
        before = self.taken_apart(count, self.head.together)
        self.times = []
        self.due.clear()
        for page in before:
            for place in page.held():
                value = page.value(place)
                number = self.page_of(self.hash_in(value))
                self.page(number).add(page.marks[place], value)
                self.note_time(number, value, due_of)

    def taken_apart(self, count: int, together: int) -> list[Page]:
        """Return all pages, and go on with another number of new ones, which are stored otherwise."""
        self.read(range(self.head.pages))
        before = [self.page(number) for number in range(self.head.pages)]
        self.forget_stored()
        self.store.remove(log_numbers(self.head))
        self.stored, self.pages, self.logs = dict.fromkeys(range(count), b""), {}, []
        self.head = self.head._replace(pages=count, together=together, logs=0, log_size=0)
        self.touched.clear()
        self.changed = {*range(count)}
        return before

    def forget_stored(self) -> None:
        """Remove the pages that were read from the state store, of which all will be written."""
        self.store.remove(self.found)
        self.found.clear()

    def write(self) -> None:
        """Store what has changed."""
        self.gather(self.head)
        is_whole = self.head.together > 1 or bool(self.changed)
        if is_whole or not self.write_log():
            self.write_pages()
        self.head = self.head._replace(times=len(self.times))
        value = PAGES_HEAD.pack(*self.head) + pack(f"<{len(self.times)}q", *self.times) + self.records
        if value != self.value:
            self.store.store(value, self.chunks)

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
        self.store.update([(-len(logs), logs[-1].stored())])
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
        store.remove(log_numbers(self.head))
        self.head = self.head._replace(logs=0, log_size=0)
        together = self.head.together
        values = {number // together for number in self.changed}
        parts = {number: self.pages_in(number) for number in sorted(values)}
        store.remove([number for number in sorted(values & self.found) if not any(parts[number])])
        store.update((number, joined_pages(pages)) for number, pages in parts.items() if any(pages))

    def gather(self, head: "PagesHead") -> None:
        """Store pages one by one where micro-batches need few of them, and together where they need most.

        A call without keys, only for what ends by time, leaves them as they are: the next micro-batch needs them so.
        """
        if not self.keys:
            return
        density = self.keys / (head.pages // head.parts)
        together = 1 if density < FEW_KEYS else TOGETHER if density > MANY_KEYS else head.together
        if together == head.together:
            return
        times, whole = self.times, head.pages // head.parts
        parts = head._replace(together=together).parts
        before = self.taken_apart(whole * parts, together)
        for page in range(whole):
            these = before[page * head.parts : (page + 1) * head.parts]
            self.stored.update(enumerate(divided(these, parts), page * parts))
        if times:  # a part may have a time that is too early, until it is read for it
            self.times = [
                min(times[page * head.parts : (page + 1) * head.parts]) for page in range(whole) for _ in range(parts)
            ]

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
        pages: How many pages there are, with their parts; those without keys may not be stored.
        together: How many of them are stored together in one value.
        keys: How many keys all of them have.
        size: How many bytes these take.
        logs: How many values the log has.
        log_size: How many bytes its changes take.
        times: How many of the pages have a time: all, or none.
    """

    pages: int
    together: int
    keys: int
    size: int
    logs: int = 0
    log_size: int = 0
    times: int = 0

    @property
    def parts(self) -> int:
        """Into how many of these each of the pages is divided that are stored together."""
        return PARTS if self.together == 1 else 1


NO_PAGES = PagesHead(1, TOGETHER, 0, 0)


def log_numbers(head: PagesHead) -> range:
    """Return the numbers of the values of the log, the oldest one first."""
    return range(-1, -1 - head.logs, -1)


def paged_value(value: bytes) -> tuple[PagesHead, list[int], bytes]:
    """Return what the pages of a bucket contain, their times, and the records, from the bucket's value.

    Raises:
        ValueError: The bytes are no such value.
    """
    if not value:
        return NO_PAGES, [], b""
    if len(value) < PAGES_HEAD.size:
        raise ValueError(f"a value of {len(value)} bytes is shorter than its head")
    head = PagesHead(*PAGES_HEAD.unpack_from(value))
    if head.pages.bit_count() != 1:
        raise ValueError(f"a bucket has a power of two of pages, and not {head.pages}")
    if head.together < 1:
        raise ValueError(f"at least 1 page is stored together, and not {head.together}")
    end = PAGES_HEAD.size + 8 * head.times
    if head.times not in (0, head.pages) or len(value) < end:
        raise ValueError(f"of {head.pages} pages {head.times} have a time, in a value of {len(value)} bytes")
    return head, [*unpack_from(f"<{head.times}q", value, PAGES_HEAD.size)], value[end:]


def joined_chunks(count: int, value: bytes, chunks: Mapping[int, bytes | None]) -> bytes:
    """Return a bucket's value, which may be in chunks; empty if it has none.

    Raises:
        ValueError: It is damaged.
    """
    parts = (chunks.get(FIRST_CHUNK + number) or b"" for number in range(count))
    data = b"".join(parts) if count else value
    return decompressed(data) if data else b""
