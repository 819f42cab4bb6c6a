"""A record of delivered batches in the checkpoint, so that a repeated batch is recognised.

The file `query.json`, made before Spark plans, has the version and the sources of the query. The folder `delivered`
has a folder named after the last batch that was consumed completely, made before Spark commits the batch: nothing there
is renamed or written in parts. Which batch was begun and not committed is in Spark's own logs.
"""

import json
from dataclasses import dataclass

from reactivestreams.spark.errors import CheckpointError
from reactivestreams.spark.storage.file_system import FileSystem

__all__ = ["FOLDER", "Delivered", "DeliveryRecord"]

FOLDER = "reactivestreams"
"""Name of this package's folder inside a checkpoint."""

RECORD_VERSION = 2


@dataclass(frozen=True)
class Delivered:
    """An earlier delivery of a batch.

    Args:
        begun: Whether the batch was planned, so that some of its elements may have been delivered.
        wholly: Whether all of its elements had been consumed.
    """

    begun: bool
    wholly: bool


class DeliveryRecord:
    """The record of one checkpoint, which one reader loads once and updates.

    Args:
        checkpoint: URI of Spark's checkpoint.
        sources: The kinds of the sources of the query, whose offsets Spark stores; a record of others is refused. The
            name and the columns of a query may change between two runs.
        files: The file system of the checkpoint.
    """

    def __init__(self, checkpoint: str, sources: list[str], files: FileSystem) -> None:
        self.checkpoint = checkpoint
        self.sources = sources
        self.files = files
        self.path: str = f"{checkpoint}/{FOLDER}/query.json"
        self.folder: str = f"{checkpoint}/{FOLDER}/delivered"
        self.planned: int = -1
        self.delivered: int = -1

    def load(self) -> None:
        """Read the record, or make it before Spark makes its files, so that a kill never leaves these without a record.

        Raises:
            CheckpointError: The checkpoint belongs to another query, or the record is damaged or of another version.
            OSError: The file system failed.
        """
        self.planned = last_number(self.files.names(f"{self.checkpoint}/offsets"))
        self.delivered = last_number(self.files.names(self.folder))
        content = self.files.read(self.path)
        if content:
            self.refuse_other_query(content)
            return
        if self.planned >= 0:
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} was not written by from_query of this release: it has Spark's files "
                f"but no {FOLDER}/query.json; give each query its own checkpoint folder"
            )
        self.files.delete(self.path)  # empty: a kill has left it
        self.files.create(self.path, json.dumps({"version": RECORD_VERSION, "sources": self.sources}).encode())

    def refuse_other_query(self, content: bytes) -> None:
        """Raise if the record belongs to another query, or cannot be read."""
        try:
            fields = json.loads(content)
            version, theirs = fields["version"], fields["sources"]
            if version != RECORD_VERSION:
                raise ValueError(f"its version is {version!r}, and this release reads {RECORD_VERSION}")
        except (ValueError, TypeError, KeyError) as error:
            raise CheckpointError(
                f"{self.path} is not a record of this release ({type(error).__name__}: {error}); restore it with its "
                "checkpoint, use the release that wrote it, or remove both"
            ) from error
        if theirs != self.sources:
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} belongs to another query: its sources are {theirs!r:.300}, those of "
                f"this one are {self.sources!r:.300}; give each query its own checkpoint folder"
            )

    def begin(self, batch_id: int) -> Delivered:
        """Return the earlier delivery of a batch that Spark passes now.

        Raises:
            CheckpointError: The batch is neither the last one nor the one after it.
        """
        if batch_id not in (self.delivered, self.delivered + 1) or batch_id < 0:
            raise CheckpointError(
                f"Spark continues with batch {batch_id}, but according to {self.folder} the last batch that was "
                f"delivered is {self.delivered}; restore both from the same time, or remove both"
            )
        return Delivered(begun=batch_id <= self.planned, wholly=batch_id == self.delivered)

    def finish(self, batch_id: int) -> None:
        """Record that all elements of a batch were consumed.

        Raises:
            OSError: The record cannot be written.
        """
        self.files.make(f"{self.folder}/{batch_id}")
        self.files.delete(f"{self.folder}/{batch_id - 1}")
        self.delivered = batch_id


def last_number(names: list[str]) -> int:
    """Return the largest number among names, or -1."""
    return max((int(name) for name in names if name.isdigit()), default=-1)
