"""Bytes to values. Nothing that the bytes name is imported or called; what is accepted would be written again as it is.

Depth: containers recurse, as deep as `max_depth` of StateLimits allows, which is 256 at most.
"""

import uuid

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.object cimport PyObject_GenericSetAttr
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcmp

from rs_core.interp.arguments cimport shown
from rs_core.sync.atomics cimport memory_order_acquire, memory_order_relaxed, memory_order_release
from rs_core.state.buffer cimport StateCursor, take_byte, take_bytes, take_count, take_varint, take_zigzag
from rs_core.state.codec cimport (
    DATACLASS, ERROR, StateKind, TAG_BIG_INT, TAG_BYTES, TAG_DATE, TAG_DATETIME, TAG_DECIMAL, TAG_DICT, TAG_ENUM,
    TAG_ERROR, TAG_FALSE, TAG_FLOAT, TAG_FROZENSET, TAG_INT, TAG_LIST, TAG_NONE, TAG_OBJECT, TAG_RECORD, TAG_SET,
    TAG_STR, TAG_TIME, TAG_TIMEDELTA, TAG_TRUE, TAG_TUPLE, TAG_UUID, error_class, exceeds_equal_hashes,
    overlap_error,
)
from rs_core.state.scalars cimport (
    take_big_int, take_date, take_datetime, take_decimal, take_float, take_time, take_timedelta,
)
from rs_core.interp.tuple_filling cimport begin_tuple, fill_place, finish_tuple

from rs_core.errors import RecoveredError, StateError, StateFormatError, StateLimitError

__all__ = ["ValueDecoder"]

cdef object _UUID = uuid.UUID, _new_object = object.__new__

cdef enum:
    FEW = 16          # values, for which room is made at once
    MOST_SHOWN = 100  # characters of a loaded text; an error shows fewer


