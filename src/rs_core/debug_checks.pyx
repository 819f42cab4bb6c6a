"""Switches for costly diagnostics: the checks of the order of signals and of demand, and the log of words.

`REACTIVESTREAMS_DEBUG=1` switches the checks on. Only subscriptions that are made while they are on are checked, until
they end; then the cyclic garbage collector frees them.

Debug builds have the log of words: the transitions of the words of owners of demand, emitters and subjects. It is
bounded, and off until it is switched on. sync/serial_word.h says how to read it.
"""

import os

VARIABLE = "REACTIVESTREAMS_DEBUG"
"""The environment variable; any value except 0 and an empty one means on. It is read when the core is imported."""

cdef bint _are_on = os.environ.get(VARIABLE, "0") not in ("", "0")


cdef extern from "sync/serial_word.h":
    """
    #ifdef RS_SERIAL_LOG
    static RsSerialLog rs_log_of_words = {};
    #define RS_LOG_OF_WORDS (&rs_log_of_words)
    #else
    #define RS_LOG_OF_WORDS ((RsSerialLog *)NULL)
    #endif
    """
    SerialLog* LOG "RS_LOG_OF_WORDS"
    enum:
        LOG_RECORDS "RS_SERIAL_LOG_RECORDS"


cdef bint checks_are_on() noexcept:
    return _are_on


def are_debug_checks_on() -> bool:
    """Return whether new subscriptions are checked; never runs user code."""
    return _are_on


def set_debug_checks(bint on) -> bool:
    """Switch the checks on or off for new subscriptions, in the whole process.

    Args:
        on: Whether to check.

    Returns:
        Whether they were on before: pass it to this function to restore that.

    Example:
        >>> previous = set_debug_checks(True)
        >>> are_debug_checks_on()
        True
        >>> set_debug_checks(previous)
        True
    """
    global _are_on
    cdef bint before = _are_on
    _are_on = on
    return before


cdef SerialLog* log_of_words() noexcept:
    return LOG


def set_serial_log(bint on) -> bool:
    """Switch the log of words on, which empties it, or off; never runs user code.

    Args:
        on: Whether transitions are recorded from now on, in the whole process.

    Returns:
        Whether it was on before.

    Raises:
        NotImplementedError: `on` is True, and this build of the core has no log.
    """
    if LOG is NULL:
        if on:
            raise NotImplementedError(
                "this build of the core has no log of words, which would cost time; build it with RS_BUILD=debug"
            )
        return False
    cdef bint before = LOG.is_on
    if on:
        LOG.written = 0
    LOG.is_on = on
    return before


def serial_log() -> list:
    """Return the last transitions of words, at most 4096, the oldest first; never runs user code.

    Returns:
        Tuples: the address of the word, the name of the transition, the word before and after it, the thread.
    """
    cdef SerialRecord record
    cdef unsigned long long number
    cdef list transitions = []
    if LOG is NULL:
        return transitions
    number = 0 if LOG.written <= LOG_RECORDS else LOG.written - LOG_RECORDS
    while number < LOG.written:
        record = LOG.records[number % LOG_RECORDS]
        transitions.append(
            (<size_t>record.word, record.transition.decode("ascii"), record.before, record.after, record.thread)
        )
        number += 1
    return transitions
