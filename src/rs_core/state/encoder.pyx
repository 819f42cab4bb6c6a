"""Values to bytes. What is equal in type and content becomes equal bytes, in every process.

Depth: containers recurse, as deep as `max_depth` of StateLimits allows, which is 256 at most.
"""

import datetime
import decimal
import uuid

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint64_t

from rs_core.interp.arguments cimport shown, small_int
from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.state.buffer cimport StateBuffer, put_byte, put_varint, put_zigzag
from rs_core.state.codec cimport (
    DATACLASS, ERROR, FLAG, StateKind, TAG_BYTES, TAG_DICT, TAG_ERROR, TAG_FALSE, TAG_FROZENSET, TAG_INT, TAG_LIST,
    TAG_NONE, TAG_SET, TAG_STR, TAG_TRUE, TAG_TUPLE, TAG_UUID, error_kind, error_message, exceeds_equal_hashes,
    overlap_error,
)
from rs_core.state.scalars cimport (
    put_big_int, put_date, put_datetime, put_decimal, put_float, put_time, put_timedelta,
)

from rs_core.errors import StateError, StateLimitError, StateTypeError

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object n, int* overflow) except? -1

__all__ = ["ValueEncoder"]

cdef object _Decimal = decimal.Decimal, _UUID = uuid.UUID
cdef object _datetime = datetime.datetime, _date = datetime.date, _time = datetime.time
cdef object _timedelta = datetime.timedelta


@cython.final
cdef class ValueEncoder(StateBuffer):
    """Writes values one behind the other into a growing block of bytes.

    Args:
        kinds: The registered classes, a dict of StateKind by class.
        limits: A StateLimits.

    Threads: one at a time; a second one, or user code that is called from inside, is refused.
    """

    def __cinit__(self, *, dict kinds not None, limits):
        self.kinds = kinds
        self.max_values = limits.max_values
        self.max_depth = limits.max_depth
        self.max_number_bytes = limits.max_number_bytes
        self.max_equal_hashes = limits.max_equal_hashes
        self.busy.store(0, memory_order_relaxed)  # relaxed: no other thread knows this object yet

    def encode(self, value, /) -> bytes:
        """Return the bytes of a single value. Runs user code: `utcoffset` of time zones, `__str__` of exceptions.

        Raises:
            StateTypeError: A class is none of the format's and was not registered.
            StateLimitError: It is larger or deeper than the limits allow.
            StateError: It contains itself, or changes while it is written, or is a flag with bits that no member has.
        """
        cdef Py_ssize_t start = self.used
        self.values = 0
        self.put_value(value, "value")
        return self.taken(start)

    cdef int put_value(self, object value, object where) except -1:
        """Append a value; where that fails, nothing was appended."""
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
                error.add_note(f"while the state was saved: {where}")  # what user code raised keeps its class
            raise
        finally:
            self.where = None
            self.end_write()
        return 0

    cdef int begin_write(self) except -1:
        """Keep everybody else from writing, until end_write()."""
        # acquire: pairs with the release in end_write(); what the last writer wrote is seen
        if self.busy.exchange(1, memory_order_acquire):
            raise overlap_error("written", "write")
        return 0

    cdef void end_write(self) noexcept:
        self.busy.store(0, memory_order_release)  # release: pairs with the acquire in begin_write()

    cdef int require_idle(self) except -1:
        """Refuse what user code wants from inside of a write."""
        # acquire: as in begin_write()
        if self.busy.load(memory_order_acquire):
            raise overlap_error("written", "write")
        return 0

    # --- values -------------------------------------------------------------------------------------------------

    cdef int put(self, object value, int depth) except -1:
        cdef int64_t number = 0
        self.values += 1
        if self.values > self.max_values:
            raise self.refusal(
                StateLimitError, f"more than max_values={self.max_values} values in one record",
                "keep less state, or raise max_values of StateLimits where it is saved and where it is loaded",
            )
        if small_int(value, &number):
            put_byte(self, TAG_INT)
            return put_zigzag(self, number)
        if value is None:
            return put_byte(self, TAG_NONE)
        # By the exact class: what a subclass adds would be lost, and another class would come back.
        kind = type(value)
        if kind is str:
            put_byte(self, TAG_STR)
            return self.put_text(<str>value)
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
            return self.put_bytes(PyBytes_AS_STRING(<bytes?>value.bytes), 16)
        if kind is _date:
            return put_date(self, value)
        if kind is _time:
            return put_time(self, value)
        if isinstance(value, Exception):
            return self.put_error(value, error_kind(value))
        raise self.unknown_kind(value)

    cdef int put_int(self, object value) except -1:
        cdef int overflow = 0
        cdef int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow:
            return put_big_int(self, value, self.max_number_bytes)
        put_byte(self, TAG_INT)
        return put_zigzag(self, number)

    # --- containers ---------------------------------------------------------------------------------------------

    cdef int enter(self, object container, int depth) except -1:
        """Take notice of a container around the values that come next."""
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
        put_byte(self, TAG_LIST)
        put_varint(self, count)
        for element in value:
            self.put(element, depth + 1)
            seen += 1
        if seen != count:
            raise self.changed_meanwhile(value)
        return 0

    cdef int put_tuple(self, tuple value, int depth) except -1:
        self.enter(value, depth)
        put_byte(self, TAG_TUPLE)
        put_varint(self, <uint64_t>len(value))
        for element in value:
            self.put(element, depth + 1)
        return 0

    cdef int put_dict(self, dict value, int depth) except -1:
        cdef list pairs = list(value.items())
        self.enter(value, depth)
        self.check_hashes([pair[0] for pair in pairs] if len(pairs) > self.max_equal_hashes else [])
        put_byte(self, TAG_DICT)
        put_varint(self, <uint64_t>len(pairs))
        # In their order, which a program can see and therefore rely on.
        for key, element in pairs:
            self.put(key, depth + 1)
            self.put(element, depth + 1)
        if len(value) != len(pairs):
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
            pieces.append(self.taken(start))
        if len(value) != len(pieces):
            raise self.changed_meanwhile(value)
        # A set has no order that two processes share, so theirs is that of the bytes.
        pieces.sort()
        for piece in pieces:
            self.put_bytes(PyBytes_AS_STRING(<bytes>piece), PyBytes_GET_SIZE(<bytes>piece))
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

    # --- classes of the user --------------------------------------------------------------------------------------

    cdef int put_kind(self, StateKind kind, object value, int depth) except -1:
        cdef Py_ssize_t index
        if kind.category == ERROR:
            return self.put_error(value, kind.name)
        self.put_bytes(PyBytes_AS_STRING(kind.heading), PyBytes_GET_SIZE(kind.heading))
        if kind.category == FLAG:
            number = int(value._value_)
            if not kind.has_bits(number):
                raise self.refusal(
                    StateError, f"{shown(number)} has bits that no member of {kind.kind.__qualname__} has",
                    "save the number itself, or name all bits in the class",
                )
            return self.put(number, depth + 1)
        if kind.category != DATACLASS:
            return self.put(value._name_, depth + 1)
        self.enter(value, depth)
        for index in range(len(kind.fields)):
            heading = <bytes>kind.field_headings[index]
            self.put_bytes(PyBytes_AS_STRING(heading), PyBytes_GET_SIZE(heading))
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

    # --- refusals -------------------------------------------------------------------------------------------------

    cdef object unknown_kind(self, object value):
        kind = type(value)
        return self.refusal(
            StateTypeError, f"a value of class {kind.__module__}.{kind.__qualname__} cannot be saved",
            "save what it consists of, or register the class, if it is a dataclass, an enumeration or an exception",
        )
