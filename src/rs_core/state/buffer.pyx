"""The bytes of saved state: a block that grows where it is written, and a place in a block where it is read.

Each number has one form only, the shortest: bytes that are accepted are those that would be written again.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_Resize
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8String
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from rs_core.interp.arguments cimport shown
from rs_core.interp.object_handoff cimport owned

from rs_core.errors import ArgumentTypeError, StateFormatError, StateLimitError

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text) noexcept
    Py_ssize_t PyUnicode_GET_LENGTH(object text) noexcept
    void* PyUnicode_DATA(object text) noexcept
    PyObject* PyUnicode_DecodeUTF8(const char* data, Py_ssize_t size, const char* errors) noexcept
    void PyErr_Clear() noexcept

cdef enum:
    FIRST_ROOM_BYTES = 256


cdef class StateBuffer:
    """The bytes of saved state so far; what writes values to it derives from it. One thread at a time."""

    def __cinit__(self, *, limits, **others):
        self.max_bytes = limits.max_bytes
        self.storage = bytearray()

    cdef int reserve(self, Py_ssize_t size) except -1:
        """Make room for more bytes; a few beyond the limit, which check_size() looks at."""
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

    cdef object too_large(self):
        return self.refusal(
            StateLimitError, f"more than max_bytes={self.max_bytes} bytes",
            "keep less state, or raise max_bytes of StateLimits where it is saved and where it is loaded",
        )

    cdef int put_bytes(self, const char* source, Py_ssize_t size) except -1:
        room_for(self, size)
        memcpy(self.data + self.used, source, size)
        self.used += size
        return 0

    cdef int put_sized(self, bytes content) except -1:
        put_varint(self, <uint64_t>PyBytes_GET_SIZE(content))
        return self.put_bytes(PyBytes_AS_STRING(content), PyBytes_GET_SIZE(content))

    cdef int put_text(self, str text) except -1:
        cdef Py_ssize_t size
        if not PyUnicode_IS_COMPACT_ASCII(text):
            return self.put_other_text(text)
        size = PyUnicode_GET_LENGTH(text)
        put_varint(self, <uint64_t>size)
        return self.put_bytes(<const char*>PyUnicode_DATA(text), size)

    cdef int put_other_text(self, str text) except -1:
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
        source: The bytes, or anything with a buffer, which is copied unless it is too large.
        limits: A StateLimits; `max_bytes` bounds the source.

    Raises:
        ArgumentTypeError: The source is neither bytes nor anything with a buffer.
        StateLimitError: It is larger than the limits allow.
    """

    def __cinit__(self, source, *, limits, **others):
        self.where = "saved state"
        if type(source) is bytes:
            self.check_size(PyBytes_GET_SIZE(source), limits.max_bytes)
            self.source = <bytes>source
        else:
            try:
                view = memoryview(source)
            except TypeError as error:
                raise ArgumentTypeError(
                    f"saved state is bytes, got {shown(source)} ({type(source).__name__}); pass what save_tree(), "
                    f"SnapshotWriter.finish() or encode_value() returned"
                ) from error
            with view:
                self.check_size(view.nbytes, limits.max_bytes)  # first: what is too large is not copied
                self.source = bytes(view)
        self.data = <const unsigned char*>PyBytes_AS_STRING(self.source)
        self.end = PyBytes_GET_SIZE(self.source)

    cdef int check_size(self, Py_ssize_t size, Py_ssize_t most) except -1:
        if size > most:
            raise self.refusal(
                StateLimitError, f"{size} bytes, more than max_bytes={most}",
                "raise max_bytes of StateLimits, if they come from where you expect",
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

    cdef str take_text(self):
        cdef Py_ssize_t size = take_count(self)
        cdef const char* text = take_bytes(self, size)
        cdef PyObject* decoded = PyUnicode_DecodeUTF8(text, size, NULL)
        if decoded is NULL:
            PyErr_Clear()
            return self.take_other_text(text, size)
        return <str>owned(decoded)

    cdef str take_other_text(self, const char* text, Py_ssize_t size):
        try:
            return PyBytes_FromStringAndSize(text, size).decode("utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise self.damaged(f"a text is no UTF-8 ({error.reason})") from error

    cdef int cut_off(self, Py_ssize_t size) except -1:
        if size == 1:
            raise self.damaged("the bytes end within a value")
        raise self.damaged(f"{size} bytes should follow, and there are {self.end - self.position}")

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


cdef Py_ssize_t take_count(StateCursor cursor) except -1:
    """Return a length or a count, which the bytes that are left can hold: each thing takes one at least."""
    cdef uint64_t count = take_varint(cursor)
    cdef Py_ssize_t left = cursor.end - cursor.position
    if count > <uint64_t>left:
        raise cursor.damaged(f"{count} bytes or values should follow, and {left} bytes are left")
    return <Py_ssize_t>count
