"""Values of saved state as bytes, in both directions: the encoder, the decoder, and the registered classes.

The bytes are described in docs/explanation/saved-state.md ("The bytes"); the constants are only in codec.pxd.

Roles
    writer      the one thread that encodes, one value after the other, into a growing block
    reader      the one thread that decodes
    user code   runs inside both: `utcoffset` of time zones and `__str__` of exceptions when values are written;
                `migrate`, `__hash__`, `__eq__`, a flag's `_missing_` and an exception's `__new__` when they are read

Invariants
    I1  Values of equal type and content become equal bytes, in every process: a set is written in the order of its
        bytes, a Decimal in a fixed context.
    I2  Only bytes that would be written again are accepted: each number has only one form, the shortest; sets are in
        order, and no key or element occurs twice. Everything else is damage.
    I3  Nothing that the bytes name is imported. Only known exceptions and registered classes are created by name; an
        object gets its fields without its `__init__`.
    I4  Memory grows with the bytes that exist: a count is at most the remaining bytes, and a list grows as its elements
        are read. `max_values` bounds the rest.
    I5  If a value cannot be written, nothing of it was appended.
    I6  One at a time: a writer or reader takes `busy` first. A second thread, and user code that writes or reads from
        inside, are refused.

Ordering (write -> read that pairs with it)
    releasing `busy` (release)  ->  taking it (acquire): the writes of the last holder are seen

Depth: containers recurse, up to `max_depth` of StateLimits, which is at most 256.
Progress: no thread waits.
Overflow: `max_bytes` is checked when the block grows and after each value; a length never exceeds the remaining bytes,
so a position does not overflow. Reuse: `busy` is a flag, so ABA is harmless.
Source: tags of one printable byte as in pickle's protocols and MessagePack; varint and zigzag of Protocol Buffers.
"""

import builtins
import dataclasses
import datetime
import decimal
import enum
import uuid

cimport cython
from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject, PyObject_GenericSetAttr
from cpython.unicode cimport PyUnicode_AsUTF8String
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp, memcpy

from rs_core.interp.arguments cimport safe_repr, small_int
from rs_core.interp.object_handoff cimport owned
from rs_core.interp.tuple_filling cimport begin_tuple, fill_place, finish_tuple
from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed, memory_order_release

from rs_core.errors import (
    ArgumentError, ArgumentTypeError, ReactiveStreamsError, RecoveredError, StateError, StateFormatError,
    StateLimitError, StateTypeError,
)
from rs_core.interp.deferred_functions import refuse_deferred
from rs_core.state.limits import DEFAULT_LIMITS

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object n, int* overflow) except? -1
    bint PyUnicode_IS_COMPACT_ASCII(object text) noexcept
    Py_ssize_t PyUnicode_GET_LENGTH(object text) noexcept
    void* PyUnicode_DATA(object text) noexcept
    PyObject* PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors) noexcept
    void PyErr_Clear() noexcept
    bint PyDict_Next(dict pairs, Py_ssize_t* at, PyObject** key, PyObject** value) noexcept

__all__ = ["StateKind", "ValueDecoder", "ValueEncoder"]

cdef object _Flag = enum.Flag, _Enum = enum.Enum, _UUID = uuid.UUID
cdef object _Decimal = decimal.Decimal, _Context = decimal.Context, _InvalidOperation = decimal.InvalidOperation
cdef object _datetime = datetime.datetime, _date = datetime.date, _time = datetime.time
cdef object _timedelta = datetime.timedelta, _timezone = datetime.timezone, _utc = datetime.timezone.utc
cdef object _MICROSECOND = datetime.timedelta(microseconds=1)
cdef object _EPOCH = datetime.datetime(1970, 1, 1)
cdef int64_t _EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
cdef int64_t _LAST_DAY = datetime.date.max.toordinal()
cdef int64_t _MICROSECONDS_OF_DAY = 24 * 60 * 60 * 1_000_000
# Ten thousand years from 1970 is beyond every datetime, and far from the bounds of 64 bits.
cdef int64_t _BEYOND_ALL_TIMES = 10_000 * 366 * _MICROSECONDS_OF_DAY

cdef int64_t _HIGHEST_VERSION = 2**31 - 1
cdef object _LEAST_CROWDED_HASH = 2**60
cdef object _new_object = object.__new__

cdef enum:
    FIRST_ROOM_BYTES = 256
    FEW = 16          # values, for which space is reserved at the start
    MOST_SHOWN = 100  # characters of a loaded text; errors show fewer


# --- registered classes and known exceptions --------------------------------------------------------------------------

def _exception_classes():
    """Return the exceptions that are created again from their message alone, by their kind."""
    # Others, which need more than a message or which this release of Python lacks, load as RecoveredError.
    special = (ExceptionGroup, SyntaxError, UnicodeError, Warning)
    found = {
        name: kind
        for name, kind in vars(builtins).items()
        if isinstance(kind, type) and issubclass(kind, Exception) and not issubclass(kind, special)
        and kind.__name__ == name  # not an alias of the same class, such as IOError
    }
    ours = [ReactiveStreamsError]
    for kind in ours:  # grows in the loop, down to the last subclass
        ours += [each for each in kind.__subclasses__() if each.__module__ == ReactiveStreamsError.__module__]
    return found | {f"reactivestreams.errors.{kind.__name__}": kind for kind in ours if kind is not RecoveredError}


cdef dict _CLASS_OF_KIND = _exception_classes()
cdef dict _KIND_OF_CLASS = {kind: name for name, kind in _CLASS_OF_KIND.items()}


