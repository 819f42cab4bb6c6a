"""Check of the times that operators are given, in seconds or as a timedelta; not loaded by streams that never wait."""

from datetime import timedelta

from reactivestreams.errors import ArgumentError, ArgumentTypeError

LONGEST_SECONDS = 10**9
"""The longest time that an operator waits: some thirty years."""


def checked_duration(value: object, *, operator: str, name: str, above: timedelta | None = None) -> timedelta:
    """Return a time, which is given in seconds or as a timedelta, as a timedelta of 0 or more, or raise.

    Args:
        value: The argument.
        operator: The operator that it is given to.
        name: Its name.
        above: What it has to be longer than; None: it may be 0.

    Raises:
        ArgumentTypeError: The value is neither a real number nor a timedelta.
        ArgumentError: It is negative, not a number, too long, or no longer than `above`.
    """
    if isinstance(value, timedelta):
        duration = value
    elif isinstance(value, bool) or not isinstance(value, int | float):
        raise ArgumentTypeError(
            f"{operator}({name}) needs seconds or a timedelta, got {value!r} ({type(value).__name__}); pass a number "
            f"such as 0.5, or timedelta(minutes=1)"
        )
    elif not abs(value) <= LONGEST_SECONDS:
        raise ArgumentError(
            f"{operator}({name}) needs at most {LONGEST_SECONDS:,} seconds, got {value!r}; pass a shorter time"
        )
    else:
        duration = timedelta(seconds=value)
    if duration < timedelta() or (above is not None and duration <= above):
        least = "0 or more" if above is None else f"more than {above.total_seconds():g} seconds"
        raise ArgumentError(f"{operator}({name}) needs {least}, got {value!r}; pass seconds or a timedelta")
    return duration
