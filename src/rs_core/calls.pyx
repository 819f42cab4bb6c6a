"""The exception that a call of the hot path left behind; the calls themselves are in calls.h."""


cdef int _reraise() except -1:
    return -1


cdef object caught():
    """Return the exception that is set, and clear it."""
    require_exception()
    try:
        _reraise()
    except BaseException as error:
        return error
