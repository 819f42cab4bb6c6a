# The base of subscribers that library authors write; it can also be subclassed in Cython.

from rs_core.sync.atomics cimport gil_int64, gil_uint32


cdef enum LastHook:
    UNDECIDED = 0
    CANCEL_HOOK = 1   # hook_on_cancel
    END_HOOK = 2      # hook_on_complete or hook_on_error


cdef class BaseSubscriber:
    cdef object subscription
    cdef gil_int64 wanted           # wanted and not yet requested
    cdef gil_uint32 calls
    cdef gil_uint32 is_cancelled_word, is_ended
    cdef gil_uint32 last_hook       # a LastHook
    cdef bint has_subscribed
    cdef object __weakref__

    # Pass a signal to its hook if it is still due by the rules.
    cdef int tell_subscribed(self) except -1
    cdef int tell_next(self, object element) except -1
    cdef int tell_error(self, object error) except -1
    cdef int tell_complete(self) except -1
    cdef int tell_cancelled(self) except -1

    cdef int cancel_was_called(self) except -1   # in the thread that cancels; by default calls the hook
    cdef int _call(self) except -1
    cdef int _call_once(self) except -1
    cdef object _first_of(self, object first, object error)
    cdef bint _end(self) except -1
    cdef bint _mark_cancelled(self) noexcept
    cdef bint _decide(self, LastHook hook) noexcept
    cdef int _hook_failed(self, object error) except -1
    cdef int _call_error_hook(self, object error) except -1
