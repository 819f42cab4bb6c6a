"""Records of saved state, read. All checksums are looked at before the first record is given out."""

import datetime
import decimal
import types
import typing
import uuid

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport INT64_MAX, int64_t, uint64_t
from libc.string cimport memcmp

from rs_core.interp.arguments cimport shown
from rs_core.state.buffer cimport take_byte, take_bytes, take_count, take_fixed32, take_fixed64, take_zigzag
from rs_core.state.codec cimport TAG_INT, TAG_RECORD, TAG_STR, TAG_TUPLE, record_text
from rs_core.state.decoder cimport ValueDecoder, shown_part
from rs_core.state.writer cimport checksum_of

from rs_core.errors import ArgumentTypeError, StateError, StateFormatError, StateLimitError

__all__ = ["RecordInput", "StateReader"]

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


@cython.final
cdef class RecordInput:
    """The records of one snapshot, one behind the other.

    Args:
        source: The snapshot: bytes, or anything with a buffer, which is copied.
        measure_header: Returns how long the header of such bytes is, or raises for one that it does not know.
        footer: What has to stand behind the records, in front of the last checksum.
        registry: The registered classes: `by_name`, a dict of StateKind by name.
        limits: A StateLimits.

    Raises:
        StateFormatError: The records do not fill the space between header and footer, or a checksum is wrong.
        StateLimitError: There are too many, or the source is too large.
        ArgumentTypeError: The source is neither bytes nor anything with a buffer.
    """

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
        self.checksum = checksum_of(<const char*>decoder.data, start, 0)
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
                    "raise max_records of StateLimits, if they come from where you expect",
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
        self.checksum = checksum_of(
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
        """Return whether there is a next field, and the field: `(False, None)` behind the last, and without a record.

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
        """Go on behind the record, whether or not all of it was read; to its start, if it was given back. Idempotent.

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
        return record_text(self.index, self.wanted, self.path) if self.parent is None else str(self.parent)

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
        if take_byte(decoder) != TAG_TUPLE or take_count(decoder) != VERSION_PARTS:
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
        return self.decoder.damaged(f"no version of an operator stands behind the name {shown_part(self.name)}")

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
