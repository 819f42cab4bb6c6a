"""Records of saved state, written and read: one per operator, with child records inside.

The bytes are described in docs/explanation/saved-state.md ("The bytes").

Roles
    writer  the one thread that saves: gets a StateWriter from the output for one record after the other
    reader  the one thread that loads: gets a StateReader from the input for one record after the other
    user code runs while a value is written or read (codec.pyx), and may have a writer or reader: its calls are refused

Invariants
    I1  A checksum continues that of the previous record, and the first one that of the header, so lost, repeated or
        reordered records are noticed. All are checked before the first record is returned.
    I2  One record is open at a time, and one child of each record: values that are written or read belong to the
        innermost.
    I3  A reader cannot leave its record, for any lengths in its bytes. Unread content is skipped.
    I4  A discarded record leaves no bytes; a field that could not be read is read again.
    I5  The heading of a record is a name and a version. Reading it creates nothing else, so it runs no code.

Ordering: that of `busy` in codec.pyx, which each call takes or checks.
x
"""

import binascii
import datetime
import decimal
import types
import typing
import uuid

cimport cython
from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t
from libc.string cimport memcmp

from rs_core.interp.arguments cimport safe_repr
from rs_core.state.codec cimport (
    TAG_INT, TAG_RECORD, TAG_STR, TAG_TUPLE, ValueDecoder, ValueEncoder, loaded, put_byte, put_fixed32, put_fixed64,
    shown_part, store64, take_byte, take_bytes, take_fixed32, take_fixed64, take_zigzag,
)

from rs_core.errors import ArgumentError, ArgumentTypeError, StateError, StateFormatError, StateLimitError

__all__ = [
    "RecordInput", "RecordOutput", "StateReader", "StateWriter", "TableReader", "TableWriter", "is_sound_row",
    "row_value", "sealed_row",
]

cdef object _crc32 = binascii.crc32

# Types of the format, compared exactly, so that True is not an int, and a datetime is not a date.
cdef frozenset _EXACT = frozenset((
    bool, bytes, datetime.date, datetime.datetime, datetime.time, datetime.timedelta, decimal.Decimal, dict, float,
    frozenset, int, list, set, str, tuple, type(None), uuid.UUID,
))
cdef object _UnionType = types.UnionType, _Union = typing.Union
cdef object _get_origin = typing.get_origin, _get_args = typing.get_args

cdef enum:
    LENGTH_BYTES = 8
    CHECKSUM_BYTES = 4
    VERSION_PARTS = 4
    ROWS_AT_A_TIME = 10_000   # of a table that is read
    HEADING_VALUES = 6   # as counted by a writer: the name, the version and its parts


cdef uint32_t _checksum(const char* data, Py_ssize_t size, uint32_t before) except? 0:
    """Return the CRC-32 of bytes, continued from the CRC-32 of the bytes before."""
    return _crc32(PyMemoryView_FromMemory(<char*>data, size, PyBUF_READ), before)


cdef str _record_text(int64_t index, object name, object path):
    """Return the description of a record, for errors."""
    where = str(path)
    return f"record {index} ({name or 'the end of the stream'}{f' at {where}' if where else ''})"


cdef class StateWriter
cdef class StateReader
cdef class TableWriter
cdef class TableReader


# --- written --------------------------------------------------------------------------------------------------------

