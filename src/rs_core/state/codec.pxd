# Values of saved state as bytes: the constants of the format, and the two directions. The argument is in codec.pyx; the
# format itself is described in docs/explanation/saved-state.md ("The bytes").

from cpython.object cimport PyObject
from libc.stdint cimport int64_t, uint32_t, uint64_t

from rs_core.sync.atomics cimport gil_uint32

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

# One byte before each value. All are printable, so that a dump is readable.
cdef enum Tag:
    TAG_NONE = 0x4E          # N
    TAG_TRUE = 0x54          # T
    TAG_FALSE = 0x46         # F
    TAG_INT = 0x69           # i
    TAG_BIG_INT = 0x49       # I
    TAG_FLOAT = 0x66         # f
    TAG_DECIMAL = 0x44       # D
    TAG_STR = 0x73           # s
    TAG_BYTES = 0x62         # b
    TAG_DATETIME = 0x64      # d
    TAG_DATE = 0x61          # a
    TAG_TIME = 0x63          # c
    TAG_TIMEDELTA = 0x70     # p
    TAG_UUID = 0x75          # u
    TAG_LIST = 0x5B          # [
    TAG_TUPLE = 0x28         # (
    TAG_DICT = 0x7B          # {
    TAG_SET = 0x3C           # <
    TAG_FROZENSET = 0x3E     # >
    TAG_ENUM = 0x65          # e
    TAG_OBJECT = 0x6F        # o
    TAG_ERROR = 0x78         # x
    TAG_GROUP = 0x67         # g
    TAG_RECORD = 0x72        # r: not a value; records.pyx writes and reads it

cdef enum TimeForm:          # the form of a datetime or a time
    FORM_NAIVE = 0
    FORM_AWARE = 1
    FORM_NAIVE_FOLDED = 2    # the second of two equal local times after the clock was set back

cdef enum:
    MOST_NUMBER_BYTES = 10   # of a varint; also more than a fixed number needs
    HIGHEST_DEPTH = 256      # as in state/limits.py; compared by a test

cdef enum Category:
    DATACLASS = 0
    ENUM = 1
    FLAG = 2
    ERROR = 3


cdef class StateKind:
    cdef readonly object kind            # the class
    cdef readonly str name
    cdef readonly int64_t version
    cdef readonly object migrate
    cdef readonly tuple fields           # of a dataclass, the names of its fields
    cdef Category category
    cdef bytes heading                   # of a value: tag, name, version and, for a dataclass, the count of its fields
    cdef tuple field_headings            # of a dataclass: each name with its length
    cdef object flag_bits                # of a flag: all bits that its members have

    cdef int write_headings(self) except -1
    cdef object member(self, object content)
    cdef bint has_bits(self, object number) except -1


cdef class ValueEncoder:
    # The bytes so far are the first `used` of `room` at `data`, inside `storage`. No other object refers to it.
    cdef bytearray storage
    cdef char* data
    cdef Py_ssize_t used, room, max_bytes
    cdef object where                    # its text is the start of each message
    cdef Py_ssize_t max_number_bytes, max_equal_hashes
    cdef int64_t max_values, values      # values: since the record began
    cdef int max_depth
    cdef dict kinds                      # StateKind by class
    cdef object references               # to streams of groups, a GroupReferences; None: a value cannot be one
    cdef gil_uint32 busy                 # taken while user code may run inside, which could also write
    cdef PyObject* path[HIGHEST_DEPTH]   # the containers around the current value; put() holds references

    cdef int put_value(self, object value, object where) except -1
    cdef int begin_write(self) except -1
    cdef void end_write(self) noexcept
    cdef int require_idle(self) except -1

    cdef int grow(self, Py_ssize_t size) except -1
    cdef int check_size(self) except -1
    cdef int put_bytes(self, bytes content) except -1
    cdef int put_memory(self, const char* source, Py_ssize_t size) except -1
    cdef int put_sized(self, bytes content) except -1
    cdef int put_tagged_text(self, int tag, str text) except -1
    cdef int put_text(self, str text) except -1
    cdef bytes cut_from(self, Py_ssize_t start)

    cdef int put(self, object value, int depth) except -1
    cdef int put_rare(self, object value, object kind, int depth) except -1
    cdef int put_int(self, object value) except -1
    cdef int put_list(self, list value, int depth) except -1
    cdef int put_tuple(self, tuple value, int depth) except -1
    cdef int put_dict(self, dict value, int depth) except -1
    cdef int put_set(self, int tag, object value, int depth) except -1
    cdef int put_kind(self, StateKind kind, object value, int depth) except -1
    cdef int put_error(self, object error, str kind) except -1
    cdef int enter(self, object container, int depth) except -1
    cdef int check_hashes(self, list keys) except -1
    cdef object changed_meanwhile(self, object container)
    cdef object too_large(self)
    cdef object refusal(self, object error_class, str what, str remedy)


