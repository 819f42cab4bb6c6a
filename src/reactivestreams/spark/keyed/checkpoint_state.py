"""The state of a keyed pipeline in a checkpoint, read through Spark's state data source and decoded."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import StateError
from reactivestreams.operators import Keyed
from reactivestreams.spark.errors import CheckpointError
from reactivestreams.spark.keyed.bucket_store import (
    CHUNKS_STATE,
    FIRST_CHUNK,
    HEADING_STATE,
    LAYOUT_VERSION,
    BucketHeading,
    PagesHead,
    joined_chunks,
    log_numbers,
    paged_value,
)
from reactivestreams.spark.keyed.buckets import grouping_number
from reactivestreams.spark.keyed.pages import Page, decompressed, opened_logs, separate_pages
from reactivestreams.state import SavedRecord, decode_value, saved_records

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["BucketState", "bucket_states", "require_checkpoint"]

WINDOW_FIELDS = 4
"""Fields of the row of a window: its key, start, end, and accumulator."""


@dataclass(frozen=True, slots=True)
class BucketState:
    """The saved state of one bucket.

    Attributes:
        bucket: Its number, from 0.
        heading: The number of buckets, and the operators from the keyed one on.
        size: Size in bytes.
        records: The records of its operators; empty if the bucket has had no element.
        key_count: How many keys it has.
        keys: Its keys and their state, perhaps of some keys only: an accumulator, or the bytes of the operators'
            records. A window counts as a key, which has its start and its end.
    """

    bucket: int
    heading: BucketHeading
    size: int
    records: tuple[SavedRecord, ...]
    key_count: int
    keys: dict[Any, Any]

    def sample(self, count: int) -> Iterator[tuple[Any, Any]]:
        """Yield the first keys with their decoded state: an accumulator, or a tuple of records."""
        keyed = keyed_record(self.records)
        is_chain = keyed is not None and keyed.operator == Keyed.id
        for key, held in islice(self.keys.items(), count):
            yield key, saved_records(held) if is_chain else held


def keyed_record(records: tuple[SavedRecord, ...]) -> SavedRecord | None:
    """Return the record of the keyed operator."""
    # The ids of all keyed operators begin with this one.
    return next((record for record in records if record.operator.startswith(Keyed.id)), None)


def require_checkpoint(path: str) -> None:
    """Refuse a folder that is not a checkpoint of a stateful query.

    Raises:
        CheckpointError: The folder is missing, is not a checkpoint, or has no state.
    """
    folder = Path(path)
    if "://" in path:
        return  # Spark reports an error itself
    if not folder.is_dir():
        raise CheckpointError(f"there is no folder {path}; pass the checkpointLocation of a streaming query")
    if not (folder / "metadata").exists() or not (folder / "offsets").is_dir():
        raise CheckpointError(
            f"{path} is not a checkpoint of a streaming query, which has a file metadata and a folder offsets; pass "
            "the checkpointLocation of a query"
        )
    if not (folder / "state").is_dir():
        raise CheckpointError(
            f"the checkpoint {path} has no state: its query had no keyed pipeline, or has not completed a micro-batch"
        )


def bucket_states(session: "SparkSession", path: str, *, keys: int | None = None) -> list[BucketState]:
    """Return the state of the buckets in a checkpoint, as the last micro-batch committed it.

    Values of the program's classes can be decoded if the module that registers them was imported.

    Args:
        session: A Spark session.
        path: The checkpointLocation of a streaming query.
        keys: About how many keys of each bucket are needed, at least; None: all of them.

    Raises:
        CheckpointError: The folder is not a checkpoint, or not of a keyed pipeline, or of a later release.
        StateError: The state contains values of unknown classes.
    """
    from pyspark.errors import PySparkException
    from pyspark.sql.functions import expr

    require_checkpoint(path)
    try:
        headings = state_frame(session, path, HEADING_STATE).selectExpr("key.bucket", "value.*").collect()
    except PySparkException as error:
        first_line = next(iter(str(error).strip().splitlines()), "")
        raise CheckpointError(
            f"the checkpoint {path} does not belong to a keyed pipeline of this package: {first_line[:300]}"
        ) from error
    layouts = {row.bucket: read_heading(row.heading) for row in headings}
    most = max((heading.buckets for heading in layouts.values()), default=0)
    numbers = {grouping_number(bucket): bucket for bucket in range(most)}
    if not layouts.keys() <= numbers.keys():
        raise CheckpointError(
            f"the checkpoint {path} was written by this package before its first release; show it with that version"
        )
    chunks: dict[int, dict[int, bytes]] = {}
    stored = state_frame(session, path, CHUNKS_STATE)
    stored = stored.selectExpr("key.bucket", "user_map_key.number", "user_map_value.chunk")
    if keys is not None:
        place = expr("row_number() OVER (PARTITION BY bucket, number >= 0 ORDER BY number)")
        first = stored.withColumn("place", place)  # beside log and chunks, pages with a key at least each
        stored = first.where(f"number < 0 OR number >= {FIRST_CHUNK} OR place <= {keys}")
    for row in stored.collect():
        chunks.setdefault(row.bucket, {})[row.number] = bytes(row.chunk)
    found = [
        opened(
            numbers[row.bucket],
            layouts[row.bucket],
            row.chunks,
            bytes(row.blob or b""),
            chunks.get(row.bucket, {}),
        )
        for row in headings
    ]
    return sorted(found, key=lambda state: state.bucket)


def state_frame(session: "SparkSession", path: str, variable: str) -> "DataFrame":
    """Return the rows of one state variable."""
    return session.read.format("statestore").option("stateVarName", variable).load(path)


def read_heading(text: str) -> BucketHeading:
    """Return the heading of a bucket, which this release can read."""
    try:
        stored = BucketHeading.of_text(text)
    except ValueError as error:
        raise CheckpointError(f"a bucket of the checkpoint was not written by this package: {error}") from error
    if stored.layout != LAYOUT_VERSION:
        raise CheckpointError(
            f"another release stored the state of {' | '.join(stored.operators)} (layout {stored.layout}, this one "
            f"reads {LAYOUT_VERSION}); show it with that release"
        )
    return stored


def opened(bucket: int, heading: BucketHeading, count: int, value: bytes, chunks: dict[int, bytes]) -> BucketState:
    """Return the decoded state of a bucket.

    Args:
        bucket: Its number.
        heading: Its heading.
        count: How many chunks its value has.
        value: Its value.
        chunks: Its chunks or pages, perhaps some of the pages only.
    """
    try:
        value = joined_chunks(count, value, chunks)
        head, _, stored = paged_value(value)
        pages = {number: decompressed(chunk) for number, chunk in chunks.items() if number < FIRST_CHUNK}
        rows = [decode_value(row) for page in opened_pages(head, pages) for row in page.values()]
        keys = dict(map(key_and_state, rows))
        return BucketState(bucket, heading, len(value) + head.size, saved_records(stored), head.keys, keys)
    except (StateError, ValueError) as error:
        raise CheckpointError(f"bucket {bucket} of {' | '.join(heading.operators)}: {error}") from error


def key_and_state(row: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the key of a row and its state; windows have their start and end, in microseconds, beside the key."""
    return (row[0], row[1]) if len(row) < WINDOW_FIELDS else (row[:3], row[3])


def opened_pages(head: PagesHead, stored: dict[int, bytes]) -> Iterable[Page]:
    """Return the pages of a bucket with the changes in the log.

    Args:
        head: What the pages contain.
        stored: The values of the log, and pages, perhaps some only. Of the others there are the keys that changed.
    """
    pages: defaultdict[int, Page] = defaultdict(Page)
    for number, value in stored.items():
        if number >= 0:
            pages.update(enumerate(map(Page, separate_pages(value)), number * head.together))
    for log in opened_logs(map(stored.get, log_numbers(head))):
        for change in log.changes(set(log.pages)):
            page = pages[change.page]
            if change.place <= len(page.lengths):
                page.apply(change)
    return pages.values()