@cython.final
cdef class RecordOutput:
    """The records of one snapshot, one after the other.

    Args:
        header: The bytes before the records.
        registry: The registered classes: `by_class`, a dict of StateKind by class.
        limits: A StateLimits.
        checkpoint_id: Of the checkpoint that it becomes a part of; None: of none.
        tables: Gets the tables of the operators, by the number of a record and a name; None: nothing stores tables.
        is_full: Whether all rows of each table are to be written.
        references: Writes references to groups in their place, a GroupReferences; None: values cannot be groups.
    """

    cdef ValueEncoder encoder
    cdef object registry, limits, checkpoint_id
    cdef dict tables
    cdef bint is_full
    cdef StateWriter open_writer         # one at a time
    cdef uint32_t checksum               # of all bytes so far
    cdef int64_t records, max_records
    cdef bint is_finished

    def __cinit__(
        self, bytes header not None, *, registry, limits, checkpoint_id=None, dict tables=None, bint is_full=False,
        references=None
    ):
        self.registry = registry
        self.tables = tables
        self.is_full = is_full
        self.checkpoint_id = checkpoint_id
        self.limits = limits
        self.encoder = ValueEncoder(kinds=registry.by_class, limits=limits)
        self.encoder.references = references
        self.encoder.where = "saved state"
        self.max_records = limits.max_records
        self.encoder.put_bytes(header)
        self.checksum = _checksum(self.encoder.data, self.encoder.used, 0)

    def create(self, name, version, path):
        """Start the record of an operator.

        Args:
            name: The operator's name.
            version: The version of its state, a tuple of four ints from 0 to 2**63 - 1.
            path: Its position, for messages.
        """
        _check_heading(self.records, name, version, path)
        cdef StateWriter writer = StateWriter.__new__(StateWriter)
        writer.output = self
        writer.encoder = self.encoder
        writer.index = self.records
        writer.name = name
        writer.path = path
        if self.is_finished:
            raise StateError(f"{writer.place()}: the snapshot is finished; start another one")
        if self.open_writer is not None:
            raise StateError(
                f"{writer.place()}: {self.open_writer.place()} is still being written; dispose its writer first"
            )
        if self.records >= self.max_records:
            raise StateLimitError(
                f"{writer.place()}: more than max_records={self.max_records} records; raise max_records of StateLimits "
                f"where the state is saved and where it is loaded"
            )
        self.encoder.values = 0
        self.encoder.where = writer
        writer.open_here()
        try:
            self.encoder.put_value(name, writer)
            self.encoder.put_value(version, writer)
        except BaseException:
            writer.close(False)
            raise
        self.open_writer = writer
        return writer

    def finish(self, bytes footer not None) -> bytes:
        """Finish the snapshot, with a footer and a checksum after the records; return its bytes."""
        if self.is_finished:
            raise StateError("the snapshot is already finished; start another one")
        if self.open_writer is not None:
            raise StateError(f"{self.open_writer.place()} is still being written; dispose its writer first")
        if self.encoder.references is not None:
            self.encoder.references.require_written()
        cdef Py_ssize_t start
        self.encoder.begin_write()
        try:
            start = self.encoder.used
            self.is_finished = True
            self.encoder.where = "saved state"
            self.encoder.put_bytes(footer)
            self.end_record(start)
            return self.encoder.cut_from(0)
        finally:
            self.encoder.end_write()

    cdef int end_record(self, Py_ssize_t start) except -1:
        """Append the checksum of all bytes so far; called between begin_write() and end_write().

        The checksum of more than a few kilobytes is computed without the GIL, and the bytes must not move.
        """
        self.checksum = _checksum(self.encoder.data + start, self.encoder.used - start, self.checksum)
        put_fixed32(self.encoder, self.checksum)
        return self.encoder.check_size()


