# Numbers and times in saved state, in both directions. What is put comes with its tag; what is taken, behind it.

from rs_core.state.buffer cimport StateBuffer, StateCursor

cdef int put_float(StateBuffer buffer, double value) except -1
cdef int put_big_int(StateBuffer buffer, object value, Py_ssize_t most_bytes) except -1
cdef int put_decimal(StateBuffer buffer, object value, Py_ssize_t most_characters) except -1
cdef int put_datetime(StateBuffer buffer, object value) except -1
cdef int put_date(StateBuffer buffer, object value) except -1
cdef int put_time(StateBuffer buffer, object value) except -1
cdef int put_timedelta(StateBuffer buffer, object value) except -1

cdef object take_float(StateCursor cursor)
cdef object take_big_int(StateCursor cursor, Py_ssize_t most_bytes)
cdef object take_decimal(StateCursor cursor, Py_ssize_t most_characters)
cdef object take_datetime(StateCursor cursor)
cdef object take_date(StateCursor cursor)
cdef object take_time(StateCursor cursor)
cdef object take_timedelta(StateCursor cursor)