@cython.final
cdef class StateKind:
    """A class whose values can be saved, with a name and a version; created by its registration.

    Args:
        kind: A dataclass, an enumeration or an exception.
        name: Its name in saved state: not its place in the program, which may change.
        version: The version of its saved form, from 1; raise it when fields or members change.
        migrate: Called with an older version and its saved content; returns the content of the current version.

    Raises:
        ArgumentTypeError: The class is none of the three, or another argument has the wrong type.
        ArgumentError: The name is empty or belongs to a known exception, the version is out of bounds, or a member of a
            flag is negative.
    """

    def __init__(self, kind, *, name, version, migrate):
        if type(name) is not str:
            raise ArgumentTypeError(f"name needs a str, got {type(name).__name__}; pass the name for saved state")
        if not name or name in _CLASS_OF_KIND:
            raise ArgumentError(
                f"{name!r} cannot be the name of {kind!r} in saved state: it is "
                f"{'that of a known exception' if name else 'empty'}; pass one of your own, such as 'shop/order'"
            )
        if type(version) is not int:
            raise ArgumentTypeError(f"version needs an int, got {version!r}; pass a number from 1")
        if not 1 <= version <= _HIGHEST_VERSION:
            raise ArgumentError(f"version needs 1 to {_HIGHEST_VERSION}, got {version}; begin with 1 and count up")
        if migrate is not None and not callable(migrate):
            raise ArgumentTypeError(
                f"migrate needs a callable, got {migrate!r}; pass a function of an old version and its content"
            )
        if migrate is not None:
            refuse_deferred(migrate, "migrate", "load what it needs before, and pass a plain function")
        self.kind = kind
        self.name = name
        self.version = version
        self.migrate = migrate
        self.category = _category(kind)
        if self.category == ERROR and (version != 1 or migrate is not None):
            raise ArgumentError(
                f"{kind!r} is an exception: its message, rule and notes are saved, which have no versions; "
                f"register it with its name alone"
            )
        if self.category == FLAG:
            self.flag_bits = _flag_bits(kind)
        self.fields = ()
        if self.category == DATACLASS:
            self.fields = tuple([field.name for field in dataclasses.fields(kind)])
        self.write_headings()

    cdef int write_headings(self) except -1:
        cdef ValueEncoder encoder = ValueEncoder(kinds={}, limits=DEFAULT_LIMITS)
        encoder.where = self.kind
        put_byte(encoder, TAG_OBJECT if self.category == DATACLASS else TAG_ENUM)
        encoder.put_text(self.name)
        put_varint(encoder, <uint64_t>self.version)
        if self.category == DATACLASS:
            put_varint(encoder, <uint64_t>len(self.fields))
        self.heading = encoder.cut_from(0)
        headings = []
        for field in self.fields:
            encoder.put_text(field)
            headings.append(encoder.cut_from(0))
        self.field_headings = tuple(headings)
        return 0

    cdef object member(self, object content):
        """Return the member of an enumeration that was saved as `content`, or None. Runs a flag's `_missing_`."""
        if self.category == ENUM:
            member = self.kind.__members__.get(content) if type(content) is str else None
            return member if member is not None and member._name_ == content else None
        if type(content) is not int or not self.has_bits(content):
            return None
        try:
            member = self.kind(content)
        except Exception:
            return None
        return member if type(member) is self.kind and member._value_ == content else None

    cdef bint has_bits(self, object number) except -1:
        """Return whether members of a flag have all the bits of a number.

        Checked before the class is called, because enum stores the objects that it makes for the life of the process.
        """
        return number >= 0 and not number & ~self.flag_bits

    def __repr__(self):
        return f"StateKind({self.kind.__qualname__}, name={self.name!r}, version={self.version})"


cdef Category _category(object kind) except *:
    if not isinstance(kind, type):
        raise ArgumentTypeError(f"{kind!r} is not a class; register a dataclass, an enumeration or an exception")
    if issubclass(kind, _Enum):
        return FLAG if issubclass(kind, _Flag) else ENUM
    if issubclass(kind, Exception):
        return ERROR
    # A class that only inherits from a dataclass may have more than its fields.
    if "__dataclass_fields__" not in vars(kind):
        raise ArgumentTypeError(
            f"{kind!r} is neither a dataclass nor an enumeration nor an exception; save what its values consist of, or "
            f"make it a dataclass"
        )
    try:
        object.__new__(kind)  # like on loading
    except TypeError as error:
        raise ArgumentTypeError(
            f"{kind!r} cannot be made from its fields alone ({error}); register a dataclass that can, and convert"
        ) from error
    return DATACLASS


cdef object _flag_bits(object kind):
    bits = 0
    for member in kind.__members__.values():
        number = int(member._value_)
        if number < 0:
            raise ArgumentError(
                f"{kind!r} cannot be saved: its member {member._name_} is {number}, which has bits without end; give "
                f"it the bits that it stands for"
            )
        bits |= number
    return bits


cdef str error_kind(object error):
    """Return the name under which an unregistered exception is saved."""
    kind = type(error)
    if kind is RecoveredError:
        return str(error.kind)
    return _KIND_OF_CLASS.get(kind) or f"{kind.__module__}.{kind.__qualname__}"


cdef str error_message(object error):
    """Return the message of an exception, from which it can be created again. Runs user code: its `__str__`."""
    arguments = error.args
    if len(arguments) == 1 and type(arguments[0]) is str:
        return arguments[0]
    try:
        return str(error)
    except Exception:
        return f"<{type(error).__qualname__} without a working str>"


# --- written --------------------------------------------------------------------------------------------------------