@cython.final
@cython.binding(False)  # plain method descriptors: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class StateWriter:
    """Writes the state of one operator, value by value; the argument of `save_state` and `save_fields`.

    As a context manager it ends the record, or discards it on an exception.

    Threads: the thread that saves.

    Example:
        >>> from reactivestreams.state import SnapshotReader, SnapshotWriter
        >>> snapshot = SnapshotWriter()
        >>> with snapshot.create("example/mean", (1, 0, 0, 0)) as writer:
        ...     writer.write(3)
        ...     with writer.create_child() as sums:
        ...         sums.write([1.5, 2.5, 4.0])
        >>> reader = SnapshotReader(snapshot.finish()).create("example/mean")
        >>> reader.read(int), reader.create_child().read(list)
        (3, [1.5, 2.5, 4.0])
    """

    cdef RecordOutput output
    cdef ValueEncoder encoder
    cdef StateWriter parent, child       # None: a top-level record; no child is open
    cdef int64_t index                   # the number, owner and position of the record
    cdef object name, path
    cdef Py_ssize_t start, length_at     # the record, and its length, which is written last
    cdef int64_t fields
    cdef int level
    cdef bint is_open

    @property
    def registry(self):
        """The registered classes of the snapshot; for a snapshot that is stored in a field."""
        return None if self.output is None else self.output.registry

    @property
    def limits(self):
        """The bounds of size and depth; for a snapshot that is stored in a field."""
        return None if self.output is None else self.output.limits

    @property
    def checkpoint_id(self):
        """The number of the checkpoint that the snapshot becomes a part of, by which a sink names its transaction.

        None where no host takes checkpoints, as in `save_tree`.
        """
        return None if self.output is None else self.output.checkpoint_id

    @property
    def references(self):
        """The groups that the values of the snapshot refer to; None: there can be none."""
        return None if self.encoder is None else self.encoder.references

    def write(self, value, /):
        """Append a value: a field of the record. If that fails, nothing was appended.

        Runs user code only if the value has a time zone or an exception of the user: `utcoffset`, `__str__`.

        Args:
            value: Any value that `encode_value` accepts.

        Raises:
            StateTypeError: A part of it has an unknown class.
            StateLimitError: It exceeds a limit.
            StateError: It contains itself; or the record is closed, or one of its children is open.
        """
        self.require_open("write")
        self.encoder.put_value(value, self)
        self.fields += 1

    def create_child(self):
        """Start a record inside this one, which is read separately; dispose it before writing to this one.

        Returns:
            A StateWriter.

        Raises:
            StateLimitError: Children are nested deeper than `max_depth`.
            StateError: The record is closed, or another child is open.
        """
        cdef StateWriter child
        self.require_open("create_child")
        if self.level >= self.encoder.max_depth:
            raise self.encoder.refusal(
                StateLimitError, f"child records nested deeper than max_depth={self.encoder.max_depth}",
                "keep flatter state, or raise max_depth of StateLimits where it is saved and where it is loaded",
            )
        child = StateWriter.__new__(StateWriter)
        child.output = self.output
        child.encoder = self.encoder
        child.parent = self
        child.level = self.level + 1
        child.open_here()
        self.child = child
        return child

    def table(self, str name not None, /):
        """Return a table for state that is stored in rows, so that a checkpoint writes only those that have changed.

        Returns:
            A TableWriter; None where no host stores tables, as in `save_tree`: then the state belongs into the record.

        Raises:
            StateError: There is a table of this name in this record; or the record is closed, or a child is open.
        """
        cdef TableWriter table
        self.require_open("table")
        if self.output is None or self.output.tables is None:
            return None
        table_id = f"{self.index}/{name}"
        if table_id in self.output.tables:
            raise StateError(f"{self}: table({name!r}) is there already; take another name")
        table = TableWriter.__new__(TableWriter)
        table.writer = self
        table.name = name
        table.is_whole = False
        table.is_full = self.output.is_full
        table.rows = {}
        table.deleted = []
        self.output.tables[table_id] = table
        return table

    def dispose(self):
        """End the record, and write its length. Idempotent.

        Raises:
            StateError: A child is still open.
        """
        if self.is_open:
            self.require_open("dispose")
            self.close(True)

    def discard(self):
        """Remove the record with its content. Idempotent."""
        if self.is_open:
            self.encoder.require_idle()
            if self.child is not None:
                self.child.discard()
            self.close(False)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            self.dispose()
        else:
            self.discard()

    def __str__(self):
        """Return the position of the next field."""
        return f"{self.place()}, field {self.fields}"

    cdef str place(self):
        return _record_text(self.index, self.name, self.path) if self.parent is None else str(self.parent)

    cdef int open_here(self) except -1:
        self.start = self.encoder.used
        if self.parent is not None:
            put_byte(self.encoder, TAG_RECORD)
        self.length_at = self.encoder.used
        put_fixed64(self.encoder, 0)
        self.is_open = True
        return 0

    cdef int require_open(self, str method) except -1:
        if not self.is_open:
            raise StateError(f"{self}: {method}() after the end of the record; write before it is disposed")
        if self.child is not None:
            raise StateError(f"{self}: {method}() while a child record is open; dispose the child first")
        self.encoder.require_idle()
        self.encoder.where = self
        return 0

    cdef int close(self, bint keep) except -1:
        cdef ValueEncoder encoder = self.encoder
        encoder.begin_write()
        try:
            if keep:
                store64(encoder.data + self.length_at, <uint64_t>(encoder.used - self.length_at - LENGTH_BYTES))
                if self.parent is None:
                    self.output.end_record(self.start)
                    self.output.records += 1
                else:
                    self.parent.fields += 1
            else:
                encoder.used = self.start
            self.is_open = False
            if self.parent is None:
                self.output.open_writer = None
            else:
                self.parent.child = None
            encoder.where = None
        finally:
            encoder.end_write()
        return 0


