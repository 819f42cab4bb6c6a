"""Records of saved state: one for each operator, with child records inside; written, and read.

The bytes are described in docs/explanation/saved-state.md ("The bytes").

Roles
    writer  the one thread that saves: takes a StateWriter of the output for one record after the other
    reader  the one thread that loads: takes a StateReader of the input for one record after the other
    user code runs inside of a value that is written or read (codec.pyx), and may hold a writer or reader: it is refused

Invariants
    I1  A checksum goes on from that of the record before, and the first one from the header: so records cannot be lost,
        repeated or put into another order unnoticed. All are checked before the first record is given out.
    I2  One record is open at a time, and of each record one child: what is written or read belongs to the innermost.
    I3  A reader cannot leave its record, whatever lengths the bytes inside of it give. What it leaves unread is
        skipped.
    I4  A record that is discarded leaves nothing behind; a field that could not be read is read again.
    I5  The heading of a record is a name and a version. Reading it makes nothing else, so it runs no code.

Ordering: that of `busy` in codec.pyx, which each call takes or asks for.
Depth: child records nest as deep as `max_depth` allows; a reader and its children are objects, not frames.
Progress: nobody waits.
Overflow: a length is compared with what is left before it is used. Reuse: nothing is reused.
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

from rs_core.interp.arguments cimport shown
from rs_core.state.codec cimport (
    TAG_INT, TAG_RECORD, TAG_STR, TAG_TUPLE, ValueDecoder, ValueEncoder, put_byte, put_fixed32, put_fixed64,
    shown_part, store64, take_byte, take_bytes, take_fixed32, take_fixed64, take_zigzag,
)

from rs_core.errors import ArgumentTypeError, StateError, StateFormatError, StateLimitError

__all__ = ["RecordInput", "RecordOutput", "StateReader", "StateWriter"]

cdef object _crc32 = binascii.crc32

# Types of the format: each is itself only, so that True is no int, and a datetime no date.
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
    HEADING_VALUES = 6   # as a writer counts them: the name, the version and its parts


cdef uint32_t _checksum(const char* data, Py_ssize_t size, uint32_t before) except? 0:
    """Return the CRC-32 of some bytes that follow others of which it is known."""
    return _crc32(PyMemoryView_FromMemory(<char*>data, size, PyBUF_READ), before)


cdef str _record_text(int64_t index, object name, object path):
    """Return whose record it is, as errors show it."""
    where = str(path)
    return f"record {index} ({name or 'the end of the stream'}{f' at {where}' if where else ''})"


cdef class StateWriter
cdef class StateReader


# --- written --------------------------------------------------------------------------------------------------------

@cython.final
cdef class RecordOutput:
    """The records of one snapshot, one after the other.

    Args:
        header: What stands in front of them.
        registry: The registered classes: `by_class`, a dict of StateKind by class.
        limits: A StateLimits.
    """

    cdef ValueEncoder encoder
    cdef object registry, limits
    cdef StateWriter open_writer         # one at a time
    cdef uint32_t checksum               # of all so far
    cdef int64_t records, max_records
    cdef bint is_finished

    def __cinit__(self, bytes header not None, *, registry, limits):
        self.registry = registry
        self.limits = limits
        self.encoder = ValueEncoder(kinds=registry.by_class, limits=limits)
        self.encoder.where = "saved state"
        self.max_records = limits.max_records
        self.encoder.put_bytes(header)
        self.checksum = _checksum(self.encoder.data, self.encoder.used, 0)

    def create(self, name, version, path):
        """Begin the record of an operator.

        Args:
            name: The operator's name.
            version: The version of its state, a tuple of four ints from 0 to 2**63 - 1.
            path: Where it is, for the messages of errors.
        """
        _check_heading(self.records, name, version, path)
        cdef StateWriter writer = StateWriter.__new__(StateWriter)
        writer.output = self
        writer.encoder = self.encoder
        writer.index = self.records
        writer.name = name
        writer.path = path
        if self.is_finished:
            raise StateError(f"{writer.place()}: the snapshot is finished; begin another one")
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
        """Return the bytes of the snapshot, with a footer and a checksum after the records."""
        if self.is_finished:
            raise StateError("the snapshot is finished already; begin another one")
        if self.open_writer is not None:
            raise StateError(f"{self.open_writer.place()} is still being written; dispose its writer first")
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
        """Append the checksum of all so far; between begin_write() and end_write().

        The checksum of more than a few kilobytes is made without the GIL, and the bytes must stay where they are.
        """
        self.checksum = _checksum(self.encoder.data + start, self.encoder.used - start, self.checksum)
        put_fixed32(self.encoder, self.checksum)
        return self.encoder.check_size()


@cython.final
@cython.binding(False)  # plain method descriptors: a call from Python costs less
@cython.embedsignature.format("clinic")
cdef class StateWriter:
    """Writes the state of one operator, value by value; an operator gets it in `save_state` and `save_fields`.

    As a context manager it ends the record, or takes it out again where an exception passes through.

    Threads: the one that saves.

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
    cdef StateWriter parent, child       # None: a record of its own; no child is open
    cdef int64_t index                   # which record it is, whose, and where that is
    cdef object name, path
    cdef Py_ssize_t start, length_at     # of the record, and of its length, which is written last
    cdef int64_t fields
    cdef int level
    cdef bint is_open

    @property
    def registry(self):
        """The registered classes that may be part of what is written; for snapshots that are kept in a field."""
        return None if self.output is None else self.output.registry

    @property
    def limits(self):
        """The bounds of size and depth; for snapshots that are kept in a field."""
        return None if self.output is None else self.output.limits

    def write(self, value, /):
        """Append a value: a field of the record. Where that fails, nothing was appended.

        Runs user code only where the value has a time zone or an exception of the user: `utcoffset`, `__str__`.

        Args:
            value: Anything that `encode_value` takes.

        Raises:
            StateTypeError: A part of it is of a class that is not known.
            StateLimitError: It exceeds a limit.
            StateError: It contains itself; or the record is closed, or one of its children is open.
        """
        self.require_open("write")
        self.encoder.put_value(value, self)
        self.fields += 1

    def create_child(self):
        """Begin a record inside of this one, which is read on its own; dispose it before this one goes on.

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

    def dispose(self):
        """End the record: now its length is known. Idempotent.

        Raises:
            StateError: A child is still open.
        """
        if self.is_open:
            self.require_open("dispose")
            self.close(True)

    def discard(self):
        """Take the record out again, with all that was written to it. Idempotent."""
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
        """Return where the next field stands."""
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


cdef int _check_heading(int64_t index, object name, object version, object path) except -1:
    """Raise for what a reader would not take as the heading of a record."""
    if type(name) is not str:
        raise ArgumentTypeError(
            f"{_record_text(index, shown(name), path)}: the name of an operator needs a str, got "
            f"{type(name).__qualname__}; name its class with one"
        )
    if not _is_version(version):
        raise ArgumentTypeError(
            f"{_record_text(index, name, path)}: the version of an operator needs a tuple of four ints from 0 to "
            f"2**63 - 1, got {shown(version)}; give its class one such as (1, 0, 0, 0)"
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
        source: The snapshot: bytes, or anything with a buffer, which is copied.
        measure_header: Returns how long the header of such bytes is, or raises for one that it does not know.
        footer: What has to stand between the records and the last checksum.
        registry: The registered classes: `by_name`, a dict of StateKind by name.
        limits: A StateLimits.

    Raises:
        StateFormatError: The records do not fill the space between header and footer, or a checksum is wrong.
        StateLimitError: There are too many, or the source is too large.
        ArgumentTypeError: The source is neither bytes nor anything with a buffer.
    """

    cdef ValueDecoder decoder
    cdef object registry, limits
    cdef StateReader open_reader         # one at a time
    cdef Py_ssize_t position, end        # of the next record, and after the last one
    cdef uint32_t checksum               # of all that was checked
    cdef int64_t index                   # of the next record

    def __cinit__(self, source, *, measure_header, bytes footer not None, registry, limits):
        cdef ValueDecoder decoder = ValueDecoder(source, kinds=registry.by_name, limits=limits)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(footer)
        cdef Py_ssize_t start = measure_header(decoder.source)
        self.registry = registry
        self.limits = limits
        self.decoder = decoder
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
            raise decoder.damaged(f"{what} does not have its checksum, or what stands before it was changed")
        return 0

    @property
    def is_at_end(self) -> bool:
        """Whether every record was read."""
        return self.position >= self.end

    def create(self, name, path):
        """Return a reader of the next record, whose heading is read already; also where there is none left.

        Args:
            name: Whose record is wanted, for the messages of errors; it may be another one.
            path: Where that is.
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
    """Reads the state of one operator, field by field; an operator gets it in `load_state` and `load_fields`.

    It cannot read beyond its record. What it leaves unread is skipped. A StateWriter's docstring has an example.

    Threads: the one that loads.
    """

    cdef RecordInput input
    cdef ValueDecoder decoder
    cdef StateReader parent, child       # None: a record of its own; no child is open
    cdef int64_t index                   # which record it is, who wants it, and where that is
    cdef object wanted, path
    cdef readonly object name            # what is stored
    cdef readonly object version
    cdef readonly bint is_present        # False: there was no record left
    cdef Py_ssize_t record, after        # where the record begins, and where the next thing stands
    cdef Py_ssize_t start, end           # the fields
    cdef Py_ssize_t position
    cdef int64_t fields
    cdef int level
    cdef bint is_open, is_given_back

    @property
    def registry(self):
        """The registered classes that may be part of what is read; for snapshots that were kept in a field."""
        return None if self.input is None else self.input.registry

    @property
    def limits(self):
        """The bounds of size and depth; for snapshots that were kept in a field."""
        return None if self.input is None else self.input.limits

    def read(self, expected=None, /):
        """Return the next field, in the order in which they were written. Where that fails, it is not passed over.

        Runs user code only where the field holds a value of a registered class: its `migrate`, `__hash__`, `__eq__`, a
        flag's `_missing_`, an exception's `__new__`.

        Args:
            expected: The class that the field must have, or a union of classes, or a tuple of them; None takes any. A
                bool is no int here. Of exceptions and registered classes a base will do.

        Raises:
            StateFormatError: The field has another class; there is none left; the bytes are damaged.
            StateLimitError: It exceeds a limit.
            StateError: It names a class that is not registered; or the reader is closed, or a child of it is open.
            ArgumentTypeError: `expected` is no class.
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
            The same as `read`, but for the end.
        """
        self.require_open("try_read")
        if self.position >= self.end:
            return False, None
        return True, self.take_field(expected)

    def read_count(self, at_most=INT64_MAX, /):
        """Return the next field, which is a count or a position: an int from 0 to a bound. Else it is not passed over.

        What is read may have been written by anybody: a count that is negative, or larger than the stream can have
        reached, would make it run without end. So say what is possible.

        Args:
            at_most: The largest one that is possible; 2**63 - 1 by default.

        Raises:
            StateFormatError: The field is no int, or out of these bounds; there is none left; the bytes are damaged.
            StateError: The reader is closed, or a child of it is open.
        """
        cdef Py_ssize_t position = self.position
        value = self.read(int)
        if 0 <= value <= at_most:
            return value
        self.position = position
        self.fields -= 1
        raise self.refusal(
            StateFormatError, f"expected a count from 0 to {at_most}, found {shown(value)}",
            "load the state with the stream that it was saved with, or load an older checkpoint",
        )

    def create_child(self):
        """Return a reader of the child record that stands here; dispose it before this one goes on.

        Raises:
            StateFormatError: No child record stands here.
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

    def reset(self):
        """Give the record back: the next reader sees it again, unless something is read from it after this call."""
        self.require_open("reset")
        self.position = self.start
        self.fields = 0
        self.is_given_back = True

    def dispose(self):
        """Go on after the record, whether or not all of it was read; to its start, if it was given back. Idempotent.

        Children that are open are disposed with it.
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
        """Return where the next field stands."""
        return f"{self.place()}, field {self.fields}"

    cdef str place(self):
        return _record_text(self.index, self.wanted, self.path) if self.parent is None else str(self.parent)

    cdef int take_heading(self) except -1:
        """Take name and version, and nothing else: a value of another kind could run code, also where it is skipped."""
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
        """Let the decoder stand where this reader does, within the bounds of this reader."""
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


cdef bint _fits(object value, object expected) except -1:
    """Return whether a value is of a class, or of one of several."""
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
            f"read(expected) needs a class, got {shown(expected)}; pass a class, a union such as int | None, or a tuple"
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
