"""The interruptible wait of the blocking ends: parks the thread and reacts to Ctrl-C. See also parker.h."""

from libc.stdint cimport int64_t

import sys
from time import monotonic

cdef extern from "Python.h":
    int PyErr_CheckSignals() except -1

# How long a thread waits before it checks for signals. On Windows no signal interrupts a lock. On other systems a
# signal does, unless it arrived just before the wait or in another thread: this check finds it.
cdef double SIGNAL_CHECK_SECONDS = 0.05 if sys.platform == "win32" else 1.0


cdef int park_interruptibly(Parker* parker, double timeout_seconds) except -1:
    """Park until woken, or until timeout_seconds have passed (below 0: no limit), or until a signal handler raises.

    A permit that arrives while a handler raises stays for the next park. Like every park it may return early: check the
    condition again.
    """
    cdef bint is_limited = timeout_seconds >= 0
    cdef double deadline = monotonic() + timeout_seconds if is_limited else 0
    cdef double remaining = SIGNAL_CHECK_SECONDS
    cdef int64_t wait_us
    cdef int outcome
    while True:
        PyErr_CheckSignals()
        if is_limited:
            remaining = deadline - <double>monotonic()
            if remaining < 0:
                remaining = 0
        wait_us = <int64_t>(min(remaining, SIGNAL_CHECK_SECONDS) * 1e6)
        with nogil:
            outcome = parker_park(parker, wait_us)
        if outcome == PARK_WOKEN:
            return PARK_WOKEN
        if is_limited and remaining == 0:
            return PARK_TIMED_OUT