@cython.final
cdef class TableWriter:
    """Writes rows of one table of an operator; made by `StateWriter.table`, used while the record is open.

    A row has a number, from 0, which the operator gives it, and a value. Rows that are neither written nor deleted stay
    as they are stored, unless `replace` was called.

    Threads: the thread that saves.

    Example:
        >>> from reactivestreams.state import SnapshotReader, SnapshotWriter
        >>> snapshot = SnapshotWriter(keeps_tables=True)
        >>> with snapshot.create("example/stock", (1, 0, 0, 0)) as writer:
        ...     table = writer.table("goods")
        ...     table.write(7, ("apples", 40))
        >>> state, stored = snapshot.finish(), sorted(snapshot.tables["0/goods"].rows.items())
        >>> snapshot = SnapshotReader(state, read_table=lambda name, after, most: stored if after < 0 else [])
        >>> list(snapshot.create("example/stock").table("goods"))
        [(7, ('apples', 40))]
    """

    cdef StateWriter writer
    cdef readonly str name
    cdef readonly bint is_full
    cdef readonly bint is_whole
    cdef readonly dict rows
    cdef readonly list deleted

    def replace(self):
        """Delete all rows that are not written from now on."""
        self.require_open("replace")
        self.is_whole = True
        self.rows.clear()
        self.deleted.clear()

    def write(self, int64_t row, value, /):
        """Write a row; if that fails, nothing was written. Runs user code as `StateWriter.write` does.

        Args:
            row: Its number, from 0.
            value: Any value that `encode_value` accepts. The bounds of a record hold for each row.

        Raises:
            ArgumentError: The number is negative.
            The same as `StateWriter.write`, besides.
        """
        cdef ValueEncoder encoder
        cdef int64_t values
        cdef Py_ssize_t start
        cdef object references
        if row < 0:
            raise ArgumentError(f"table({self.name!r}).write({row}): rows are numbered from 0; pass another number")
        self.require_open("write")
        encoder = self.writer.encoder
        start, values, references = encoder.used, encoder.values, encoder.references
        encoder.values = 0
        encoder.references = None  # rows are loaded with other snapshots, too
        try:
            encoder.put_value(value, self.writer)
            encoder.begin_write()
            try:
                put_fixed32(encoder, _checksum(encoder.data + start, encoder.used - start, _seed_of(row)))
                self.rows[row] = encoder.cut_from(start)
            finally:
                encoder.end_write()
        finally:
            encoder.values = values
            encoder.references = references

    def delete(self, int64_t row, /):
        """Delete a row, if there is one of this number."""
        self.require_open("delete")
        self.rows.pop(row, None)
        self.deleted.append(row)

    cdef int require_open(self, str method) except -1:
        if self.writer is None:
            raise StateError(f"{method}() of a table that belongs to no record; use the one of `StateWriter.table`")
        return self.writer.require_open(method)


cdef int _check_heading(int64_t index, object name, object version, object path) except -1:
    """Raise for a heading that a reader would refuse."""
    if type(name) is not str:
        raise ArgumentTypeError(
            f"{_record_text(index, safe_repr(name), path)}: the name of an operator needs a str, got "
            f"{type(name).__qualname__}; name its class with one"
        )
    if not _is_version(version):
        raise ArgumentTypeError(
            f"{_record_text(index, name, path)}: the version of an operator needs a tuple of four ints from 0 to "
            f"2**63 - 1, got {safe_repr(version)}; give its class one such as (1, 0, 0, 0)"
        )
    return 0


cdef bint _is_version(object version) except -1:
    return type(version) is tuple and len(version) == VERSION_PARTS and all(
        [type(part) is int and 0 <= part <= INT64_MAX for part in version]
    )


# --- read -----------------------------------------------------------------------------------------------------------

