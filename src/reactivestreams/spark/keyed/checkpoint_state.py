"""The state of a keyed pipeline in a checkpoint, read through Spark's state data source and decoded."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import StateError
from reactivestreams.operators import Keyed
from reactivestreams.spark.errors import CheckpointError
from reactivestreams.spark.keyed.blob_store import (
    CHUNKS_STATE,
    HEADING_STATE,
    LAYOUT_VERSION,
    BucketHeading,
    joined_blob,
)
from reactivestreams.state import SavedRecord, saved_records

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["BucketState", "bucket_states", "require_checkpoint"]


@dataclass(frozen=True, slots=True)
class BucketState:
    """The saved state of one bucket.

    Attributes:
        bucket: Its number.
        heading: The number of buckets, and the operators from the keyed one on.
        size: Size in bytes.
        records: The records of its operators; empty if the bucket has had no element.
    """

    bucket: int
    heading: BucketHeading
    size: int
    records: tuple[SavedRecord, ...]

    @property
    def keyed(self) -> SavedRecord | None:
        """The record of the keyed operator."""
        # The ids of all keyed operators begin with this one.
        return next((record for record in self.records if record.operator.startswith(Keyed.id)), None)

    @property
    def keys(self) -> dict[Any, Any]:
        """The keys and their state: an accumulator, or the bytes of the operators' records."""
        found = self.keyed
        return next((field for field in found.fields if isinstance(field, dict)), {}) if found is not None else {}

    def sample(self, count: int) -> Iterator[tuple[Any, Any]]:
        """Yield the first keys with their decoded state: an accumulator, or a tuple of records."""
        is_chain = self.keyed is not None and self.keyed.operator == Keyed.id
        for key, held in islice(self.keys.items(), count):
            yield key, saved_records(held) if is_chain else held


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


def bucket_states(session: "SparkSession", path: str) -> list[BucketState]:
    """Return the state of the buckets in a checkpoint, as the last micro-batch committed it.

    Values of the program's classes can be decoded if the module that registers them was imported.

    Args:
        session: A Spark session.
        path: The checkpointLocation of a streaming query.

    Raises:
        CheckpointError: The folder is not a checkpoint, or not of a keyed pipeline, or of a later release.
        StateError: The state contains values of unknown classes.
    """
    from pyspark.errors import PySparkException

    require_checkpoint(path)
    try:
        headings = state_frame(session, path, HEADING_STATE).selectExpr("key.bucket", "value.*").collect()
    except PySparkException as error:
        first_line = next(iter(str(error).strip().splitlines()), "")
        raise CheckpointError(
            f"the checkpoint {path} does not belong to a keyed pipeline of this package: {first_line[:300]}"
        ) from error
    chunks: dict[int, dict[int, bytes]] = {}
    if any(row.chunks for row in headings):
        stored = state_frame(session, path, CHUNKS_STATE)
        for row in stored.selectExpr("key.bucket", "user_map_key.number", "user_map_value.chunk").collect():
            chunks.setdefault(row.bucket, {})[row.number] = bytes(row.chunk)
    found = [
        opened(row.bucket, row.heading, joined_blob(row.chunks, row.blob, chunks.get(row.bucket, {})))
        for row in headings
    ]
    return sorted(found, key=lambda state: state.bucket)


def state_frame(session: "SparkSession", path: str, variable: str) -> "DataFrame":
    """Return the rows of one state variable."""
    return session.read.format("statestore").option("stateVarName", variable).load(path)


def opened(bucket: int, heading: str, blob: bytes) -> BucketState:
    """Return the decoded state of a bucket."""
    try:
        stored = BucketHeading.of_text(heading)
    except ValueError as error:
        raise CheckpointError(f"bucket {bucket} of the checkpoint was not written by this package: {error}") from error
    if stored.layout > LAYOUT_VERSION:
        raise CheckpointError(
            f"a later release stored the state of {' | '.join(stored.operators)} (layout {stored.layout}, this one "
            f"reads {LAYOUT_VERSION}); show it with that release"
        )
    try:
        return BucketState(bucket, stored, len(blob), saved_records(blob))
    except StateError as error:
        raise CheckpointError(f"bucket {bucket} of {' | '.join(stored.operators)}: {error}") from error
