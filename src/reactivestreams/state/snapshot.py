"""The saved state of a tree at one moment: a header, a record for each operator, a footer."""

import struct
from typing import TYPE_CHECKING

from reactivestreams.errors import StateFormatError
from reactivestreams.state.registry import StateRegistry, default_registry
from reactivestreams.state.stateful import Version
from rs_core.operators.group import GroupReferences
from rs_core.state.limits import DEFAULT_LIMITS, StateLimits
from rs_core.state.records import RecordInput, RecordOutput, StateReader, StateWriter, TableWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from typing_extensions import Buffer

__all__ = ["SnapshotReader", "SnapshotWriter"]

MAGIC = b"\x8dRSS"  # the first byte is no text in any common encoding
FORMAT_VERSION: Version = (1, 0, 0, 0)
FLAGS = 0  # none is defined yet
SERIALIZER = "reactivestreams.tagged"
SERIALIZER_VERSION: Version = (1, 0, 0, 0)
FOOTER = b"\xde\xad\xde\xad"
SHOWN_CHARACTERS = 80  # of a name that is not that of an operator at hand

_FRONT = struct.Struct("<4s4iiI")  # magic, version, flags, length of the serializer's name
_VERSION = struct.Struct("<4i")
_HEADER = (
    _FRONT.pack(MAGIC, *FORMAT_VERSION, FLAGS, len(SERIALIZER))
    + SERIALIZER.encode("ascii")
    + _VERSION.pack(*SERIALIZER_VERSION)
)


class SnapshotWriter:
    """Writes a snapshot, record by record, in the order in which a tree is visited.

    Args:
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.
        checkpoint_id: The number of the checkpoint that it becomes a part of: `checkpoint_id` of each writer.
        keeps_tables: Whether its maker stores tables, which operators write row by row; False: all is in the records.
        is_full: Whether tables are written whole.

    Threads: only the thread that saves.

    Example:
        >>> snapshot = SnapshotWriter()
        >>> with snapshot.create("example/sum", (1, 0, 0, 0)) as writer:
        ...     writer.write(42)
        >>> SnapshotReader(snapshot.finish()).create("example/sum").read()
        42
    """

    def __init__(
        self,
        *,
        registry: StateRegistry = default_registry,
        limits: StateLimits = DEFAULT_LIMITS,
        checkpoint_id: int | None = None,
        keeps_tables: bool = False,
        is_full: bool = False,
    ) -> None:
        self.tables: dict[str, TableWriter] = {}
        """What the operators have written to tables, by the number of a record and the name of the table: `0/keys`."""
        self._output = RecordOutput(
            _HEADER,
            registry=registry,
            limits=limits,
            checkpoint_id=checkpoint_id,
            tables=self.tables if keeps_tables else None,
            is_full=is_full,
            references=GroupReferences(),
        )

    def create(self, name: str, version: Version, *, path: object = "") -> StateWriter:
        """Begin the record of an operator; end it with `dispose`, or as a context manager, before the next one.

        Args:
            name: The operator's name, which precedes its fields.
            version: The version of their layout.
            path: Position of the operator in the tree, for errors.

        Raises:
            ArgumentTypeError: The name is not a str, or the version no tuple of four ints from 0 to 2**63 - 1.
            StateLimitError: There are more than `max_records`, or the snapshot is too large.
            StateError: Another record is open, or the snapshot is finished.
        """
        return self._output.create(name, version, path)

    def finish(self) -> bytes:
        """Return the finished snapshot; nothing can be added afterwards.

        Raises:
            StateError: A record is still open, or the snapshot was finished before.
        """
        return self._output.finish(FOOTER)


