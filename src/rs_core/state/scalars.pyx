"""Numbers and times in saved state, in both directions.

A time that knows its zone comes back with its offset, not with the zone: a zone would have to be looked up by the name
that the bytes give, and could have changed its rules since.
"""

import datetime
import decimal

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from rs_core.state.buffer cimport (
    StateBuffer, StateCursor, put_byte, put_fixed64, put_varint, put_zigzag, take_byte, take_bytes, take_count,
    take_fixed64, take_varint, take_zigzag,
)
from rs_core.state.codec cimport (
    FORM_AWARE, FORM_NAIVE, FORM_NAIVE_FOLDED, TAG_BIG_INT, TAG_DATE, TAG_DATETIME, TAG_DECIMAL, TAG_FLOAT, TAG_TIME,
    TAG_TIMEDELTA,
)

from rs_core.errors import StateLimitError, StateTypeError

cdef object _Decimal = decimal.Decimal, _Context = decimal.Context, _InvalidOperation = decimal.InvalidOperation
cdef object _date = datetime.date, _timedelta = datetime.timedelta
cdef object _timezone = datetime.timezone, _utc = datetime.timezone.utc
cdef object _MICROSECOND = datetime.timedelta(microseconds=1)
cdef object _EPOCH = datetime.datetime(1970, 1, 1)
cdef int64_t _EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()
cdef int64_t _LAST_DAY = datetime.date.max.toordinal()
cdef int64_t _MICROSECONDS_OF_DAY = 24 * 60 * 60 * 1_000_000
# Ten thousand years from 1970 lies beyond every datetime, and far from the bounds of 64 bits.
cdef int64_t _BEYOND_ALL_TIMES = 10_000 * 366 * _MICROSECONDS_OF_DAY


cdef object _exact_decimals():
    """Return a context in which a Decimal and its text are the same thing, whatever the thread's context says."""
    return _Context(capitals=1, traps=[_InvalidOperation])


# --- numbers ------------------------------------------------------------------------------------------------------

cdef int put_float(StateBuffer buffer, double value) except -1:
    cdef uint64_t bits
    memcpy(&bits, &value, 8)  # so that the payload of a NaN and the sign of a zero are kept
    put_byte(buffer, TAG_FLOAT)
    return put_fixed64(buffer, bits)


cdef object take_float(StateCursor cursor):
    cdef uint64_t bits = take_fixed64(cursor)
    cdef double value
    memcpy(&value, &bits, 8)
    return value


cdef int put_big_int(StateBuffer buffer, object value, Py_ssize_t most_bytes) except -1:
    """Put an int that does not fit into 64 bits."""
    cdef Py_ssize_t size = (value if value >= 0 else ~value).bit_length() // 8 + 1  # with room for the sign
    if size > most_bytes:
        raise buffer.refusal(
            StateLimitError, f"an int of {size} bytes, more than max_number_bytes={most_bytes}",
            "raise max_number_bytes of StateLimits where it is saved and where it is loaded",
        )
    put_byte(buffer, TAG_BIG_INT)
    return buffer.put_sized(value.to_bytes(size, "little", signed=True))


cdef object take_big_int(StateCursor cursor, Py_ssize_t most_bytes):
    cdef Py_ssize_t size = take_count(cursor)
    cdef const unsigned char* digits
    if size > most_bytes:
        raise cursor.refusal(
            StateLimitError, f"an int of {size} bytes, more than max_number_bytes={most_bytes}",
            "raise max_number_bytes of StateLimits, if the bytes come from where you expect",
        )
    if size <= 8:
        raise cursor.damaged("an int that fits into 64 bits is written as a longer one")
    digits = <const unsigned char*>take_bytes(cursor, size)
    if digits[size - 1] == (0xFF if digits[size - 2] >= 0x80 else 0):  # it only repeats the sign
        raise cursor.damaged("an int is longer than it has to be")
    return int.from_bytes(PyBytes_FromStringAndSize(<const char*>digits, size), "little", signed=True)


cdef int put_decimal(StateBuffer buffer, object value, Py_ssize_t most_characters) except -1:
    text = _exact_decimals().to_sci_string(value)
    if len(text) > most_characters:
        raise buffer.refusal(
            StateLimitError, f"a Decimal of {len(text)} characters, more than max_number_bytes={most_characters}",
            "round it, or raise max_number_bytes of StateLimits where it is saved and where it is loaded",
        )
    put_byte(buffer, TAG_DECIMAL)
    return buffer.put_text(text)


cdef object take_decimal(StateCursor cursor, Py_ssize_t most_characters):
    text = cursor.take_text()
    if len(text) > most_characters:
        raise cursor.refusal(
            StateLimitError, f"a Decimal of {len(text)} characters, more than max_number_bytes={most_characters}",
            "raise max_number_bytes of StateLimits, if the bytes come from where you expect",
        )
    context = _exact_decimals()
    try:
        value = _Decimal(text, context)
    except _InvalidOperation as error:
        raise cursor.damaged("a Decimal has no number in it") from error
    if context.to_sci_string(value) != text:
        raise cursor.damaged("a Decimal is not in the form in which it is written")
    return value


