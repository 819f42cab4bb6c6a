"""The bytes of saved state: a block that grows where it is written, and a place in a block where it is read.

Each number has one form only, the shortest: bytes that are accepted are those that would be written again.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8String
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from rs_core.arguments cimport shown

from rs_core.errors import ArgumentTypeError, StateFormatError, StateLimitError

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text) noexcept
    Py_ssize_t PyUnicode_GET_LENGTH(object text) noexcept
    void* PyUnicode_DATA(object text) noexcept
    str PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors)

cdef enum:
    FIRST_ROOM_BYTES = 256


cdef class StateBuffer:
    """The bytes of saved state so far; what writes values to it derives from it. One thread at a time."""

    def __cinit__(self, *, limits, **others):
        self.max_bytes = limits.max_bytes
        self.storage = bytearray()

    cdef int reserve(self, Py_ssize_t size) except -1:
        cdef Py_ssize_t needed = self.used + size
        if needed > self.room:
            if needed > self.max_bytes:
                raise self.refusal(
                    StateLimitError, f"more than max_bytes={self.max_bytes} bytes",
                    "keep less state, or raise max_bytes of StateLimits where it is saved and where it is loaded",
                )
            needed = min(max(needed, FIRST_ROOM_BYTES, 2 * self.room), self.max_bytes)
            PyByteArray_Resize(self.storage, needed)
            self.data = PyByteArray_AS_STRING(self.storage)
            self.room = needed
        return 0

    cdef int put_byte(self, int byte) except -1:
        if self.used >= self.room:
            self.reserve(1)
        self.data[self.used] = <char>byte
        self.used += 1
        return 0

    cdef int put_bytes(self, const char* source, Py_ssize_t size) except -1:
        if size:
            self.reserve(size)
            memcpy(self.data + self.used, source, size)
            self.used += size
        return 0

    cdef int put_varint(self, uint64_t number) except -1:
        while number >= 0x80:
            self.put_byte(<int>(number & 0x7F) | 0x80)
            number >>= 7
        return self.put_byte(<int>number)

    cdef int put_zigzag(self, int64_t number) except -1:
        # Small numbers of either sign become short: 0, -1, 1, -2 are 0, 1, 2, 3.
        return self.put_varint((<uint64_t>number << 1) ^ (<uint64_t>0 - <uint64_t>(number < 0)))

    cdef int put_fixed64(self, uint64_t number) except -1:
        self.reserve(8)
        self.used += 8
        return self.patch64(self.used - 8, number)

    cdef int patch64(self, Py_ssize_t at, uint64_t number) except -1:
        """Write 8 bytes, little endian, over some that are there."""
        cdef int index
        for index in range(8):
            self.data[at + index] = <char>(number & 0xFF)
            number >>= 8
        return 0

    cdef int put_sized(self, bytes content) except -1:
        self.put_varint(<uint64_t>PyBytes_GET_SIZE(content))
        return self.put_bytes(PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content))

    cdef int put_text(self, str text) except -1:
        if PyUnicode_IS_COMPACT_ASCII(text):
            self.put_varint(<uint64_t>PyUnicode_GET_LENGTH(text))
            return self.put_bytes(<const char*>PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text))
        try:
            return self.put_sized(PyUnicode_AsUTF8String(text))
        except UnicodeEncodeError:  # half a surrogate pair, as in file names that are no UTF-8
            return self.put_sized(text.encode("utf-8", "surrogatepass"))

    cdef bytes taken(self, Py_ssize_t start):
        """Take out what was appended from a position on."""
        encoded = PyBytes_FromStringAndSize(self.data + start, self.used - start)
        self.used = start
        return encoded

    cdef object refusal(self, object error_class, str what, str remedy):
        location = str(self.where)
        error = error_class(f"{location}: {what}; {remedy}")
        error.location = location
        return error


cdef class StateCursor:
    """A place in saved state; what reads values from it derives from it. One thread at a time.

    Args:
        source: The bytes, or anything with a buffer, which is copied.
        limits: A StateLimits; `max_bytes` bounds the source.

    Raises:
        ArgumentTypeError: The source is neither bytes nor anything with a buffer.
        StateLimitError: It is larger than the limits allow.
    """

    def __cinit__(self, source, *, limits, **others):
        if type(source) is not bytes:
            try:
                source = bytes(memoryview(source))
            except TypeError as error:
                raise ArgumentTypeError(
                    f"saved state is bytes, got {shown(source)} ({type(source).__name__}); pass what was saved"
                ) from error
        self.source = <bytes>source
        self.data = <const unsigned char*>PyBytes_AS_STRING(self.source)
        self.end = PyBytes_GET_SIZE(self.source)
        self.where = "saved state"
        if self.end > limits.max_bytes:
            raise self.refusal(
                StateLimitError, f"{self.end} bytes, more than max_bytes={limits.max_bytes}",
                "raise max_bytes of StateLimits, if they come from where you expect",
            )

    cdef int take_byte(self) except -1:
        if self.position >= self.end:
            raise self.damaged("the bytes end within a value")
        self.position += 1
        return self.data[self.position - 1]

    cdef const char* take_bytes(self, Py_ssize_t size) except NULL:
        """Return where so many bytes begin, and step over them."""
        if size > self.end - self.position:
            raise self.damaged(f"{size} bytes should follow, and there are {self.end - self.position}")
        self.position += size
        return <const char*>self.data + self.position - size

    cdef uint64_t take_fixed64(self) except? 0:
        cdef const unsigned char* at = <const unsigned char*>self.take_bytes(8)
        cdef uint64_t number = 0
        cdef int index
        for index in range(7, -1, -1):
            number = number << 8 | at[index]
        return number

    cdef uint64_t take_varint(self) except? 0:
        cdef uint64_t number = 0
        cdef int shift = 0, byte
        while True:
            byte = self.take_byte()
            if shift == 63 and byte > 1:
                raise self.damaged("a number has more than 64 bits")
            number |= <uint64_t>(byte & 0x7F) << shift
            if byte < 0x80:
                if byte == 0 and shift:
                    raise self.damaged("a number is longer than it has to be")
                return number
            shift += 7

    cdef int64_t take_zigzag(self) except? 0:
        cdef uint64_t number = self.take_varint()
        return <int64_t>((number >> 1) ^ (<uint64_t>0 - (number & 1)))

    cdef Py_ssize_t take_count(self) except -1:
        """Return a length or a count, which the bytes that are left can hold: each thing takes one at least."""
        cdef uint64_t count = self.take_varint()
        if count > <uint64_t>(self.end - self.position):
            raise self.damaged(f"{count} bytes or values should follow, and {self.end - self.position} bytes are left")
        return <Py_ssize_t>count

    cdef str take_text(self):
        cdef Py_ssize_t size = self.take_count()
        cdef const char* text = self.take_bytes(size)
        try:
            return PyUnicode_DecodeUTF8(text, size, "surrogatepass")
        except UnicodeDecodeError as error:
            raise self.damaged(f"a text is no UTF-8 ({error.reason})") from error

    cdef object refusal(self, object error_class, str what, str remedy):
        location = f"{self.where}, byte {self.position}"
        error = error_class(f"{location}: {what}; {remedy}")
        error.location = location
        return error

    cdef object damaged(self, str what):
        """Return the error for bytes that no writer of this format has written."""
        return self.refusal(
            StateFormatError, what,
            "they are damaged, or no saved state of this format: load an older checkpoint, or begin without state",
        )
