# The bytes of saved state: a block that grows where it is written, and a place in a block where it is read.

from libc.stdint cimport int64_t, uint32_t, uint64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef enum:
    MOST_NUMBER_BYTES = 10   # of a varint; also more than a fixed number takes


cdef class StateBuffer:
    # The bytes so far are the first `used` of `room` at `data`, which is the inside of `storage`. Nobody else has it.
    # Room is made for the longest form of a number, so a few bytes too many are seen behind a value only.
    cdef bytearray storage
    cdef char* data
    cdef Py_ssize_t used, room, max_bytes
    cdef object where                    # its text begins each message

    cdef int put_bytes(self, const char* source, Py_ssize_t size) except -1
    cdef int put_sized(self, bytes content) except -1
    cdef int put_text(self, str text) except -1
    cdef int put_other_text(self, str text) except -1
    cdef bytes taken(self, Py_ssize_t start)
    cdef int reserve(self, Py_ssize_t size) except -1
    cdef int check_size(self) except -1
    cdef object too_large(self)
    cdef object refusal(self, object error_class, str what, str remedy)


cdef class StateCursor:
    cdef bytes source                    # kept alive; `data` is the inside of it
    cdef const unsigned char* data
    cdef Py_ssize_t position, end        # what may be read: from position to before end
    cdef object where                    # its text begins each message

    cdef int check_size(self, Py_ssize_t size, Py_ssize_t most) except -1
    cdef uint64_t take_long_varint(self) except? 0
    cdef str take_text(self)
    cdef str take_other_text(self, const char* text, Py_ssize_t size)
    cdef int cut_off(self, Py_ssize_t size) except -1
    cdef object refusal(self, object error_class, str what, str remedy)
    cdef object damaged(self, str what)


# --- writing: each makes room, then appends -------------------------------------------------------------------------

cdef inline int room_for(StateBuffer buffer, Py_ssize_t size) except -1:
    return buffer.reserve(size) if size > buffer.room - buffer.used else 0


cdef inline int put_byte(StateBuffer buffer, int byte) except -1:
    room_for(buffer, MOST_NUMBER_BYTES)
    buffer.data[buffer.used] = <char>byte
    buffer.used += 1
    return 0


cdef inline void store64(char* at, uint64_t number) noexcept:
    """Write 8 bytes, the lowest first, whatever the order of this machine."""
    cdef int index
    for index in range(8):
        at[index] = <char>(number >> 8 * index & 0xFF)


cdef inline int put_fixed64(StateBuffer buffer, uint64_t number) except -1:
    room_for(buffer, MOST_NUMBER_BYTES)
    store64(buffer.data + buffer.used, number)
    buffer.used += 8
    return 0


cdef inline int put_fixed32(StateBuffer buffer, uint32_t number) except -1:
    room_for(buffer, MOST_NUMBER_BYTES)
    store64(buffer.data + buffer.used, number)
    buffer.used += 4
    return 0


cdef inline int put_varint(StateBuffer buffer, uint64_t number) except -1:
    """Append seven bits a byte, the lowest first; a set eighth bit says that more follow."""
    room_for(buffer, MOST_NUMBER_BYTES)
    while number >= 0x80:
        buffer.data[buffer.used] = <char>(number & 0x7F | 0x80)
        buffer.used += 1
        number >>= 7
    buffer.data[buffer.used] = <char>number
    buffer.used += 1
    return 0


cdef inline int put_zigzag(StateBuffer buffer, int64_t number) except -1:
    # Small numbers of either sign become short: 0, -1, 1, -2 are 0, 1, 2, 3.
    return put_varint(buffer, (<uint64_t>number << 1) ^ (<uint64_t>0 - <uint64_t>(number < 0)))


# --- reading: each looks whether there is enough, then steps over it --------------------------------------------------

cdef inline int take_byte(StateCursor cursor) except -1:
    if cursor.position >= cursor.end:
        cursor.cut_off(1)
    cursor.position += 1
    return cursor.data[cursor.position - 1]


cdef inline const char* take_bytes(StateCursor cursor, Py_ssize_t size) except NULL:
    """Return where so many bytes begin, and step over them."""
    if size > cursor.end - cursor.position:
        cursor.cut_off(size)
    cursor.position += size
    return <const char*>cursor.data + cursor.position - size


cdef inline uint64_t loaded(const char* at, int size) noexcept:
    """Read a number of so many bytes, the lowest first, whatever the order of this machine."""
    cdef uint64_t number = 0
    cdef int index
    for index in range(size):
        number |= <uint64_t><unsigned char>at[index] << 8 * index
    return number


cdef inline uint64_t take_fixed64(StateCursor cursor) except? 0:
    return loaded(take_bytes(cursor, 8), 8)


cdef inline uint32_t take_fixed32(StateCursor cursor) except? 0:
    return <uint32_t>loaded(take_bytes(cursor, 4), 4)


cdef inline uint64_t take_varint(StateCursor cursor) except? 0:
    cdef int byte = take_byte(cursor)
    if byte < 0x80:
        return <uint64_t>byte
    cursor.position -= 1
    return cursor.take_long_varint()


cdef inline int64_t take_zigzag(StateCursor cursor) except? 0:
    cdef uint64_t number = take_varint(cursor)
    return <int64_t>((number >> 1) ^ (<uint64_t>0 - (number & 1)))


cdef Py_ssize_t take_count(StateCursor cursor) except -1
