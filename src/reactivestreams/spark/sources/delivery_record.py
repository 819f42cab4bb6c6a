"""A record of delivered batches in a file of the checkpoint, so that a repeated batch is recognised.

The file contains one small JSON object: the version, the query, the last batch, and whether that batch was delivered
completely. It is replaced atomically, and is on the disk before the batch proceeds.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reactivestreams.spark.errors import CheckpointError
from reactivestreams.spark.storage.atomic_write import atomic_write
from reactivestreams.spark.storage.checkpoint_folder import has_planned

__all__ = ["FOLDER", "MAX_RECORD_BYTES", "Delivered", "DeliveryRecord"]

FOLDER = "reactivestreams"
"""Name of this package's folder inside a checkpoint."""

RECORD_NAME = "delivered.json"
RECORD_VERSION = 1

MAX_RECORD_BYTES = 1_000_000
"""Largest record that is read; a larger file is not a record."""


@dataclass(frozen=True)
class Delivered:
    """An earlier delivery of a batch.

    Args:
        begun: Whether the delivery had begun, so that some of its elements may have been delivered.
        wholly: Whether all of its elements had been consumed.
    """

    begun: bool
    wholly: bool


class DeliveryRecord:
    """The record of one checkpoint, which one reader loads once and updates.

    Args:
        checkpoint: Folder of Spark's checkpoint.
        query: The description of the query, as values of JSON; a record of another query is refused.
    """

    def __init__(self, checkpoint: Path, query: dict[str, Any]) -> None:
        self.checkpoint = checkpoint
        self.query = query
        self.path: Path = checkpoint / FOLDER / RECORD_NAME
        self.batch_id: int = -1
        self.is_whole: bool = True

    def load(self) -> None:
        """Read the record, or make it before Spark makes its files, so that a kill never leaves these without a record.

        Raises:
            CheckpointError: The checkpoint belongs to another query, or the record is damaged or of a later
                version.
            OSError: The record cannot be written.
        """
        try:
            with self.path.open("rb") as file:
                text = file.read(MAX_RECORD_BYTES + 1)
        except FileNotFoundError:
            self.refuse_foreign_checkpoint()
            self.write(self.batch_id, is_whole=self.is_whole)
            return
        try:
            version, fields = parsed(text)
        except (ValueError, TypeError, KeyError) as error:
            raise CheckpointError(
                f"{self.path} is not a record of delivered batches ({type(error).__name__}: {error}); restore it with "
                "its checkpoint, or remove both"
            ) from error
        if version != RECORD_VERSION:
            raise CheckpointError(
                f"{self.path} has version {version!r}, but this release reads {RECORD_VERSION}; use the release that "
                "wrote it, or another checkpoint"
            )
        self.refuse_other_query(fields["query"])
        self.batch_id, self.is_whole = fields["batch_id"], fields["is_whole"]

    def refuse_foreign_checkpoint(self) -> None:
        """Raise if Spark has planned a batch without a record, which means for another program."""
        if has_planned(self.checkpoint):
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} was not written by from_query: it has Spark's files but no "
                f"{FOLDER}/{RECORD_NAME}; give each query its own checkpoint folder"
            )

    def refuse_other_query(self, query: dict[str, Any]) -> None:
        """Raise if the record belongs to another query."""
        for name, mine in sorted(self.query.items()):
            theirs = query.get(name)
            if mine != theirs:
                raise CheckpointError(
                    f"the checkpoint {self.checkpoint} belongs to another query: its {name} is {theirs!r:.300}, this "
                    f"one's is {mine!r:.300}; give each query its own checkpoint folder"
                )

    def begin(self, batch_id: int) -> Delivered:
        """Record that the delivery of a batch begins, and return the earlier delivery.

        Raises:
            CheckpointError: The batch is neither the last one nor the one after it.
            OSError: The record cannot be written.
        """
        if batch_id == self.batch_id:
            return Delivered(begun=True, wholly=self.is_whole)
        if batch_id != self.batch_id + 1 or not self.is_whole:
            state = "delivered" if self.is_whole else "begun"
            raise CheckpointError(
                f"Spark continues with batch {batch_id}, but according to {self.path} the last batch {self.batch_id} "
                f"was {state}; restore the checkpoint and this record from the same time, or remove both"
            )
        self.write(batch_id, is_whole=False)
        return Delivered(begun=False, wholly=False)

    def finish(self, batch_id: int) -> None:
        """Record that all elements of a batch were consumed.

        Raises:
            OSError: The record cannot be written.
        """
        self.write(batch_id, is_whole=True)

    def write(self, batch_id: int, *, is_whole: bool) -> None:
        """Replace the record on disk."""
        fields = {"version": RECORD_VERSION, "query": self.query, "batch_id": batch_id, "is_whole": is_whole}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self.path, json.dumps(fields).encode(), is_durable=True)
        self.batch_id, self.is_whole = batch_id, is_whole


def parsed(text: bytes) -> tuple[int, dict[str, Any]]:
    """Return the version and the fields of a record; the fields of this version are checked.

    Raises:
        ValueError: It is not a record.
        TypeError: The same.
        KeyError: A field is missing.
    """
    if len(text) > MAX_RECORD_BYTES:
        raise ValueError(f"it has more than {MAX_RECORD_BYTES} bytes")
    fields = json.loads(text)
    if fields["version"] == RECORD_VERSION:
        kinds = {"query": dict, "batch_id": int, "is_whole": bool}
        wrong = [name for name, kind in kinds.items() if type(fields[name]) is not kind]
        if wrong or fields["batch_id"] < -1:
            raise ValueError(f"its {', '.join(wrong) or 'batch_id'} cannot be")
    return fields["version"], fields
