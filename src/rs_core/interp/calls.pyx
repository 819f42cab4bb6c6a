"""A safe point for the loops of the hot path, and their rare operations; their calls are in calls.h."""

# A Python function, because the interpreter handles signals and switches threads only in Python code.
_namespace = {}
exec("def safe_point():\n    for _ in (0, 0):\n        pass\n", _namespace)
cdef object _safe_point = _namespace.pop("safe_point")
del _namespace


cdef int safe_point() except -1:
    """Let other threads run, and signal handlers, which may raise."""
    _safe_point()
    return 0


cdef int close_iterator(object iterator) except -1:
    """Call the `close` that an iterator may have, as a generator does. Runs user code."""
    close = getattr(iterator, "close", None)
    if close is not None:
        close()
    return 0