@cython.final
cdef class ValueEncoder:
    """Writes values, one after the other, into a growing block of bytes.

    Args:
        kinds: The registered classes, a dict of StateKind by class.
        limits: A StateLimits.

    Threads: one at a time; a second one, or user code that is called from inside, is refused.
    """

    def __cinit__(self, *, dict kinds not None, limits):
        self.storage = bytearray()
        self.kinds = kinds
        self.max_bytes = limits.max_bytes
        self.max_values = limits.max_values
        self.max_depth = limits.max_depth
        self.max_number_bytes = limits.max_number_bytes
        self.max_equal_hashes = limits.max_equal_hashes
        self.busy.store(0, memory_order_relaxed)  # relaxed: no other thread knows this object yet

    def encode(self, value, /) -> bytes:
        """Return the bytes of a single value. Runs user code: `utcoffset` of time zones, `__str__` of exceptions.

        Raises:
            StateTypeError: A class is not part of the format and was not registered.
            StateLimitError: It is larger or deeper than the limits allow.
            StateError: It contains itself, changes while it is written, or is a flag with bits that no member has.
        """
        cdef Py_ssize_t start = self.used
        self.values = 0
        self.put_value(value, "value")
        return self.cut_from(start)

    cdef int put_value(self, object value, object where) except -1:
        """Append a value; if that fails, nothing was appended."""
        cdef Py_ssize_t used
        cdef int64_t values
        self.begin_write()
        used, values = self.used, self.values
        self.where = where
        try:
            self.put(value, 0)
            self.check_size()
        except BaseException as error:
            self.used, self.values = used, values
            if not isinstance(error, StateError):
                error.add_note(f"while the state was saved: {where}")  # an exception of user code keeps its class
            raise
        finally:
            self.where = None
            self.end_write()
        return 0

    cdef int begin_write(self) except -1:
        """Refuse all other writers, until end_write()."""
        # acquire: pairs with the release in end_write(); the last writer's writes are seen
        if self.busy.exchange(1, memory_order_acquire):
            raise overlap_error("written", "write")
        return 0

    cdef void end_write(self) noexcept:
        self.busy.store(0, memory_order_release)  # release: pairs with the acquire in begin_write()

    cdef int require_idle(self) except -1:
        """Refuse calls of user code inside a write."""
        # acquire: as in begin_write()
        if self.busy.load(memory_order_acquire):
            raise overlap_error("written", "write")
        return 0

    # --- bytes ------------------------------------------------------------------------------------------------------

    cdef int grow(self, Py_ssize_t size) except -1:
        """Reserve space for more bytes; also for a few beyond the limit, which check_size() detects."""
        cdef Py_ssize_t needed = self.used + size, most = self.max_bytes + MOST_NUMBER_BYTES
        if needed > most:
            raise self.too_large()
        needed = min(max(needed, FIRST_ROOM_BYTES, 2 * self.room), most)
        PyByteArray_Resize(self.storage, needed)
        self.data = PyByteArray_AS_STRING(self.storage)
        self.room = needed
        return 0

    cdef int check_size(self) except -1:
        if self.used > self.max_bytes:
            raise self.too_large()
        return 0

    cdef int put_bytes(self, bytes content) except -1:
        return self.put_memory(PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content))

    cdef int put_memory(self, const char* source, Py_ssize_t size) except -1:
        ensure_room(self, size)
        memcpy(self.data + self.used, source, size)
        self.used += size
        return 0

    cdef int put_sized(self, bytes content) except -1:
        put_varint(self, <uint64_t>PyBytes_GET_SIZE(content))
        return self.put_bytes(content)

    cdef int put_tagged_text(self, int tag, str text) except -1:
        cdef Py_ssize_t size
        cdef char* at
        if not PyUnicode_IS_COMPACT_ASCII(text):
            put_byte(self, tag)
            return self.put_text(text)
        size = PyUnicode_GET_LENGTH(text)
        ensure_room(self, 1 + MOST_NUMBER_BYTES + size)
        at = self.data + self.used
        at[0] = <char>tag
        at = varint_at(at + 1, <uint64_t>size)
        memcpy(at, <const char*>PyUnicode_DATA(text), size)
        self.used = at + size - self.data
        return 0

    cdef int put_text(self, str text) except -1:
        cdef Py_ssize_t size
        if PyUnicode_IS_COMPACT_ASCII(text):
            size = PyUnicode_GET_LENGTH(text)
            put_varint(self, <uint64_t>size)
            return self.put_memory(<const char*>PyUnicode_DATA(text), size)
        try:
            return self.put_sized(PyUnicode_AsUTF8String(text))
        except UnicodeEncodeError:  # half a surrogate pair, as in file names that are not UTF-8
            return self.put_sized(text.encode("utf-8", "surrogatepass"))

    cdef bytes cut_from(self, Py_ssize_t start):
        """Remove and return the bytes from a position on."""
        encoded = PyBytes_FromStringAndSize(self.data + start, self.used - start)
        self.used = start
        return encoded

    # --- values -----------------------------------------------------------------------------------------------------

    cdef int put(self, object value, int depth) except -1:
        cdef int64_t number = 0
        self.values += 1
        if self.values > self.max_values:
            raise self.refusal(
                StateLimitError, f"more than max_values={self.max_values} values in one record",
                "keep less state, or raise max_values of StateLimits where it is saved and where it is loaded",
            )
        if small_int(value, &number):
            return put_tagged(self, TAG_INT, zigzag(number))
        if value is None:
            return put_byte(self, TAG_NONE)
        # By the exact class: additions of a subclass would be lost, and loading would create another class.
        kind = type(value)
        if kind is str:
            return self.put_tagged_text(TAG_STR, <str>value)
        if kind is float:
            return put_float(self, PyFloat_AS_DOUBLE(value))
        if kind is bool:
            return put_byte(self, TAG_TRUE if value is True else TAG_FALSE)
        if kind is tuple:
            return self.put_tuple(<tuple>value, depth)
        if kind is list:
            return self.put_list(<list>value, depth)
        if kind is dict:
            return self.put_dict(<dict>value, depth)
        if kind is int:
            return self.put_int(value)
        if kind is bytes:
            put_byte(self, TAG_BYTES)
            return self.put_sized(<bytes>value)
        return self.put_rare(value, kind, depth)

    cdef int put_rare(self, object value, object kind, int depth) except -1:
        registered = self.kinds.get(kind)
        if registered is not None:
            return self.put_kind(registered, value, depth)
        if kind is set:
            return self.put_set(TAG_SET, value, depth)
        if kind is frozenset:
            return self.put_set(TAG_FROZENSET, value, depth)
        if kind is _datetime:
            return put_datetime(self, value)
        if kind is _timedelta:
            return put_timedelta(self, value)
        if kind is _Decimal:
            return put_decimal(self, value, self.max_number_bytes)
        if kind is _UUID:
            put_byte(self, TAG_UUID)
            return self.put_bytes(<bytes?>value.bytes)
        if kind is _date:
            return put_date(self, value)
        if kind is _time:
            return put_time(self, value)
        if isinstance(value, Exception):
            return self.put_error(value, error_kind(value))
        place = None if self.references is None else self.references.place_of(value)
        if place is not None:
            put_byte(self, TAG_GROUP)
            return self.put(place, depth)
        raise self.refusal(
            StateTypeError, f"a value of class {kind.__module__}.{kind.__qualname__} cannot be saved",
            "save what it consists of, or register the class, if it is a dataclass, an enumeration or an exception",
        )

    cdef int put_int(self, object value) except -1:
        cdef int overflow = 0
        cdef int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow:
            return put_big_int(self, value, self.max_number_bytes)
        return put_tagged(self, TAG_INT, zigzag(number))

    # --- containers -------------------------------------------------------------------------------------------------

    cdef int enter(self, object container, int depth) except -1:
        """Record a container around the next values."""
        cdef int index
        for index in range(depth):
            if self.path[index] == <PyObject*>container:
                raise self.refusal(
                    StateError, f"a {type(container).__name__} contains itself, {depth - index} levels down",
                    "state is a tree of values: save what refers to another part by a key",
                )
        if depth >= self.max_depth:
            raise self.refusal(
                StateLimitError, f"containers nested deeper than max_depth={self.max_depth}",
                "keep flatter state, or raise max_depth of StateLimits where it is saved and where it is loaded",
            )
        self.path[depth] = <PyObject*>container
        return 0

    cdef int put_list(self, list value, int depth) except -1:
        cdef Py_ssize_t count = len(value), seen = 0
        self.enter(value, depth)
        put_tagged(self, TAG_LIST, <uint64_t>count)
        for element in value:
            self.put(element, depth + 1)
            seen += 1
        if seen != count:
            raise self.changed_meanwhile(value)
        return 0

    cdef int put_tuple(self, tuple value, int depth) except -1:
        self.enter(value, depth)
        put_tagged(self, TAG_TUPLE, <uint64_t>len(value))
        for element in value:
            self.put(element, depth + 1)
        return 0

    cdef int put_dict(self, dict value, int depth) except -1:
        cdef Py_ssize_t count = len(value), found = 0, at = 0, index
        cdef list keys = [None] * count, elements = [None] * count
        cdef PyObject* key
        cdef PyObject* element
        # In one step, since user code may run below; in their order, which programs may rely on.
        with cython.critical_section(value):
            while found < count and PyDict_Next(value, &at, &key, &element):
                keys[found] = <object>key
                elements[found] = <object>element
                found += 1
        if found != count:
            raise self.changed_meanwhile(value)
        self.enter(value, depth)
        self.check_hashes(keys)
        put_tagged(self, TAG_DICT, <uint64_t>count)
        for index in range(count):
            self.put(keys[index], depth + 1)
            self.put(elements[index], depth + 1)
        if len(value) != count:
            raise self.changed_meanwhile(value)
        return 0

    cdef int put_set(self, int tag, object value, int depth) except -1:
        cdef list elements = list(value), pieces = []
        cdef Py_ssize_t start
        self.enter(value, depth)
        self.check_hashes(elements)
        put_byte(self, tag)
        put_varint(self, <uint64_t>len(elements))
        start = self.used
        for element in elements:
            self.put(element, depth + 1)
            pieces.append(self.cut_from(start))
        if len(value) != len(pieces):
            raise self.changed_meanwhile(value)
        # A set has no order that two processes share, so the elements are ordered by their bytes.
        pieces.sort()
        for piece in pieces:
            self.put_bytes(<bytes>piece)
        return 0

    cdef int check_hashes(self, list keys) except -1:
        if exceeds_equal_hashes(keys, self.max_equal_hashes):
            raise self.refusal(
                StateLimitError, f"more than max_equal_hashes={self.max_equal_hashes} keys with the same hash",
                "give the class of the keys a better __hash__, or raise max_equal_hashes of StateLimits where it is "
                "saved and where it is loaded",
            )
        return 0

    cdef object changed_meanwhile(self, object container):
        return self.refusal(
            StateError, f"a {type(container).__name__} changed its size while it was saved",
            "save when its stream is parked or idle",
        )

    # --- classes of the user ----------------------------------------------------------------------------------------

    cdef int put_kind(self, StateKind kind, object value, int depth) except -1:
        cdef Py_ssize_t index
        if kind.category == ERROR:
            return self.put_error(value, kind.name)
        self.put_bytes(kind.heading)
        if kind.category == FLAG:
            number = int(value._value_)
            if not kind.has_bits(number):
                raise self.refusal(
                    StateError, f"{safe_repr(number)} has bits that no member of {kind.kind.__qualname__} has",
                    "save the number itself, or name all bits in the class",
                )
            return self.put(number, depth + 1)
        if kind.category != DATACLASS:
            return self.put(value._name_, depth + 1)
        self.enter(value, depth)
        for index in range(len(kind.fields)):
            self.put_bytes(<bytes>kind.field_headings[index])
            self.put(getattr(value, kind.fields[index]), depth + 1)
        return 0

    cdef int put_error(self, object error, str kind) except -1:
        rule = getattr(error, "rule", None)
        notes = [note for note in getattr(error, "__notes__", ()) if type(note) is str]
        put_byte(self, TAG_ERROR)
        self.put_text(kind)
        self.put_text(error_message(error))
        if type(rule) is str:
            put_byte(self, 1)
            self.put_text(<str>rule)
        else:
            put_byte(self, 0)
        put_varint(self, <uint64_t>len(notes))
        for note in notes:
            self.put_text(<str>note)
        return 0

    # --- refusals ---------------------------------------------------------------------------------------------------

    cdef object too_large(self):
        return self.refusal(
            StateLimitError, f"more than max_bytes={self.max_bytes} bytes",
            "keep less state, or raise max_bytes of StateLimits where it is saved and where it is loaded",
        )

    cdef object refusal(self, object error_class, str what, str remedy):
        location = str(self.where)
        error = error_class(f"{location}: {what}; {remedy}")
        error.location = location
        return error