@cython.final
cdef class RecordInput:
    """The records of one snapshot, one after the other.

    Args:
        source: The snapshot: bytes, or an object with a buffer, which is copied.
        measure_header: Returns the length of the header of the bytes, or raises for an unknown one.
        footer: The expected bytes between the records and the last checksum.
        registry: The registered classes: `by_name`, a dict of StateKind by name.
        limits: A StateLimits.
        read_table: Called with the name of a table, a number and a count; returns so many of the rows after that
            number, each with its number, the lowest first. None: there are no tables.
        is_partial: Whether `read_table` returns some of the rows alone, those of the keys that are about to come.
        references: As in RecordOutput; another one.

    Raises:
        StateFormatError: The records do not fill the space between header and footer, or a checksum is wrong.
        StateLimitError: There are too many, or the source is too large.
        ArgumentTypeError: The source is neither bytes nor an object with a buffer.
    """

    cdef ValueDecoder decoder
    cdef object registry, limits, read_table
    cdef bint is_partial
    cdef StateReader open_reader         # one at a time
    cdef Py_ssize_t position, end        # the next record, and the end of the last one
    cdef uint32_t checksum               # of all checked bytes
    cdef int64_t index                   # the number of the next record

    def __cinit__(
        self, source, *, measure_header, bytes footer not None, registry, limits, read_table=None,
        bint is_partial=False, references=None,
    ):
        cdef ValueDecoder decoder = ValueDecoder(source, kinds=registry.by_name, limits=limits)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(footer)
        cdef Py_ssize_t start = measure_header(decoder.source)
        self.registry = registry
        self.limits = limits
        self.read_table = read_table
        self.is_partial = is_partial
        self.decoder = decoder
        decoder.references = references
        self.position = start
        self.end = decoder.end - size - CHECKSUM_BYTES
        decoder.position = self.end
        if self.end < start or memcmp(decoder.data + self.end, PyBytes_AS_STRING(footer), size):
            raise decoder.damaged("the footer is missing: the end was cut off")
        self.checksum = _checksum(<const char*>decoder.data, start, 0)
        self.check_records(limits.max_records)
        decoder.position = self.end + size
        decoder.end = PyBytes_GET_SIZE(decoder.source)
        self.check_checksum(self.end, "the footer")

    cdef int check_records(self, int64_t most) except -1:
        cdef ValueDecoder decoder = self.decoder
        cdef int64_t index = 0
        cdef Py_ssize_t start
        cdef uint64_t length
        decoder.position = self.position
        decoder.end = self.end
        while decoder.position < self.end:
            if index >= most:
                raise decoder.refusal(
                    StateLimitError, f"more than max_records={most} records",
                    "raise max_records of StateLimits, if you trust where they come from",
                )
            start = decoder.position
            length = take_fixed64(decoder)
            if length > <uint64_t>(self.end - decoder.position):
                raise decoder.damaged(
                    f"record {index} should have {length} bytes, and there are {self.end - decoder.position}"
                )
            take_bytes(decoder, <Py_ssize_t>length)
            self.check_checksum(start, f"record {index}")
            index += 1
        return 0

    cdef int check_checksum(self, Py_ssize_t start, str what) except -1:
        cdef ValueDecoder decoder = self.decoder
        self.checksum = _checksum(
            <const char*>decoder.data + start, decoder.position - start, self.checksum
        )
        if take_fixed32(decoder) != self.checksum:
            raise decoder.damaged(f"{what} does not have its checksum, or bytes before it were changed")
        return 0

    @property
    def is_at_end(self) -> bool:
        """Whether every record was read."""
        return self.position >= self.end

    def finish(self):
        """Check that all groups that values refer to were loaded; after the last record."""
        if self.decoder.references is not None:
            self.decoder.references.require_read()

    def create(self, name, path):
        """Return a reader of the next record, whose heading is already read; also if there is none left.

        Args:
            name: The operator that expects the record, for messages; the record may be another one.
            path: The position of the operator.
        """
        cdef StateReader reader = StateReader.__new__(StateReader)
        reader.input = self
        reader.decoder = self.decoder
        reader.index = self.index
        reader.wanted = name
        reader.path = path
        if self.open_reader is not None:
            raise StateError(
                f"{reader.place()}: {self.open_reader.place()} is still being read; dispose its reader first"
            )
        reader.record = reader.after = reader.position = reader.start = reader.end = self.position
        reader.is_open = True
        reader.is_present = self.position < self.end
        if reader.is_present:
            reader.take_heading()
        self.open_reader = reader
        return reader


