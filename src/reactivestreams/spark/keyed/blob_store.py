"""The state of a bucket in Spark's state store: one value, or several chunks if it is large."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details

__all__ = ["CHUNKS_STATE", "CHUNK_BYTES", "HEADING_STATE", "BlobStore", "BucketHeading", "joined_blob"]

CHUNK_BYTES = 4 * 2**20
"""Bytes of a chunk. Larger state is stored in several chunks."""

HEADING_STATE = "reactivestreams_state"
HEADING_SCHEMA = "heading string, chunks int, blob binary"
CHUNKS_STATE = "reactivestreams_chunks"
CHUNK_KEY_SCHEMA = "number int"
CHUNK_SCHEMA = "chunk binary"

LAYOUT_VERSION = 1


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
        if stored.layout > self.layout:
            problem = (
                f"a later release stored it (layout {stored.layout}, this one reads {self.layout}); run the query "
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


def refusal(operator: str, message: str) -> PipelineError:
    """Return the error for state that cannot be loaded, with details that survive as text."""
    return with_details(PipelineError(f"operator {operator}: {message}", operator=operator, cause=message))


class BlobStore:
    """The state of the bucket that Spark is processing.

    Args:
        handle: Spark's handle to the state of a stateful processor.
        heading: The heading that this pipeline writes and expects.
    """

    def __init__(self, handle: Any, heading: BucketHeading) -> None:
        self.heading = heading
        self.value: Any = handle.getValueState(HEADING_STATE, HEADING_SCHEMA)
        self.chunks: Any = handle.getMapState(CHUNKS_STATE, CHUNK_KEY_SCHEMA, CHUNK_SCHEMA)

    def check(self) -> bool:
        """Return whether the bucket has a state; refuse state of another pipeline."""
        stored = self.value.get()
        if stored is None:
            return False
        self.heading.require(self.heading_of(stored[0]))
        return True

    def load(self) -> tuple[bytes | None, int]:
        """Return the state of the bucket, or None, and the number of its chunks."""
        stored = self.value.get()
        if stored is None:
            return None, 0
        text, count, blob = stored
        self.heading.require(self.heading_of(text))
        if count:
            return b"".join(bytes(self.chunks.getValue((number,))[0]) for number in range(count)), count
        return (bytes(blob) if blob else None), 0

    def heading_of(self, text: str) -> BucketHeading:
        """Return the heading of the bucket."""
        try:
            return BucketHeading.of_text(text)
        except ValueError as error:
            raise refusal(
                self.heading.operators[0], f"the checkpoint was not written by this package: {error}"
            ) from error

    def store(self, blob: bytes, chunks_before: int) -> None:
        """Store the state of the bucket, and remove the chunks of the previous state that are left over."""
        parts = [*chunked(blob)] if len(blob) > CHUNK_BYTES else []
        for number, part in enumerate(parts):
            self.chunks.updateValue((number,), (part,))
        for number in range(len(parts), chunks_before):
            self.chunks.removeKey((number,))
        self.value.update((self.heading.text(), len(parts), b"" if parts else blob))


def chunked(blob: bytes) -> Iterator[bytes]:
    """Yield the chunks of a state."""
    for start in range(0, len(blob), CHUNK_BYTES):
        yield blob[start : start + CHUNK_BYTES]


def joined_blob(count: int, blob: bytes | None, chunks: dict[int, bytes]) -> bytes:
    """Return the state of a bucket from its value and its chunks."""
    return b"".join(chunks[number] for number in range(count)) if count else bytes(blob or b"")
