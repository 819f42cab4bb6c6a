"""The overflow policies, the results of emissions, and the checks of their arguments."""

import enum
import math

from rs_core.interp.arguments cimport safe_repr

from rs_core.errors import ArgumentError, ArgumentTypeError

__all__ = ["DEFAULT_BLOCK_TIMEOUT_SECONDS", "DEFAULT_CAPACITY", "EmitResult", "OverflowPolicy"]

DEFAULT_CAPACITY = 1024
"""The default number of elements that may wait for their consumer."""

DEFAULT_BLOCK_TIMEOUT_SECONDS = 30.0
"""How long an emission waits for free capacity by default with the policy `block`."""


class OverflowPolicy(enum.StrEnum):
    """The policy for an element that is emitted while `capacity` elements wait."""

    ERROR = "error"
    """It is refused, and the stream ends with CapacityError after the waiting elements."""
    DROP_NEWEST = "drop_newest"
    """It is dropped."""
    DROP_OLDEST = "drop_oldest"
    """It is accepted, and the oldest waiting element is dropped."""
    LATEST = "latest"
    """It is accepted, and the only waiting element is dropped: the capacity is 1."""
    BLOCK = "block"
    """The emitting thread waits for free capacity, for a limited time."""


class EmitResult(enum.Enum):
    """The result of an emission."""

    ACCEPTED = "accepted"
    """The element was or will be delivered, unless the stream ends early or a policy drops it for a newer one."""
    DROPPED = "dropped"
    """The queue was full, and by the policy the element went to the hook for dropped signals."""
    OVERFLOWED = "overflowed"
    """The queue was full, which ended the stream with CapacityError. The caller still owns the element."""
    TIMED_OUT = "timed out"
    """The queue stayed full for the time limit. The caller still owns the element."""
    TERMINATED = "terminated"
    """The stream had ended. The caller still owns the element."""
    CANCELLED = "cancelled"
    """The subscription was cancelled, or the consumer raised. The caller still owns the element."""

    @property
    def is_accepted(self) -> bool:
        """Whether the element was accepted."""
        return self is EmitResult.ACCEPTED


cdef tuple _POLICIES = tuple(OverflowPolicy)
cdef str _POLICY_NAMES = ", ".join(_POLICIES)


def checked_policy(policy, *, str parameter not None):
    """Return an overflow policy, given as an OverflowPolicy or as its text. Never runs user code.

    Args:
        policy: An OverflowPolicy or its text.
        parameter: The name of the caller's parameter, for the message.

    Raises:
        ArgumentError: There is no policy of that name.
        ArgumentTypeError: It is not a text.
    """
    if not isinstance(policy, str):
        raise ArgumentTypeError(
            f"{parameter} needs the name of a policy, got {safe_repr(policy)} ({type(policy).__name__}); "
            f"pass one of {_POLICY_NAMES}"
        )
    try:
        return OverflowPolicy(policy)
    except ValueError:
        raise ArgumentError(
            f"{parameter} needs the name of a policy, got {safe_repr(policy)}; pass one of {_POLICY_NAMES}"
        ) from None


def checked_block_timeout(block_timeout_seconds):
    """Return how long an emission may wait, in seconds. Never runs user code.

    Raises:
        ArgumentError: The value is not positive, not finite or not a number.
        ArgumentTypeError: It is not a real number, or it is a bool.
    """
    if isinstance(block_timeout_seconds, bool) or not isinstance(block_timeout_seconds, (int, float)):
        raise ArgumentTypeError(
            f"block_timeout_seconds needs a number, got {safe_repr(block_timeout_seconds)} "
            f"({type(block_timeout_seconds).__name__}); pass seconds, such as {DEFAULT_BLOCK_TIMEOUT_SECONDS}"
        )
    try:
        seconds = float(block_timeout_seconds)
    except OverflowError:
        seconds = math.inf
    if not 0 < seconds < math.inf:
        raise ArgumentError(
            f"block_timeout_seconds needs a finite number above 0, got {safe_repr(block_timeout_seconds)}; "
            f"pass seconds, such as {DEFAULT_BLOCK_TIMEOUT_SECONDS}"
        )
    return seconds