@cython.final
@cython.binding(False)  # plain method descriptors: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class StateReader:
    """Reads the state of one operator, field by field; the argument of `load_state` and `load_fields`.

    It cannot read beyond its record. Unread fields are skipped. The docstring of StateWriter has an example.

    Threads: the thread that loads.
    """

    cdef RecordInput input
    cdef ValueDecoder decoder
    cdef StateReader parent, child       # None: a top-level record; no child is open
    cdef int64_t index                   # the number of the record, the operator that expects it, and its position
    cdef object wanted, path
    cdef readonly object name            # the stored name
    cdef readonly object version
    cdef readonly bint is_present        # False: there was no more record
    cdef Py_ssize_t record, after        # the start of the record, and the position after it
    cdef Py_ssize_t start, end           # the fields
    cdef Py_ssize_t position
    cdef int64_t fields
    cdef int level
    cdef bint is_open, is_given_back

    @property
    def registry(self):
        """The registered classes of the snapshot; for a snapshot that was stored in a field."""
        return None if self.input is None else self.input.registry

    @property
    def limits(self):
        """The bounds of size and depth; for a snapshot that was stored in a field."""
        return None if self.input is None else self.input.limits

    @property
    def references(self):
        """The groups that the values of the snapshot refer to; None: there can be none."""
        return None if self.decoder is None else self.decoder.references

    def read(self, expected=None, /):
        """Return the next field, in the order in which they were written. If that fails, the position does not change.

        Runs user code only if the field contains a value of a registered class: its `migrate`, `__hash__`, `__eq__`, a
        flag's `_missing_`, an exception's `__new__`.

        Args:
            expected: The class that the field must have, or a union of classes, or a tuple of them; None accepts any. A
                bool is not an int here. For exceptions and registered classes a base class is enough.

        Raises:
            StateFormatError: The field has another class; there is none left; the bytes are damaged.
            StateLimitError: It exceeds a limit.
            StateError: It names a class that is not registered; or the reader is closed, or a child of it is open.
            ArgumentTypeError: `expected` is not a class.
        """
        self.require_open("read")
        if self.position >= self.end:
            raise self.refusal(
                StateFormatError,
                f"the record ends after {self.fields} fields" if self.is_present else "there is no record",
                "read as many fields as were written; where the layout has changed, raise the operator's version",
            )
        return self.take_field(expected)

    def try_read(self, expected=None, /):
        """Return whether there is a next field, and the field: `(False, None)` after the last and without a record.

        Args:
            expected: As in `read`.

        Raises:
            The same as `read`, except at the end.
        """
        self.require_open("try_read")
        if self.position >= self.end:
            return False, None
        return True, self.take_field(expected)

    def read_count(self, at_most=INT64_MAX, /):
        """Return the next field, a count or a position: an int from 0 to a bound. On failure the position is unchanged.

        The source of the bytes may not be trusted: a count that is negative, or larger than the stream can have
        reached, would make it run without end. So pass the largest possible one.

        Args:
            at_most: The largest possible count; 2**63 - 1 by default.

        Raises:
            StateFormatError: The field is not an int, or is out of these bounds; there is none left; the bytes are
                damaged.
            StateError: The reader is closed, or a child of it is open.
        """
        cdef Py_ssize_t position = self.position
        value = self.read(int)
        if 0 <= value <= at_most:
            return value
        self.position = position
        self.fields -= 1
        raise self.refusal(
            StateFormatError, f"expected a count from 0 to {at_most}, found {safe_repr(value)}",
            "load the state with the stream that it was saved with, or load an older checkpoint",
        )

    def create_child(self):
        """Return a reader of the child record at this position; dispose it before reading from this one.

        Raises:
            StateFormatError: There is no child record at this position.
            StateError: The reader is closed, or another child is open.
        """
        cdef StateReader child
        cdef uint64_t length
        self.require_open("create_child")
        if self.level >= self.decoder.max_depth:
            raise self.refusal(
                StateLimitError, f"child records nested deeper than max_depth={self.decoder.max_depth}",
                "raise max_depth of StateLimits",
            )
        self.move_here()
        if self.position >= self.end or take_byte(self.decoder) != TAG_RECORD:
            raise self.refusal(
                StateFormatError, "no child record stands here" if self.position < self.end else "the record ends here",
                "read what was written in the order in which it was written",
            )
        length = take_fixed64(self.decoder)
        if length > <uint64_t>(self.end - self.decoder.position):
            raise self.decoder.damaged(f"a child record should have {length} bytes, and the record around it has fewer")
        child = StateReader.__new__(StateReader)
        child.input = self.input
        child.decoder = self.decoder
        child.parent = self
        child.level = self.level + 1
        child.is_open = child.is_present = True
        child.record = self.position
        child.start = child.position = self.decoder.position
        child.end = child.after = child.start + <Py_ssize_t>length
        self.is_given_back = False
        self.child = child
        return child

    def table(self, str name not None, /):
        """Return the rows that were written to a table of this record: an iterator over pairs of number and value.

        Args:
            name: Its name.

        Raises:
            StateError: The snapshot was loaded without the tables of its store; or the reader is closed, or a child of
                it is open.
        """
        cdef TableReader table
        self.require_open("table")
        if self.input is None or self.input.read_table is None:
            raise self.refusal(
                StateError, f"the table {name!r} of this record is in the store that it was saved to",
                "load it with an engine over that store",
            )
        table = TableReader.__new__(TableReader)
        table.reader = self
        table.name = name
        table.table_id = f"{self.index}/{name}"
        table.row = -1
        table.read_more = self.input.read_table
        table.is_partial = self.input.is_partial
        table.decoder = ValueDecoder(b"", kinds=self.input.registry.by_name, limits=self.input.limits)
        return table

    def reset(self):
        """Return the record: the next reader gets it again, unless something is read from it after this call."""
        self.require_open("reset")
        self.position = self.start
        self.fields = 0
        self.is_given_back = True

    def dispose(self):
        """Continue after the record, even if part of it was not read, or at its start if it was returned. Idempotent.

        Open children are disposed with it.
        """
        cdef Py_ssize_t goes_on_at
        if not self.is_open:
            return
        if self.child is not None:
            self.child.dispose()
        self.is_open = False
        goes_on_at = self.record if self.is_given_back else self.after
        if self.parent is None:
            self.input.position = goes_on_at
            self.input.index += not self.is_given_back
            self.input.open_reader = None
        else:
            self.parent.position = goes_on_at
            self.parent.fields += not self.is_given_back
            self.parent.child = None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.dispose()

    def __str__(self):
        """Return the position of the next field."""
        return f"{self.place()}, field {self.fields}"

    cdef str place(self):
        return _record_text(self.index, self.wanted, self.path) if self.parent is None else str(self.parent)

    cdef int take_heading(self) except -1:
        """Read name and version, and nothing else: a value of another type could run code, even if it is skipped."""
        cdef ValueDecoder decoder = self.decoder
        cdef list version = []
        decoder.require_idle()
        decoder.where = self
        decoder.position = self.record
        decoder.end = self.input.end
        self.end = self.record + LENGTH_BYTES + <Py_ssize_t>take_fixed64(decoder)  # checked before
        self.after = self.end + CHECKSUM_BYTES
        decoder.end = self.end
        decoder.values = HEADING_VALUES
        if decoder.values > decoder.max_values:
            raise decoder.too_many()
        if take_byte(decoder) != TAG_STR:
            raise decoder.damaged("the record does not begin with the name of an operator")
        self.name = decoder.take_text()
        if take_byte(decoder) != TAG_TUPLE or decoder.take_count() != VERSION_PARTS:
            raise self.no_version()
        for _ in range(VERSION_PARTS):
            if take_byte(decoder) != TAG_INT:
                raise self.no_version()
            version.append(take_zigzag(decoder))
            if version[-1] < 0:
                raise self.no_version()
        self.version = tuple(version)
        self.start = self.position = decoder.position
        decoder.where = None
        return 0

    cdef object no_version(self):
        return self.decoder.damaged(f"no version of an operator stands after the name {shown_part(self.name)}")

    cdef object take_field(self, object expected):
        self.move_here()
        value = self.decoder.take_value(self)
        if expected is not None and not _fits(value, expected):
            raise self.refusal(
                StateFormatError, f"expected {_described(expected)}, found {type(value).__qualname__}",
                "read the fields in the order in which they were written; where the layout has changed, raise the "
                "operator's version and read the old layout by its version",
            )
        self.position = self.decoder.position
        self.fields += 1
        self.is_given_back = False
        return value

    cdef int move_here(self) except -1:
        """Set the decoder to the position and the bounds of this reader."""
        self.decoder.require_idle()
        self.decoder.position = self.position
        self.decoder.end = self.end
        self.decoder.where = self
        return 0

    cdef int require_open(self, str method) except -1:
        if not self.is_open:
            raise StateError(f"{self}: {method}() on a reader that was disposed; read before")
        if self.child is not None:
            raise StateError(f"{self}: {method}() while a child record is being read; dispose the child's reader first")
        return 0

    cdef object refusal(self, object error_class, str what, str remedy):
        self.decoder.position = self.position
        self.decoder.where = self
        return self.decoder.refusal(error_class, what, remedy)