# --- read -----------------------------------------------------------------------------------------------------------

@cython.final
cdef class ValueDecoder:
    """Reads the values that a ValueEncoder wrote, one after the other.

    Args:
        source: The bytes.
        kinds: The registered classes, a dict of StateKind by name.
        limits: A StateLimits.

    Threads: one at a time; a second one, or user code that is called from inside, is refused.
    """

    def __cinit__(self, source, *, dict kinds not None, limits):
        self.where = "saved state"
        if type(source) is bytes:
            self.check_size(PyBytes_GET_SIZE(source), limits.max_bytes)
            self.source = <bytes>source
        else:
            try:
                view = memoryview(source)
            except TypeError as error:
                raise ArgumentTypeError(
                    f"saved state is bytes, got {safe_repr(source)} ({type(source).__name__}); pass what save_tree(), "
                    f"SnapshotWriter.finish() or encode_value() returned"
                ) from error
            with view:
                self.check_size(view.nbytes, limits.max_bytes)  # first: a source that is too large is not copied
                self.source = bytes(view)
        self.data = <const unsigned char*>PyBytes_AS_STRING(self.source)
        self.end = PyBytes_GET_SIZE(self.source)
        self.kinds = kinds
        self.max_values = limits.max_values
        self.max_depth = limits.max_depth
        self.max_number_bytes = limits.max_number_bytes
        self.max_equal_hashes = limits.max_equal_hashes
        self.max_bytes = limits.max_bytes
        self.busy.store(0, memory_order_relaxed)  # relaxed: no other thread knows this object yet

    cdef int point_at(self, bytes source) except -1:
        """Read other bytes from now on, from their start."""
        self.require_idle()
        self.check_size(PyBytes_GET_SIZE(source), self.max_bytes)
        self.source = source
        self.data = <const unsigned char*>PyBytes_AS_STRING(source)
        self.position = 0
        self.end = PyBytes_GET_SIZE(source)
        self.values = 0
        return 0

    def decode(self):
        """Return the single value of the bytes. Runs user code of registered classes, like StateReader.read().

        Raises:
            StateFormatError: The bytes are not those of one value.
            StateLimitError: It is larger or deeper than the limits allow.
            StateError: A class that it names is not registered, or not in this version.
        """
        value = self.take_value("value")
        if self.position != self.end:
            self.where = "value"
            raise self.damaged(f"{self.end - self.position} bytes follow the value")
        return value

    cdef object take_value(self, object where):
        """Read the next value."""
        # acquire: pairs with the release below; the last reader's writes are seen
        if self.busy.exchange(1, memory_order_acquire):
            raise overlap_error("read", "read")
        self.where = where
        try:
            return self.take(0)
        finally:
            self.where = None
            self.busy.store(0, memory_order_release)  # release: see above

    cdef int require_idle(self) except -1:
        """Refuse calls of user code inside a read."""
        # acquire: as in take_value()
        if self.busy.load(memory_order_acquire):
            raise overlap_error("read", "read")
        return 0

    # --- bytes ------------------------------------------------------------------------------------------------------

    cdef int check_size(self, Py_ssize_t size, Py_ssize_t most) except -1:
        if size > most:
            raise self.refusal(
                StateLimitError, f"{size} bytes, more than max_bytes={most}",
                "raise max_bytes of StateLimits, if you trust where they come from",
            )
        return 0

    cdef uint64_t take_long_varint(self) except? 0:
        cdef uint64_t number = 0
        cdef int shift = 0, byte
        while True:
            byte = take_byte(self)
            if shift == 63 and byte > 1:
                raise self.damaged("a number has more than 64 bits")
            number |= <uint64_t>(byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0:
                    raise self.damaged("a number is longer than it has to be")
                return number
            shift += 7

    cdef Py_ssize_t take_count(self) except -1:
        """Return a length or a count that is at most the remaining bytes: each item needs at least one."""
        cdef uint64_t count = take_varint(self)
        cdef Py_ssize_t left = self.end - self.position
        if count > <uint64_t>left:
            raise self.damaged(f"{count} bytes or values should follow, and {left} bytes are left")
        return <Py_ssize_t>count

    cdef str take_text(self):
        cdef Py_ssize_t size = self.take_count()
        cdef const char* text = take_bytes(self, size)
        cdef PyObject* decoded = PyUnicode_DecodeUTF8(text, size, NULL)
        if decoded is not NULL:
            return <str>owned(decoded)
        PyErr_Clear()
        try:
            return PyBytes_FromStringAndSize(text, size).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise self.damaged(f"a text is no UTF-8 ({error.reason})") from error

    # --- values -----------------------------------------------------------------------------------------------------

    cdef object take(self, int depth):
        cdef int tag = take_byte(self)
        cdef Py_ssize_t size
        self.values += 1
        if self.values > self.max_values:
            raise self.too_many()
        if tag == TAG_INT:
            return take_zigzag(self)
        if tag == TAG_STR:
            return self.take_text()
        if tag == TAG_FLOAT:
            return take_float(self)
        if tag == TAG_NONE:
            return None
        if tag == TAG_TRUE:
            return True
        if tag == TAG_FALSE:
            return False
        if tag == TAG_TUPLE:
            return self.take_tuple(depth)
        if tag == TAG_LIST:
            return self.take_list(depth)
        if tag == TAG_DICT:
            return self.take_dict(depth)
        if tag == TAG_BYTES:
            size = self.take_count()
            return PyBytes_FromStringAndSize(take_bytes(self, size), size)
        return self.take_rare(tag, depth)

    cdef object take_rare(self, int tag, int depth):
        if tag == TAG_SET:
            return self.take_set(set, depth)
        if tag == TAG_FROZENSET:
            return self.take_set(frozenset, depth)
        if tag == TAG_OBJECT:
            return self.take_object(depth)
        if tag == TAG_ENUM:
            return self.take_enum(depth)
        if tag == TAG_DATETIME:
            return take_datetime(self)
        if tag == TAG_TIMEDELTA:
            return take_timedelta(self)
        if tag == TAG_DECIMAL:
            return take_decimal(self, self.max_number_bytes)
        if tag == TAG_UUID:
            return _UUID(bytes=PyBytes_FromStringAndSize(take_bytes(self, 16), 16))
        if tag == TAG_BIG_INT:
            return take_big_int(self, self.max_number_bytes)
        if tag == TAG_DATE:
            return take_date(self)
        if tag == TAG_TIME:
            return take_time(self)
        if tag == TAG_ERROR:
            return self.take_error()
        if tag == TAG_GROUP and self.references is not None:
            stream = self.references.stream_at(self.take(depth))
            if stream is None:
                raise self.damaged("a group has other parts than it should, or was there before")
            return stream
        self.position -= 1
        if tag == TAG_RECORD:
            raise self.refusal(
                StateFormatError, "a child record stands here, no value",
                "read it with create_child(), as it was written",
            )
        raise self.damaged(f"0x{tag:02X} begins no value")

    # --- containers -------------------------------------------------------------------------------------------------

    cdef int enter(self, int depth) except -1:
        if depth >= self.max_depth:
            raise self.refusal(
                StateLimitError, f"containers nested deeper than max_depth={self.max_depth}",
                "raise max_depth of StateLimits, if you trust where the bytes come from",
            )
        return 0

    cdef list take_list(self, int depth):
        self.enter(depth)
        return self.take_elements(self.take_count(), depth)

    cdef list take_elements(self, Py_ssize_t count, int depth):
        cdef list values = []  # grows as values are read: a count alone must not allocate memory
        for _ in range(count):
            values.append(self.take(depth + 1))
        return values

    cdef tuple take_tuple(self, int depth):
        cdef Py_ssize_t count, index
        cdef tuple values
        cdef bint is_for_collector = False
        self.enter(depth)
        count = self.take_count()
        if count > FEW:
            return tuple(self.take_elements(count, depth))
        if count == 0:
            return ()
        values = begin_tuple(count)
        for index in range(count):
            is_for_collector |= fill_place(values, index, self.take(depth + 1))
        finish_tuple(values, is_for_collector)
        return values

    cdef object take_dict(self, int depth):
        cdef Py_ssize_t count, index, left
        cdef list keys, values
        cdef dict pairs = {}
        self.enter(depth)
        left = count = self.take_count()
        while left:
            key = self.take(depth + 1)
            if not has_trusted_hash(key):
                break
            pairs[key] = self.take(depth + 1)
            left -= 1
        if left:  # from the first other key on, all are read before one is inserted
            keys, values = [key], [self.take(depth + 1)]
            for _ in range(left - 1):
                keys.append(self.take(depth + 1))
                values.append(self.take(depth + 1))
            try:
                self.check_hashes(keys)
                for index in range(left):
                    pairs[keys[index]] = values[index]
            except TypeError as error:
                raise self.damaged(f"what has no hash is a key of a dict ({error})") from error
        if len(pairs) != count:
            raise self.damaged("a dict has equal keys")
        return pairs

    cdef object take_set(self, object kind, int depth):
        cdef Py_ssize_t count, index, before = 0, start = 0, size
        cdef list elements = []
        self.enter(depth)
        count = self.take_count()
        for index in range(count):
            before, start, size = start, self.position, self.position - start
            elements.append(self.take(depth + 1))
            if index and self.is_before(start, self.position - start, before, size):
                raise self.damaged("the elements of a set are out of order")
        try:
            self.check_hashes(elements)
            made = kind(elements)
        except TypeError as error:
            raise self.damaged(f"what has no hash is an element of a set ({error})") from error
        if len(made) != count:
            raise self.damaged("a set has equal elements")
        return made

    cdef bint is_before(self, Py_ssize_t left, Py_ssize_t left_size, Py_ssize_t right, Py_ssize_t right_size) noexcept:
        """Return whether bytes sort before others."""
        cdef int order = memcmp(self.data + left, self.data + right, min(left_size, right_size))
        return order < 0 or (order == 0 and left_size < right_size)

    cdef int check_hashes(self, list keys) except -1:
        if exceeds_equal_hashes(keys, self.max_equal_hashes):
            raise self.refusal(
                StateLimitError, f"more than max_equal_hashes={self.max_equal_hashes} keys with the same hash",
                "raise max_equal_hashes of StateLimits, if you trust where the bytes come from",
            )
        return 0

    # --- classes of the user ----------------------------------------------------------------------------------------

    cdef StateKind take_kind(self, bint is_object, int64_t* version):
        """Return the registered class that is named next, and the version of its content."""
        cdef StateKind kind
        cdef uint64_t stored
        text = self.take_text()
        stored = take_varint(self)
        kind = self.kinds.get(text)
        if kind is None:
            raise self.refusal(
                StateError, f"a value of {shown_part(text)}, which is not registered",
                "register the class before loading",
            )
        if kind.category == ERROR or (kind.category == DATACLASS) != is_object:
            raise self.refusal(
                StateError, f"a value of {shown_part(text)}, which is registered as another kind of class",
                f"register {kind.kind.__qualname__} by a name of its own",
            )
        if stored == 0 or stored > <uint64_t>kind.version:
            raise self.refusal(
                StateError,
                f"a value of {shown_part(text)} in version {stored}, and version {kind.version} is registered",
                "load it with the release that wrote it, or a later one",
            )
        version[0] = <int64_t>stored
        return kind

    cdef object migrated(self, StateKind kind, int64_t version, object content):
        if kind.migrate is None:
            raise self.refusal(
                StateError, f"a value of {kind.name!r} in version {version}, and version {kind.version} is registered",
                f"register it with migrate=, a function that makes version {kind.version} of what was saved",
            )
        try:
            return kind.migrate(version, content)
        except Exception as error:
            raise self.refusal(
                StateError, f"migrate of {kind.name!r} failed for version {version}: {type(error).__name__}: {error}",
                "correct it, or load with a release that reads this version",
            ) from error

    cdef object take_enum(self, int depth):
        cdef int64_t version
        cdef StateKind kind = self.take_kind(False, &version)
        content = self.take(depth + 1)
        if version != kind.version:
            content = self.migrated(kind, version, content)
        member = kind.member(content)
        if member is None:
            raise self.unusable(kind, f"{shown_part(content)} is no member of it, or another name of one")
        return member

    cdef object take_object(self, int depth):
        cdef int64_t version
        cdef StateKind kind = self.take_kind(True, &version)
        cdef Py_ssize_t index
        cdef list values
        self.enter(depth)
        if version == kind.version:
            values = self.take_fields(kind, depth)
        else:
            fields = self.migrated(kind, version, self.take_old_fields(depth))
            if type(fields) is not dict or fields.keys() != set(kind.fields):
                raise self.unusable(kind, f"migrate returned {safe_repr(fields)} for version {version}")
            values = [fields[name] for name in kind.fields]
        # Only by its fields: neither its __init__ nor its __post_init__ nor its __setattr__ is called.
        made = _new_object(kind.kind)
        try:
            for index in range(len(values)):
                PyObject_GenericSetAttr(made, kind.fields[index], values[index])
        except AttributeError as error:
            raise self.unusable(kind, f"{error}") from error
        return made

    cdef list take_fields(self, StateKind kind, int depth):
        cdef list values = []
        cdef Py_ssize_t size
        if self.take_count() != len(kind.fields):
            raise self.unusable(kind, "it has more or fewer fields")
        for heading in kind.field_headings:
            size = len(<bytes>heading)
            if memcmp(take_bytes(self, size), <const char*><bytes>heading, size):
                raise self.unusable(kind, "its fields have other names or another order")
            values.append(self.take(depth + 1))
        return values

    cdef dict take_old_fields(self, int depth):
        cdef Py_ssize_t count = self.take_count()
        cdef dict fields = {}
        for _ in range(count):
            name = self.take_text()
            fields[name] = self.take(depth + 1)
        if len(fields) != count:
            raise self.damaged("an object has a field twice")
        return fields

    cdef object take_error(self):
        cdef Py_ssize_t count
        cdef int has_rule
        kind = self.take_text()
        message = self.take_text()
        has_rule = take_byte(self)
        if has_rule > 1:
            raise self.damaged(f"0x{has_rule:02X} tells of no rule")
        rule = self.take_text() if has_rule else None
        error = self.new_error(kind, message)
        try:
            if getattr(error, "rule", None) != rule:
                error.rule = rule
        except Exception as failure:
            raise self.refusal(
                StateError, f"the rule of {shown_part(kind)} cannot be set: {type(failure).__name__}",
                "let its class take the attribute rule, or do not register it",
            ) from failure
        count = self.take_count()
        self.values += count
        if self.values > self.max_values:
            raise self.too_many()
        for _ in range(count):
            error.add_note(self.take_text())
        return error

    cdef object new_error(self, str kind, str message):
        cdef StateKind registered
        known = _CLASS_OF_KIND.get(kind)
        if known is not None:
            return known(message)
        registered = self.kinds.get(kind)
        if registered is None or registered.category != ERROR:
            return RecoveredError(message, kind=kind)
        error = registered.kind.__new__(registered.kind)  # its __init__ may need any arguments, and is not called
        error.args = (message,)
        return error

    # --- refusals ---------------------------------------------------------------------------------------------------

    cdef int cut_off(self, Py_ssize_t size) except -1:
        if size == 1:
            raise self.damaged("the bytes end within a value")
        raise self.damaged(f"{size} bytes should follow, and there are {self.end - self.position}")

    cdef object too_many(self):
        return self.refusal(
            StateLimitError, f"more than max_values={self.max_values} values in one record",
            "raise max_values of StateLimits, if you trust where the bytes come from",
        )

    cdef object unusable(self, StateKind kind, str what):
        return self.refusal(
            StateError, f"a value of {kind.name!r} is not one of {kind.kind.__qualname__}: {what}",
            "register the class with a higher version and migrate=, a function that makes it of what was saved",
        )

    cdef object damaged(self, str what):
        """Return the error for bytes that no writer of this format writes."""
        return self.refusal(
            StateFormatError, what,
            "they are damaged, or no saved state of this format: load an older checkpoint, or begin without state",
        )

    cdef object refusal(self, object error_class, str what, str remedy):
        location = f"{self.where}, byte {self.position}"
        error = error_class(f"{location}: {what}; {remedy}")
        error.location = location
        return error


# --- numbers, in both directions: the tag is written with the value, and read before it -------------------------------

cdef int put_float(ValueEncoder encoder, double value) except -1:
    cdef uint64_t bits
    memcpy(&bits, &value, 8)  # to preserve the payload of a NaN and the sign of a zero
    ensure_room(encoder, MOST_NUMBER_BYTES)
    encoder.data[encoder.used] = <char>TAG_FLOAT
    store64(encoder.data + encoder.used + 1, bits)
    encoder.used += 9
    return 0


cdef object take_float(ValueDecoder decoder):
    cdef uint64_t bits = take_fixed64(decoder)
    cdef double value
    memcpy(&value, &bits, 8)
    return value


cdef int put_big_int(ValueEncoder encoder, object value, Py_ssize_t most_bytes) except -1:
    """Write an int that does not fit into 64 bits."""
    cdef Py_ssize_t size = (value if value >= 0 else ~value).bit_length() // 8 + 1  # with space for the sign
    if size > most_bytes:
        raise encoder.refusal(
            StateLimitError, f"an int of {size} bytes, more than max_number_bytes={most_bytes}",
            "raise max_number_bytes of StateLimits where it is saved and where it is loaded",
        )
    put_byte(encoder, TAG_BIG_INT)
    return encoder.put_sized(value.to_bytes(size, "little", signed=True))


cdef object take_big_int(ValueDecoder decoder, Py_ssize_t most_bytes):
    cdef Py_ssize_t size = decoder.take_count()
    cdef const unsigned char* digits
    if size > most_bytes:
        raise decoder.refusal(
            StateLimitError, f"an int of {size} bytes, more than max_number_bytes={most_bytes}",
            "raise max_number_bytes of StateLimits, if you trust where the bytes come from",
        )
    if size <= 8:
        raise decoder.damaged("an int that fits into 64 bits is written as a longer one")
    digits = <const unsigned char*>take_bytes(decoder, size)
    if digits[size - 1] == (0xFF if digits[size - 2] >= 0x80 else 0):  # it only repeats the sign
        raise decoder.damaged("an int is longer than it has to be")
    return int.from_bytes(PyBytes_FromStringAndSize(<const char*>digits, size), "little", signed=True)


cdef object _exact_decimals():
    """Return a context in which a Decimal and its text are equivalent, independent of the thread's context."""
    return _Context(capitals=1, traps=[_InvalidOperation])


cdef int put_decimal(ValueEncoder encoder, object value, Py_ssize_t most_characters) except -1:
    text = _exact_decimals().to_sci_string(value)
    if len(text) > most_characters:
        raise encoder.refusal(
            StateLimitError, f"a Decimal of {len(text)} characters, more than max_number_bytes={most_characters}",
            "round it, or raise max_number_bytes of StateLimits where it is saved and where it is loaded",
        )
    put_byte(encoder, TAG_DECIMAL)
    return encoder.put_text(text)


cdef object take_decimal(ValueDecoder decoder, Py_ssize_t most_characters):
    text = decoder.take_text()
    if len(text) > most_characters:
        raise decoder.refusal(
            StateLimitError, f"a Decimal of {len(text)} characters, more than max_number_bytes={most_characters}",
            "raise max_number_bytes of StateLimits, if you trust where the bytes come from",
        )
    context = _exact_decimals()
    try:
        value = _Decimal(text, context)
    except _InvalidOperation as error:
        raise decoder.damaged("a Decimal has no number in it") from error
    if context.to_sci_string(value) != text:
        raise decoder.damaged("a Decimal is not in the form in which it is written")
    return value


# --- times, in both directions --------------------------------------------------------------------------------------
# A time with a zone is loaded with its offset, not with the zone: a zone would have to be looked up by the name in the
# bytes, and could have changed its rules since.

cdef int put_datetime(ValueEncoder encoder, object value) except -1:
    """Write a datetime: in UTC with its offset, or as local time. Runs user code: `utcoffset` of its zone."""
    offset = value.utcoffset()
    cdef int64_t clock = (value.replace(tzinfo=None) - _EPOCH) // _MICROSECOND
    cdef int64_t ahead
    put_byte(encoder, TAG_DATETIME)
    if offset is None:
        put_byte(encoder, FORM_NAIVE_FOLDED if value.fold else FORM_NAIVE)
        return put_zigzag(encoder, clock)
    ahead = offset // _MICROSECOND
    put_byte(encoder, FORM_AWARE)
    put_zigzag(encoder, clock - ahead)
    return put_zigzag(encoder, ahead)


cdef object take_datetime(ValueDecoder decoder):
    cdef int form = take_byte(decoder)
    cdef int64_t clock = take_zigzag(decoder)
    cdef int64_t ahead = _take_offset(decoder, form)
    # Added first: the time in UTC may be just outside the years of a datetime.
    if form == FORM_AWARE and -_BEYOND_ALL_TIMES < clock < _BEYOND_ALL_TIMES:
        clock += ahead
    try:
        value = _EPOCH + clock * _MICROSECOND
    except OverflowError as error:
        raise decoder.damaged("a datetime is out of the years 1 to 9999") from error
    return value.replace(tzinfo=_zone(form, ahead), fold=form == FORM_NAIVE_FOLDED)


cdef int put_date(ValueEncoder encoder, object value) except -1:
    put_byte(encoder, TAG_DATE)
    return put_zigzag(encoder, <int64_t>value.toordinal() - _EPOCH_DAY)


cdef object take_date(ValueDecoder decoder):
    cdef int64_t day = take_zigzag(decoder)
    if not 1 - _EPOCH_DAY <= day <= _LAST_DAY - _EPOCH_DAY:
        raise decoder.damaged("a date is out of the years 1 to 9999")
    return _date.fromordinal(day + _EPOCH_DAY)


cdef int put_time(ValueEncoder encoder, object value) except -1:
    """Write a time of day. Runs user code: `utcoffset` of its zone."""
    offset = value.utcoffset()
    cdef int64_t minutes = <int64_t>value.hour * 60 + <int64_t>value.minute
    cdef int64_t clock = (minutes * 60 + <int64_t>value.second) * 1_000_000 + <int64_t>value.microsecond
    if offset is None and value.tzinfo is not None:
        raise encoder.refusal(
            StateTypeError, "a time of day in a zone whose offset depends on the day",
            "save a datetime, or the time of day without its zone",
        )
    put_byte(encoder, TAG_TIME)
    if offset is None:
        put_byte(encoder, FORM_NAIVE_FOLDED if value.fold else FORM_NAIVE)
        return put_varint(encoder, <uint64_t>clock)
    put_byte(encoder, FORM_AWARE)
    put_varint(encoder, <uint64_t>clock)
    return put_zigzag(encoder, offset // _MICROSECOND)


cdef object take_time(ValueDecoder decoder):
    cdef int form = take_byte(decoder)
    cdef uint64_t clock = take_varint(decoder)
    cdef int64_t ahead = _take_offset(decoder, form)
    if clock >= <uint64_t>_MICROSECONDS_OF_DAY:
        raise decoder.damaged("a time of day is beyond the day")
    value = (_EPOCH + clock * _MICROSECOND).time()
    return value.replace(tzinfo=_zone(form, ahead), fold=form == FORM_NAIVE_FOLDED)


cdef int64_t _take_offset(ValueDecoder decoder, int form) except? -1:
    """Return how many microseconds the clock is ahead of UTC; 0 without an offset."""
    cdef int64_t ahead
    if form == FORM_NAIVE or form == FORM_NAIVE_FOLDED:
        return 0
    if form != FORM_AWARE:
        raise decoder.damaged(f"0x{form:02X} is no form of a time")
    ahead = take_zigzag(decoder)
    if not -_MICROSECONDS_OF_DAY < ahead < _MICROSECONDS_OF_DAY:
        raise decoder.damaged("a clock is a day or more ahead of UTC, or behind it")
    return ahead


cdef object _zone(int form, int64_t ahead):
    if form != FORM_AWARE:
        return None
    return _utc if ahead == 0 else _timezone(ahead * _MICROSECOND)


cdef int put_timedelta(ValueEncoder encoder, object value) except -1:
    put_byte(encoder, TAG_TIMEDELTA)
    put_zigzag(encoder, value.days)
    return put_varint(encoder, <uint64_t>(<int64_t>value.seconds * 1_000_000 + <int64_t>value.microseconds))


cdef object take_timedelta(ValueDecoder decoder):
    cdef int64_t days = take_zigzag(decoder)
    cdef uint64_t rest = take_varint(decoder)
    if not -999_999_999 <= days <= 999_999_999 or rest >= <uint64_t>_MICROSECONDS_OF_DAY:
        raise decoder.damaged("a duration is out of range")
    return _timedelta(days=days, microseconds=rest)


# --- used in both directions ---------------------------------------------------------------------------------------

cdef inline bint has_trusted_hash(object key) noexcept:
    """Return whether nobody can choose many of such keys with one hash: a salted hash, or a number that is its own."""
    cdef int64_t number = 0
    return type(key) is str or type(key) is bytes or small_int(key, &number)


cdef int exceeds_equal_hashes(list keys, Py_ssize_t most) except -1:
    """Return whether too many keys have the same hash. May run user code: `__hash__` of registered classes."""
    cdef Py_ssize_t at
    cdef list hashes = []
    if len(keys) <= most:
        return False
    for key in keys:
        if has_trusted_hash(key):
            continue
        # An int is its own hash up to 2**61 - 2.
        if type(key) is int and -_LEAST_CROWDED_HASH < key < _LEAST_CROWDED_HASH:
            continue
        hashes.append(hash(key))
    hashes.sort()
    for at in range(most, len(hashes)):
        if hashes[at] == hashes[at - most]:
            return True
    return False


cdef object overlap_error(str done, str act):
    """Return the error for a second writer or reader, such as `overlap_error("written", "write")`."""
    return StateError(
        f"saved state is {done} by two at once: another thread, or code that is called inside a {act}; "
        f"let one at a time {act}"
    )


cdef str shown_part(object content):
    """Return a short text for loaded content. Never runs user code, and never makes a long text first."""
    if type(content) is str:
        return safe_repr((<str>content)[:MOST_SHOWN])
    return safe_repr(content) if type(content) is int else f"a {type(content).__qualname__}"
