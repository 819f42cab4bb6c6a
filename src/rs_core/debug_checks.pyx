"""The switch for checks that cost time: of the grammar of signals and of demand.

`REACTIVESTREAMS_DEBUG=1` switches them on. What is subscribed while they are on is checked for good, and nothing else;
when it has ended, the cyclic garbage collector frees it.
"""

import os

VARIABLE = "REACTIVESTREAMS_DEBUG"
"""The environment variable; anything but nothing and 0 means on. It is read once, when the core is imported."""

cdef bint _are_on = os.environ.get(VARIABLE, "0") not in ("", "0")


cdef bint checks_are_on() noexcept:
    return _are_on


def are_debug_checks_on() -> bool:
    """Return whether what is subscribed now is checked; never runs user code."""
    return _are_on


def set_debug_checks(bint on) -> bool:
    """Switch the checks on or off for what is subscribed from now on, in the whole process.

    Args:
        on: Whether to check.

    Returns:
        Whether they were on before: hand it to this function to restore that.

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
