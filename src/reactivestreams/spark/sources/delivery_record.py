"""What was delivered of a query, in a file beside Spark's checkpoint, so that a batch delivered twice is recognised.

The file holds one small JSON object: version, query, last batch, and whether that batch was delivered wholly. It is
replaced as a whole, and is on the disk before the batch goes on.
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
"""Name of the folder inside a checkpoint that holds what is ours."""

RECORD_NAME = "delivered.json"
RECORD_VERSION = 1

MAX_RECORD_BYTES = 1_000_000
"""Largest record that is read; more is no record of ours."""


@dataclass(frozen=True)
class Delivered:
    """What is known of an earlier delivery of a batch.

    Args:
        begun: The delivery had begun, so that some of its elements may have been delivered.
        wholly: All of its elements had been consumed.
    """

    begun: bool
    wholly: bool


class DeliveryRecord:
    """The record of one checkpoint, read once and kept up to date by one reader.

    Args:
        checkpoint: Folder of Spark's checkpoint.
        query: What the query is, as values of JSON; a record of another query is refused.
    """

    def __init__(self, checkpoint: Path, query: dict[str, Any]) -> None:
        self.checkpoint = checkpoint
        self.query = query
        self.path: Path = checkpoint / FOLDER / RECORD_NAME
        self.batch_id: int = -1
        self.is_whole: bool = True

    def load(self) -> None:
        """Read the record, or make it before Spark makes its files: a kill leaves none of these without it.

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
                f"{self.path} is no record of delivered batches ({type(error).__name__}: {error}); restore it with its "
                "checkpoint, or remove both"
            ) from error
        if version != RECORD_VERSION:
            raise CheckpointError(
                f"{self.path} has version {version!r}, this release reads {RECORD_VERSION}; use the release that wrote "
                "it, or another checkpoint"
            )
        self.refuse_other_query(fields["query"])
        self.batch_id, self.is_whole = fields["batch_id"], fields["is_whole"]

    def refuse_foreign_checkpoint(self) -> None:
        """Raise where Spark has planned a batch without a record: for another program."""
        if has_planned(self.checkpoint):
            raise CheckpointError(
                f"the checkpoint {self.checkpoint} was not written by from_query: it has Spark's files but no "
                f"{FOLDER}/{RECORD_NAME}; give each query a checkpoint folder of its own"
            )

    def refuse_other_query(self, query: dict[str, Any]) -> None:
        """Raise where the record is one of another query."""
        for name, mine in sorted(self.query.items()):
            theirs = query.get(name)
            if mine != theirs:
                raise CheckpointError(
                    f"the checkpoint {self.checkpoint} belongs to another query: its {name} is {theirs!r:.300}, this "
                    f"one's is {mine!r:.300}; give each query a checkpoint folder of its own"
                )

    def begin(self, batch_id: int) -> Delivered:
        """Note that the delivery of a batch begins and return what is known of an earlier one.

        Raises:
            CheckpointError: The batch is neither the last one nor the one after it.
            OSError: The record cannot be written.
        """
        if batch_id == self.batch_id:
            return Delivered(begun=True, wholly=self.is_whole)
        if batch_id != self.batch_id + 1 or not self.is_whole:
            state = "delivered" if self.is_whole else "begun"
            raise CheckpointError(
                f"Spark goes on with batch {batch_id}, but {self.path} says that batch {self.batch_id} was {state} last"
                "; restore the checkpoint and this record from the same time, or remove both"
            )
        self.write(batch_id, is_whole=False)
        return Delivered(begun=False, wholly=False)

    def finish(self, batch_id: int) -> None:
        """Note that all elements of a batch were consumed.

        Raises:
            OSError: The record cannot be written.
        """
        self.write(batch_id, is_whole=True)

    def write(self, batch_id: int, *, is_whole: bool) -> None:
        """Replace the record on the disk."""
        fields = {"version": RECORD_VERSION, "query": self.query, "batch_id": batch_id, "is_whole": is_whole}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self.path, json.dumps(fields).encode(), is_durable=True)
        self.batch_id, self.is_whole = batch_id, is_whole


def parsed(text: bytes) -> tuple[int, dict[str, Any]]:
    """Return version and fields of a record; the fields of this version are checked.

    Raises:
        ValueError: It is no record.
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