@cython.final
cdef class ValueDecoder(StateCursor):
    """Reads the values that a ValueEncoder wrote, one behind the other.

    Args:
        source: The bytes.
        kinds: The registered classes, a dict of StateKind by name.
        limits: A StateLimits.

    Threads: one at a time; a second one, or user code that is called from inside, is refused.
    """

    def __cinit__(self, source, *, dict kinds not None, limits):
        self.kinds = kinds
        self.max_values = limits.max_values
        self.max_depth = limits.max_depth
        self.max_number_bytes = limits.max_number_bytes
        self.max_equal_hashes = limits.max_equal_hashes
        self.busy.store(0, memory_order_relaxed)  # relaxed: no other thread knows this object yet

    def decode(self):
        """Return the single value that the bytes are. Runs user code of registered classes, as StateReader.read() says.

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
        """Take the next value."""
        # acquire: pairs with the release below; what the last reader wrote is seen
        if self.busy.exchange(1, memory_order_acquire):
            raise overlap_error("read", "read")
        self.where = where
        try:
            return self.take(0)
        finally:
            self.where = None
            self.busy.store(0, memory_order_release)  # release: see above

    cdef int require_idle(self) except -1:
        """Refuse what user code wants from inside of a read."""
        # acquire: as in take_value()
        if self.busy.load(memory_order_acquire):
            raise overlap_error("read", "read")
        return 0

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
            return self.take_values(depth)
        if tag == TAG_DICT:
            return self.take_dict(depth)
        if tag == TAG_BYTES:
            size = take_count(self)
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
        self.position -= 1
        if tag == TAG_RECORD:
            raise self.refusal(
                StateFormatError, "a child record stands here, no value",
                "read it with create_child(), as it was written",
            )
        raise self.damaged(f"0x{tag:02X} begins no value")

    cdef object too_many(self):
        return self.refusal(
            StateLimitError, f"more than max_values={self.max_values} values in one record",
            "raise max_values of StateLimits, if the bytes come from where you expect",
        )

    # --- containers -----------------------------------------------------------------------------------------------

    cdef int enter(self, int depth) except -1:
        if depth >= self.max_depth:
            raise self.refusal(
                StateLimitError, f"containers nested deeper than max_depth={self.max_depth}",
                "raise max_depth of StateLimits, if the bytes come from where you expect",
            )
        return 0

    cdef list take_values(self, int depth):
        self.enter(depth)
        return self.values_behind(take_count(self), depth)

    cdef list values_behind(self, Py_ssize_t count, int depth):
        cdef list values = []  # grows as values are found: a count alone may not ask for memory
        for _ in range(count):
            values.append(self.take(depth + 1))
        return values

    cdef tuple take_tuple(self, int depth):
        cdef Py_ssize_t count, index
        cdef tuple values
        cdef bint is_for_collector = False
        self.enter(depth)
        count = take_count(self)
        if count > FEW:
            return tuple(self.values_behind(count, depth))
        if count == 0:
            return ()
        values = begin_tuple(count)
        for index in range(count):
            is_for_collector |= fill_place(values, index, self.take(depth + 1))
        finish_tuple(values, is_for_collector)
        return values

    cdef object take_dict(self, int depth):
        cdef Py_ssize_t count, index
        cdef list keys = [], values = []
        cdef dict pairs = {}
        self.enter(depth)
        count = take_count(self)
        for _ in range(count):
            keys.append(self.take(depth + 1))
            values.append(self.take(depth + 1))
        try:
            self.check_hashes(keys)
            for index in range(count):
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
        count = take_count(self)
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
        """Return whether some bytes sort before others."""
        cdef int order = memcmp(self.data + left, self.data + right, min(left_size, right_size))
        return order < 0 or (order == 0 and left_size < right_size)

    cdef int check_hashes(self, list keys) except -1:
        if exceeds_equal_hashes(keys, self.max_equal_hashes):
            raise self.refusal(
                StateLimitError, f"more than max_equal_hashes={self.max_equal_hashes} keys with the same hash",
                "raise max_equal_hashes of StateLimits, if the bytes come from where you expect",
            )
        return 0

    # --- classes of the user --------------------------------------------------------------------------------------

    cdef StateKind take_kind(self, bint is_object, int64_t* version):
        """Return the registered class that is named next, and the version of what follows."""
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
                raise self.unusable(kind, f"migrate returned {shown(fields)} for version {version}")
            values = [fields[name] for name in kind.fields]
        # By its fields alone: neither its __init__ nor its __post_init__ is called, nor a __setattr__ of its own.
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
        if take_count(self) != len(kind.fields):
            raise self.unusable(kind, "it has more or fewer fields")
        for heading in kind.field_headings:
            size = len(<bytes>heading)
            if memcmp(take_bytes(self, size), <const char*><bytes>heading, size):
                raise self.unusable(kind, "its fields have other names or another order")
            values.append(self.take(depth + 1))
        return values

    cdef dict take_old_fields(self, int depth):
        cdef Py_ssize_t count = take_count(self)
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
        error = self.made_error(kind, message)
        try:
            if getattr(error, "rule", None) != rule:
                error.rule = rule
        except Exception as failure:
            raise self.refusal(
                StateError, f"the rule of {shown_part(kind)} cannot be set: {type(failure).__name__}",
                "let its class take the attribute rule, or do not register it",
            ) from failure
        count = take_count(self)
        self.values += count
        if self.values > self.max_values:
            raise self.too_many()
        for _ in range(count):
            error.add_note(self.take_text())
        return error

    cdef object made_error(self, str kind, str message):
        cdef StateKind registered
        known = error_class(kind)
        if known is not None:
            return known(message)
        registered = self.kinds.get(kind)
        if registered is None or registered.category != ERROR:
            return RecoveredError(message, kind=kind)
        error = registered.kind.__new__(registered.kind)  # its __init__ may want anything, and is not called
        error.args = (message,)
        return error

    cdef object unusable(self, StateKind kind, str what):
        return self.refusal(
            StateError, f"a value of {kind.name!r} is not one of {kind.kind.__qualname__}: {what}",
            "register the class with a higher version and migrate=, a function that makes it of what was saved",
        )


cdef str shown_part(object content):
    """Return a short text for what was loaded. Never runs user code, nor makes a long text first."""
    if type(content) is str:
        return shown((<str>content)[:MOST_SHOWN])
    return shown(content) if type(content) is int else f"a {type(content).__qualname__}"