class SnapshotReader:
    """Reads a snapshot, record by record. It is checked for damage before the first record.

    Args:
        data: The result of `SnapshotWriter.finish`, or a buffer that contains it, which is copied.
        registry: The classes of the program that may be part of it.
        limits: Bounds of size and depth.
        read_table: Returns rows of a table that was stored with it: called with its name, as in
            `SnapshotWriter.tables`, a number and a count; returns so many of the rows after that number, or all, as
            pairs of number and bytes, the lowest number first.
        is_partial: Whether `read_table` returns some of the rows alone: those of the keys that come until the next
            save, which then writes rows of these keys.

    Raises:
        StateFormatError: It is damaged, truncated, empty or not a snapshot; or its format is unknown.
        StateLimitError: It exceeds a limit.
        ArgumentTypeError: It is not made of bytes.

    Threads: only the thread that loads.
    """

    def __init__(
        self,
        data: "Buffer",
        *,
        registry: StateRegistry = default_registry,
        limits: StateLimits = DEFAULT_LIMITS,
        read_table: "Callable[[str, int, int], list[tuple[int, bytes]]] | None" = None,
        is_partial: bool = False,
    ) -> None:
        self._input = RecordInput(
            data,
            measure_header=_header_size,
            footer=FOOTER,
            registry=registry,
            limits=limits,
            read_table=read_table,
            is_partial=is_partial,
            references=GroupReferences(),
        )

    def create(self, name: str, *, path: object = "") -> StateReader:
        """Return a reader of the next record, which may belong to another operator. Dispose it before the next one.

        Args:
            name: The name of the operator that reads, for errors; the stored name is the reader's `name`.
            path: Position of that operator in the tree, for errors.

        Returns:
            A reader. If no record is left, its `is_present` is False.

        Raises:
            StateError: The reader of another record is not disposed.
            StateFormatError: The record does not begin with a name and a version.
        """
        return self._input.create(name, path)

    def finish(self, *, removed: "Collection[str]" = ()) -> None:
        """Check that every record was read.

        Args:
            removed: Names of operators that were removed, whose records need not have been read.

        Raises:
            StateFormatError: There are records left.
        """
        while not self._input.is_at_end:
            with self.create("") as reader:
                if reader.name not in removed:
                    raise StateFormatError(
                        f"saved state: the record of {shown_name(reader)} was not read, since the tree that loads has "
                        f"fewer operators than the one that was saved; build the same stream and subscribe the whole "
                        f"tree before loading, or name the operators that were taken out"
                    )
        self._input.finish()


def shown_name(reader: StateReader) -> str:
    """Return the name of a record for errors, cut to the length of a name."""
    return repr((reader.name or "")[:SHOWN_CHARACTERS])


def _header_size(data: bytes) -> int:
    """Return the start of the records, or raise for an unknown header."""
    if data.startswith(_HEADER):
        return len(_HEADER)
    if not data:
        raise StateFormatError("saved state, byte 0: it is empty; begin without state, or load an older checkpoint")
    if not data.startswith(MAGIC):
        raise StateFormatError(
            f"saved state, byte 0: it begins with {data[:4]!r}, not with {MAGIC!r}; it is no snapshot of this project"
        )
    if len(data) < _FRONT.size:
        raise _cut_off(len(data))
    _, *version, flags, length = _FRONT.unpack_from(data)
    if tuple(version) != FORMAT_VERSION:
        written_by = "a later release" if tuple(version) > FORMAT_VERSION else "no release"
        raise StateFormatError(
            f"saved state, byte 4: format version {_dotted(version)}, which {written_by} wrote; "
            f"this one reads {_dotted(FORMAT_VERSION)}: load it with a release that knows it, or an older checkpoint"
        )
    if flags != FLAGS:
        raise StateFormatError(
            f"saved state, byte 20: flags {flags:#x}, of which none is known here; load it with a later release, or an "
            f"older checkpoint"
        )
    end = _FRONT.size + length
    if len(data) < end + _VERSION.size:
        raise _cut_off(len(data))
    name, serializer_version = data[_FRONT.size : end], _VERSION.unpack_from(data, end)
    raise StateFormatError(
        f"saved state, byte {_FRONT.size}: values written by {name[:SHOWN_CHARACTERS]!r} version "
        f"{_dotted(serializer_version)}; this release reads those of {SERIALIZER!r} version "
        f"{_dotted(SERIALIZER_VERSION)}: load it with one that knows both"
    )


def _cut_off(size: int) -> StateFormatError:
    return StateFormatError(f"saved state, byte {size}: it ends within the header; load an older checkpoint")


def _dotted(version: "tuple[int, ...] | list[int]") -> str:
    return ".".join(map(str, version))