@cython.final
cdef class TableReader:
    """Reads the rows of one table of an operator, in the order of their numbers; made by `StateReader.table`.

    Runs user code as `StateReader.read` does.

    Attributes:
        name: Its name.
        is_partial: Whether the host keeps more rows than it gives: those whose keys do not come until the next save.

    Threads: the thread that loads.
    """

    cdef StateReader reader
    cdef ValueDecoder decoder
    cdef object read_more, table_id
    cdef readonly str name
    cdef readonly bint is_partial
    cdef list rows                       # those that were read and not returned, the next one last
    cdef int64_t row                     # the last one that was returned, or -1

    def __iter__(self):
        return self

    def __next__(self):
        cdef ValueDecoder decoder = self.decoder
        cdef int64_t before = self.row
        cdef Py_ssize_t end
        if not self.rows:
            self.rows = list(self.read_more(self.table_id, self.row, ROWS_AT_A_TIME))
            self.rows.reverse()
            if not self.rows:
                raise StopIteration
        number, data = self.rows.pop()
        self.row = number
        decoder.point_at(data)
        decoder.where = self
        if self.row <= before:
            raise decoder.damaged(f"a row of this number follows row {before}")
        decoder.end = end = PyBytes_GET_SIZE(data) - CHECKSUM_BYTES
        if not is_sound_row(self.row, data):
            raise decoder.damaged("the row does not have its checksum: it was changed")
        value = decoder.take_value(self)
        if decoder.position != end:
            decoder.where = self
            raise decoder.damaged(f"{end - decoder.position} bytes follow the value")
        return number, value

    def __str__(self):
        """Return the position of the row."""
        if self.reader is None:  # nobody made it
            return "a row of no table"
        return f"{self.reader.place()}, table {self.name!r}, row {self.row}"


