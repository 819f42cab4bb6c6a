"""Records of saved state, written.

A record is its length as int64, what its operator wrote, and a checksum. The checksum goes on from that of the record
before, and the first one from the header: so records cannot be lost, repeated or put into another order unnoticed.
"""

import binascii

cimport cython
from cpython.buffer cimport PyBUF_READ
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport INT64_MAX, int64_t, uint32_t, uint64_t

from rs_core.interp.arguments cimport shown
from rs_core.state.buffer cimport put_byte, put_fixed32, put_fixed64, store64
from rs_core.state.codec cimport TAG_RECORD, record_text
from rs_core.state.encoder cimport ValueEncoder

from rs_core.errors import ArgumentTypeError, StateError, StateLimitError

__all__ = ["RecordOutput", "StateWriter"]

cdef object _crc32 = binascii.crc32


cdef uint32_t checksum_of(const char* data, Py_ssize_t size, uint32_t before) except? 0:
    """Return the CRC-32 of some bytes behind others of which it is known."""
    return _crc32(PyMemoryView_FromMemory(<char*>data, size, PyBUF_READ), before)


@cython.final
cdef class RecordOutput:
    """The records of one snapshot, one behind the other.

    Args:
        header: What stands in front of them.
        registry: The registered classes: `by_class`, a dict of StateKind by class.
        limits: A StateLimits.
    """

    def __cinit__(self, bytes header not None, *, registry, limits):
        self.registry = registry
        self.limits = limits
        self.encoder = ValueEncoder(kinds=registry.by_class, limits=limits)
        self.encoder.where = "saved state"
        self.max_records = limits.max_records
        self.encoder.put_bytes(PyBytes_AS_STRING(header), PyBytes_GET_SIZE(header))
        self.checksum = checksum_of(self.encoder.data, self.encoder.used, 0)

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
        """Return the bytes of the snapshot, with a footer and a checksum behind the records."""
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
            self.encoder.put_bytes(PyBytes_AS_STRING(footer), PyBytes_GET_SIZE(footer))
            self.end_record(start)
            return self.encoder.taken(0)
        finally:
            self.encoder.end_write()

    cdef int end_record(self, Py_ssize_t start) except -1:
        """Append the checksum of all so far; between begin_write() and end_write().

        The checksum of more than a few kilobytes is made without the GIL, and the bytes must stay where they are.
        """
        self.checksum = checksum_of(self.encoder.data + start, self.encoder.used - start, self.checksum)
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
        return record_text(self.index, self.name, self.path) if self.parent is None else str(self.parent)

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
            raise StateError(f"{self}: {method}() behind the end of the record; write before it is disposed")
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
                store64(encoder.data + self.length_at, <uint64_t>(encoder.used - self.length_at - 8))
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
            f"{record_text(index, shown(name), path)}: the name of an operator needs a str, got "
            f"{type(name).__qualname__}; name its class with one"
        )
    if type(version) is not tuple or len(version) != 4 or not all([_is_version_part(part) for part in version]):
        raise ArgumentTypeError(
            f"{record_text(index, name, path)}: the version of an operator needs a tuple of four ints from 0 to "
            f"2**63 - 1, got {shown(version)}; give its class one such as (1, 0, 0, 0)"
        )
    return 0


cdef bint _is_version_part(object part) except -1:
    return type(part) is int and 0 <= part <= INT64_MAX
