"""A safe point for the loops of the hot path, and what they do seldom; their calls are in calls.h."""

# A function of Python's own, since the interpreter looks at signals and at other threads in Python code only.
_namespace = {}
exec("def safe_point():\n    for _ in (0, 0):\n        pass\n", _namespace)
cdef object _safe_point = _namespace.pop("safe_point")
del _namespace


cdef int safe_point() except -1:
    """Let other threads run, and a handler of a signal, which may raise."""
    _safe_point()
    return 0


cdef int close_iterator(object iterator) except -1:
    """Call the `close` that an iterator may have, as a generator does. Runs user code."""
    close = getattr(iterator, "close", None)
    if close is not None:
        close()
    return 0