# --- times --------------------------------------------------------------------------------------------------------

cdef int put_datetime(StateBuffer buffer, object value) except -1:
    """Put a datetime: in UTC with its offset, or as its clock shows it. Runs user code: `utcoffset` of its zone."""
    offset = value.utcoffset()
    cdef int64_t clock = (value.replace(tzinfo=None) - _EPOCH) // _MICROSECOND
    cdef int64_t ahead
    put_byte(buffer, TAG_DATETIME)
    if offset is None:
        put_byte(buffer, FORM_NAIVE_FOLDED if value.fold else FORM_NAIVE)
        return put_zigzag(buffer, clock)
    ahead = offset // _MICROSECOND
    put_byte(buffer, FORM_AWARE)
    put_zigzag(buffer, clock - ahead)
    return put_zigzag(buffer, ahead)


cdef object take_datetime(StateCursor cursor):
    cdef int form = take_byte(cursor)
    cdef int64_t clock = take_zigzag(cursor)
    cdef int64_t ahead = _take_offset(cursor, form)
    # Added up first: the moment in UTC may lie just outside of the years that a datetime has.
    if form == FORM_AWARE and -_BEYOND_ALL_TIMES < clock < _BEYOND_ALL_TIMES:
        clock += ahead
    try:
        value = _EPOCH + clock * _MICROSECOND
    except OverflowError as error:
        raise cursor.damaged("a datetime is out of the years 1 to 9999") from error
    return value.replace(tzinfo=_zone(form, ahead), fold=form == FORM_NAIVE_FOLDED)


cdef int put_date(StateBuffer buffer, object value) except -1:
    put_byte(buffer, TAG_DATE)
    return put_zigzag(buffer, <int64_t>value.toordinal() - _EPOCH_DAY)


cdef object take_date(StateCursor cursor):
    cdef int64_t day = take_zigzag(cursor)
    if not 1 - _EPOCH_DAY <= day <= _LAST_DAY - _EPOCH_DAY:
        raise cursor.damaged("a date is out of the years 1 to 9999")
    return _date.fromordinal(day + _EPOCH_DAY)


cdef int put_time(StateBuffer buffer, object value) except -1:
    """Put a time of day. Runs user code: `utcoffset` of its zone."""
    offset = value.utcoffset()
    cdef int64_t minutes = <int64_t>value.hour * 60 + <int64_t>value.minute
    cdef int64_t clock = (minutes * 60 + <int64_t>value.second) * 1_000_000 + <int64_t>value.microsecond
    if offset is None and value.tzinfo is not None:
        raise buffer.refusal(
            StateTypeError, "a time of day in a zone whose offset depends on the day",
            "save a datetime, or the time of day without its zone",
        )
    put_byte(buffer, TAG_TIME)
    if offset is None:
        put_byte(buffer, FORM_NAIVE_FOLDED if value.fold else FORM_NAIVE)
        return put_varint(buffer, <uint64_t>clock)
    put_byte(buffer, FORM_AWARE)
    put_varint(buffer, <uint64_t>clock)
    return put_zigzag(buffer, offset // _MICROSECOND)


cdef object take_time(StateCursor cursor):
    cdef int form = take_byte(cursor)
    cdef uint64_t clock = take_varint(cursor)
    cdef int64_t ahead = _take_offset(cursor, form)
    if clock >= <uint64_t>_MICROSECONDS_OF_DAY:
        raise cursor.damaged("a time of day is beyond the day")
    value = (_EPOCH + clock * _MICROSECOND).time()
    return value.replace(tzinfo=_zone(form, ahead), fold=form == FORM_NAIVE_FOLDED)


cdef int64_t _take_offset(StateCursor cursor, int form) except? -1:
    """Return how many microseconds the clock is ahead of UTC; 0 for one that does not know."""
    cdef int64_t ahead
    if form == FORM_NAIVE or form == FORM_NAIVE_FOLDED:
        return 0
    if form != FORM_AWARE:
        raise cursor.damaged(f"0x{form:02X} is no form of a time")
    ahead = take_zigzag(cursor)
    if not -_MICROSECONDS_OF_DAY < ahead < _MICROSECONDS_OF_DAY:
        raise cursor.damaged("a clock is a day or more ahead of UTC, or behind it")
    return ahead


cdef object _zone(int form, int64_t ahead):
    if form != FORM_AWARE:
        return None
    return _utc if ahead == 0 else _timezone(ahead * _MICROSECOND)


cdef int put_timedelta(StateBuffer buffer, object value) except -1:
    put_byte(buffer, TAG_TIMEDELTA)
    put_zigzag(buffer, value.days)
    return put_varint(buffer, <uint64_t>(<int64_t>value.seconds * 1_000_000 + <int64_t>value.microseconds))


cdef object take_timedelta(StateCursor cursor):
    cdef int64_t days = take_zigzag(cursor)
    cdef uint64_t rest = take_varint(cursor)
    if not -999_999_999 <= days <= 999_999_999 or rest >= <uint64_t>_MICROSECONDS_OF_DAY:
        raise cursor.damaged("a duration is out of range")
    return _timedelta(days=days, microseconds=rest)
