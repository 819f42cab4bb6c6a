"""The state of a bucket in Spark's state store: one value, or chunks of it where it is large."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details

__all__ = ["CHUNKS_STATE", "CHUNK_BYTES", "HEADING_STATE", "BlobStore", "BucketHeading", "joined_blob"]

CHUNK_BYTES = 4 * 2**20
"""Bytes of a chunk; state of more bytes than this is stored in several."""

HEADING_STATE = "reactivestreams_state"
HEADING_SCHEMA = "heading string, chunks int, blob binary"
CHUNKS_STATE = "reactivestreams_chunks"
CHUNK_KEY_SCHEMA = "number int"
CHUNK_SCHEMA = "chunk binary"

LAYOUT_VERSION = 1


@dataclass(frozen=True, slots=True)
class BucketHeading:
    """What stands in front of a bucket's state, and has to be the same when it is read.

    Attributes:
        buckets: How many buckets there are.
        operators: Names of the operators from the keyed one on.
        layout: Version of how state lies in the state store.
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
            ValueError: It is none.
        """
        fields = json.loads(text)
        try:
            return cls(int(fields["buckets"]), tuple(map(str, fields["operators"])), int(fields["layout"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"{text[:200]!r} is no heading of a bucket") from error

    def require(self, stored: "BucketHeading") -> None:
        """Refuse state that another pipeline, or a later release, has stored."""
        if stored == self:
            return
        if stored.layout > self.layout:
            problem = (
                f"a later release stored it (layout {stored.layout}, this one reads {self.layout}); run the query "
                "with that release, or with a new checkpoint"
            )
        elif stored.operators != self.operators:
            problem = (
                f"it is that of {' | '.join(stored.operators)}, and this pipeline has {' | '.join(self.operators)}; "
                "start the pipeline that made the checkpoint, or take a new checkpoint"
            )
        else:
            problem = (
                f"its keys are spread over {stored.buckets} buckets, and this query has {self.buckets}; pass "
                f"buckets={stored.buckets}, or take a new checkpoint"
            )
        raise refusal(self.operators[0], f"the state in the checkpoint does not fit: {problem}")


def refusal(operator: str, message: str) -> PipelineError:
    """Return the error for state that cannot be loaded, in the form that survives Spark."""
    return with_details(PipelineError(f"operator {operator}: {message}", operator=operator, cause=message))


class BlobStore:
    """The state of the bucket that is being handled.

    Args:
        handle: Spark's handle to the state of a stateful processor.
        heading: What this pipeline writes and expects.
    """

    def __init__(self, handle: Any, heading: BucketHeading) -> None:
        self.heading = heading
        self.value: Any = handle.getValueState(HEADING_STATE, HEADING_SCHEMA)
        self.chunks: Any = handle.getMapState(CHUNKS_STATE, CHUNK_KEY_SCHEMA, CHUNK_SCHEMA)

    def check(self) -> bool:
        """Tell whether the bucket has a state; refuse that of another pipeline."""
        stored = self.value.get()
        if stored is None:
            return False
        self.heading.require(self.heading_of(stored[0]))
        return True

    def load(self) -> tuple[bytes | None, int]:
        """Return the state of the bucket, None where there is none, and the number of its chunks."""
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
            raise refusal(self.heading.operators[0], f"the checkpoint is none of this project: {error}") from error

    def store(self, blob: bytes, chunks_before: int) -> None:
        """Store the state of the bucket in place of what was there in so many chunks."""
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
    """Return the state of a bucket from what its two states hold."""
    return b"".join(chunks[number] for number in range(count)) if count else bytes(blob or b"")
