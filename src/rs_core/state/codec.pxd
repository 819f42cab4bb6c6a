# What the two directions of the format of saved state have in common: its tags, and the classes that take part.

from libc.stdint cimport int64_t

cdef extern from "abi.h":   # what cimports this is checked when it is imported
    pass

cdef enum:
    HIGHEST_DEPTH = 256      # of state/limits.py, which a test compares

# One byte in front of each value. All are printable, so that a dump can be read.
cdef enum Tag:
    TAG_NONE = 0x4E          # N
    TAG_TRUE = 0x54          # T
    TAG_FALSE = 0x46         # F
    TAG_INT = 0x69           # i: zigzag varint, 64 bits
    TAG_BIG_INT = 0x49       # I: length, two's complement, little endian
    TAG_FLOAT = 0x66         # f: 8 bytes, IEEE 754, little endian
    TAG_DECIMAL = 0x44       # D: length, text
    TAG_STR = 0x73           # s: length, UTF-8
    TAG_BYTES = 0x62         # b: length, bytes
    TAG_DATETIME = 0x64      # d: form, microseconds since 1970, and the offset where it is aware
    TAG_DATE = 0x61          # a: days since 1970
    TAG_TIME = 0x63          # c: form, microseconds since midnight, and the offset where it is aware
    TAG_TIMEDELTA = 0x70     # p: days, microseconds
    TAG_UUID = 0x75          # u: 16 bytes
    TAG_LIST = 0x5B          # [: count, values
    TAG_TUPLE = 0x28         # (: count, values
    TAG_DICT = 0x7B          # {: count, pairs of key and value in their order
    TAG_SET = 0x3C           # <: count, values in the order of their bytes
    TAG_FROZENSET = 0x3E     # >: the same
    TAG_ENUM = 0x65          # e: name, version, name or number of the member
    TAG_OBJECT = 0x6F        # o: name, version, count, pairs of field name and value
    TAG_ERROR = 0x78         # x: kind, message, rule, notes
    TAG_RECORD = 0x72        # r: a child record: length as int64, payload

# How a datetime or a time is meant.
cdef enum TimeForm:
    FORM_NAIVE = 0
    FORM_AWARE = 1
    FORM_NAIVE_FOLDED = 2    # the second of two equal readings of a clock that was set back

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
    cdef readonly tuple fields           # of a dataclass, their names
    cdef Category category
    cdef bytes heading                   # of a value: tag, name, version and, for a dataclass, the count of its fields
    cdef tuple field_headings            # of a dataclass: each name with its length
    cdef object flag_bits                # of a flag: all bits that its members have

    cdef object member(self, object content)
    cdef bint has_bits(self, object number) except -1


cdef str error_kind(object error)
cdef object error_class(str kind)
cdef str error_message(object error)
cdef int exceeds_equal_hashes(list keys, Py_ssize_t most) except -1
cdef str record_text(int64_t index, object name, object path)
cdef object overlap_error(str done, str act)