cdef inline uint32_t _seed_of(int64_t row) noexcept:
    """Return with what the checksum of a row begins, so that rows cannot be exchanged."""
    return <uint32_t>(row & 0xFFFFFFFF)


cpdef bint is_sound_row(int64_t row, bytes data) except -1:
    """Return whether the stored bytes of a row of a table end with the checksum of its number and its value."""
    cdef Py_ssize_t end = len(data) - CHECKSUM_BYTES
    return end >= 0 and <uint32_t>loaded(PyBytes_AS_STRING(data) + end, CHECKSUM_BYTES) == _checksum(
        PyBytes_AS_STRING(data), end, _seed_of(row)
    )


cpdef bytes sealed_row(int64_t row, bytes value):
    """Return the bytes of a row of a table, as `TableWriter` stores them, from its number and its encoded value."""
    cdef uint32_t checksum = _checksum(PyBytes_AS_STRING(value), PyBytes_GET_SIZE(value), _seed_of(row))
    return value + checksum.to_bytes(CHECKSUM_BYTES, "little")


cpdef bytes row_value(bytes data):
    """Return the encoded value in the stored bytes of a row of a table, without its checksum."""
    return data[:-CHECKSUM_BYTES]


cdef bint _fits(object value, object expected) except -1:
    """Return whether a value has a class, or one of several."""
    if type(value) is expected:
        return True
    if isinstance(expected, type):
        return expected not in _EXACT and isinstance(value, expected)
    if type(expected) is tuple:
        choices = expected
    elif _get_origin(expected) is _Union or type(expected) is _UnionType:
        choices = _get_args(expected)
    else:
        raise ArgumentTypeError(
            f"read(expected) needs a class, got {safe_repr(expected)}; pass a class, a union such as int | None, or a "
            f"tuple"
        )
    for choice in choices:
        if _fits(value, choice):
            return True
    return False


cdef str _described(object expected):
    if isinstance(expected, type):
        return "None" if expected is type(None) else expected.__qualname__
    choices = expected if type(expected) is tuple else _get_args(expected)
    return " or ".join([_described(choice) for choice in choices]) or "nothing"
