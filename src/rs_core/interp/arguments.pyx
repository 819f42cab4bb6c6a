"""Reads numbers that a user passes, and shows rejected values in messages."""

from cpython.number cimport PyIndex_Check, PyNumber_Index
from libc.stdint cimport INT64_MAX, int64_t

from rs_core.errors import ArgumentError, ArgumentTypeError

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object n, int* overflow) except? -1

cdef enum:
    MAX_REPR_CHARACTERS = 80   # the length of a rejected value in a message


cdef int64_t as_clamped_int64(object n) except? -1:
    """Return an integer as int64, clamped to +-(2**63 - 1): never INT64_MIN, which means "cancelled" to a demand.

    May run user code: `__index__` of n; its exception propagates.
    """
    cdef int overflow = 0
    cdef int64_t clamped = PyLong_AsLongLongAndOverflow(n if type(n) is int else PyNumber_Index(n), &overflow)
    if overflow > 0:
        return INT64_MAX
    if overflow < 0 or clamped < -INT64_MAX:
        return -INT64_MAX
    return clamped


cdef int64_t as_count(object n, str name, int64_t lowest, int64_t highest) except? -1:
    """Return a count from lowest to highest, or raise an ArgumentError or ArgumentTypeError."""
    # A bool is an int only by inheritance: as a size or a limit it is a mistake.
    if type(n) is bool or not PyIndex_Check(n):
        raise ArgumentTypeError(
            f"{name} needs an integer, got {safe_repr(n)} ({type(n).__name__}); pass a count from {lowest} to {highest}"
        )
    cdef int64_t count = as_clamped_int64(n)
    if not lowest <= count <= highest:
        raise ArgumentError(
            f"{name} needs {lowest} to {highest} elements, got {safe_repr(n)}; pass a count within these bounds"
        )
    return count


cdef str safe_repr(object rejected):
    """Return a short repr that cannot fail. Runs user code: the `__repr__` of the rejected value."""
    cdef str text
    try:
        text = repr(rejected)
    except Exception:   # also int: repr() refuses more digits than sys.get_int_max_str_digits()
        if isinstance(rejected, int):
            return f"{'-' if rejected < 0 else ''}2**{rejected.bit_length() - 1} or beyond"
        return f"<{type(rejected).__name__} without a working repr>"
    return text if len(text) <= MAX_REPR_CHARACTERS else f"{text[: MAX_REPR_CHARACTERS - 3]}..."