cdef class ValueDecoder:
    cdef bytes source                    # kept alive; `data` is inside it
    cdef const unsigned char* data
    cdef Py_ssize_t position, end        # what may be read: from position to before end
    cdef object where                    # its text is the start of each message
    cdef Py_ssize_t max_bytes
    cdef Py_ssize_t max_number_bytes, max_equal_hashes
    cdef int64_t max_values, values      # values: since the record began
    cdef int max_depth
    cdef dict kinds                      # StateKind by name
    cdef object references               # as in ValueEncoder
    cdef gil_uint32 busy                 # taken while user code may run inside, which could also read

    cdef int point_at(self, bytes source) except -1
    cdef object take_value(self, object where)
    cdef int require_idle(self) except -1

    cdef int check_size(self, Py_ssize_t size, Py_ssize_t most) except -1
    cdef Py_ssize_t take_count(self) except -1
    cdef uint64_t take_long_varint(self) except? 0
    cdef str take_text(self)

    cdef object take(self, int depth)
    cdef object take_rare(self, int tag, int depth)
    cdef list take_list(self, int depth)
    cdef list take_elements(self, Py_ssize_t count, int depth)
    cdef tuple take_tuple(self, int depth)
    cdef object take_dict(self, int depth)
    cdef object take_set(self, object kind, int depth)
    cdef StateKind take_kind(self, bint is_object, int64_t* version)
    cdef object take_enum(self, int depth)
    cdef object take_object(self, int depth)
    cdef list take_fields(self, StateKind kind, int depth)
    cdef dict take_old_fields(self, int depth)
    cdef object take_error(self)
    cdef object new_error(self, str kind, str message)
    cdef object migrated(self, StateKind kind, int64_t version, object content)
    cdef int enter(self, int depth) except -1
    cdef bint is_before(self, Py_ssize_t left, Py_ssize_t left_size, Py_ssize_t right, Py_ssize_t right_size) noexcept
    cdef int check_hashes(self, list keys) except -1

    cdef int cut_off(self, Py_ssize_t size) except -1
    cdef object too_many(self)
    cdef object unusable(self, StateKind kind, str what)
    cdef object damaged(self, str what)
    cdef object refusal(self, object error_class, str what, str remedy)


cdef str shown_part(object content)


# --- numbers, written: each reserves space, then appends --------------------------------------------------------------
# The space is for the longest form of a number, so the limit may be exceeded by a few bytes; check_size() checks it.

cdef inline int ensure_room(ValueEncoder encoder, Py_ssize_t size) except -1:
    return encoder.grow(size) if size > encoder.room - encoder.used else 0


cdef inline int put_byte(ValueEncoder encoder, int byte) except -1:
    ensure_room(encoder, MOST_NUMBER_BYTES)
    encoder.data[encoder.used] = <char>byte
    encoder.used += 1
    return 0


cdef inline void store64(char* at, uint64_t number) noexcept:
    """Write 8 bytes, the lowest first, on machines of any byte order."""
    cdef int index
    for index in range(8):
        at[index] = <char>(number >> 8 * index & 0xFF)


cdef inline int put_fixed64(ValueEncoder encoder, uint64_t number) except -1:
    ensure_room(encoder, MOST_NUMBER_BYTES)
    store64(encoder.data + encoder.used, number)
    encoder.used += 8
    return 0


cdef inline int put_fixed32(ValueEncoder encoder, uint32_t number) except -1:
    ensure_room(encoder, MOST_NUMBER_BYTES)
    store64(encoder.data + encoder.used, number)
    encoder.used += 4
    return 0


cdef inline char* varint_at(char* at, uint64_t number) noexcept:
    """Write seven bits per byte, the lowest first; a set eighth bit means that more follow. Return where it ends."""
    while number >= 0x80:
        at[0] = <char>(number & 0x7F | 0x80)
        at += 1
        number >>= 7
    at[0] = <char>number
    return at + 1


cdef inline int put_varint(ValueEncoder encoder, uint64_t number) except -1:
    ensure_room(encoder, MOST_NUMBER_BYTES)
    encoder.used = varint_at(encoder.data + encoder.used, number) - encoder.data
    return 0


cdef inline int put_tagged(ValueEncoder encoder, int tag, uint64_t number) except -1:
    """Append a tag and a varint."""
    cdef char* at
    ensure_room(encoder, 1 + MOST_NUMBER_BYTES)
    at = encoder.data + encoder.used
    at[0] = <char>tag
    encoder.used = varint_at(at + 1, number) - encoder.data
    return 0


cdef inline uint64_t zigzag(int64_t number) noexcept:
    """Return a number without a sign; small ones of either sign become short: 0, -1, 1, -2 are 0, 1, 2, 3."""
    return (<uint64_t>number << 1) ^ (<uint64_t>0 - <uint64_t>(number < 0))


cdef inline int put_zigzag(ValueEncoder encoder, int64_t number) except -1:
    return put_varint(encoder, zigzag(number))


# --- numbers, read: each checks the remaining length, then advances --------------------------------------------

cdef inline int take_byte(ValueDecoder decoder) except -1:
    if decoder.position >= decoder.end:
        decoder.cut_off(1)
    decoder.position += 1
    return decoder.data[decoder.position - 1]


cdef inline const char* take_bytes(ValueDecoder decoder, Py_ssize_t size) except NULL:
    """Return the start of a number of bytes, and advance over them."""
    if size > decoder.end - decoder.position:
        decoder.cut_off(size)
    decoder.position += size
    return <const char*>decoder.data + decoder.position - size


cdef inline uint64_t loaded(const char* at, int size) noexcept:
    """Read a number of a size in bytes, the lowest first, on machines of any byte order."""
    cdef uint64_t number = 0
    cdef int index
    for index in range(size):
        number |= <uint64_t><unsigned char>at[index] << 8 * index
    return number


cdef inline uint64_t take_fixed64(ValueDecoder decoder) except? 0:
    return loaded(take_bytes(decoder, 8), 8)


cdef inline uint32_t take_fixed32(ValueDecoder decoder) except? 0:
    return <uint32_t>loaded(take_bytes(decoder, 4), 4)


cdef inline uint64_t take_varint(ValueDecoder decoder) except? 0:
    cdef int byte = take_byte(decoder)
    if byte < 0x80:
        return <uint64_t>byte
    decoder.position -= 1
    return decoder.take_long_varint()


cdef inline int64_t take_zigzag(ValueDecoder decoder) except? 0:
    cdef uint64_t number = take_varint(decoder)
    return <int64_t>((number >> 1) ^ (<uint64_t>0 - (number & 1)))
