"""The names of overflow policies and of what becomes of an element, and the checks of the arguments around them."""

import enum
import math

from rs_core.interp.arguments cimport shown

from rs_core.errors import ArgumentError, ArgumentTypeError

__all__ = ["DEFAULT_BLOCK_TIMEOUT_SECONDS", "DEFAULT_CAPACITY", "EmitResult", "OverflowPolicy"]

DEFAULT_CAPACITY = 1024
"""How many elements may wait for their consumer by default."""

DEFAULT_BLOCK_TIMEOUT_SECONDS = 30.0
"""How long an emission waits for room with the policy `block` by default."""


class OverflowPolicy(enum.StrEnum):
    """What becomes of an element that is emitted while `capacity` elements wait."""

    ERROR = "error"
    """It is refused, and the stream ends with CapacityError after the elements that wait."""
    DROP_NEWEST = "drop_newest"
    """It is dropped."""
    DROP_OLDEST = "drop_oldest"
    """It is accepted, and the oldest element that waits is dropped."""
    LATEST = "latest"
    """It is accepted, and the one element that waits is dropped: the capacity is 1."""
    BLOCK = "block"
    """The emitting thread waits for room, for a limited time."""


class EmitResult(enum.Enum):
    """What became of an element that was emitted."""

    ACCEPTED = "accepted"
    """It was delivered or will be, unless the stream ends early or a policy drops it for a newer one."""
    DROPPED = "dropped"
    """It found no room and went to the hook for dropped signals, as the policy says."""
    OVERFLOWED = "overflowed"
    """It found no room; that ended the stream with CapacityError. The element is still the caller's."""
    TIMED_OUT = "timed out"
    """It found no room within the time limit. The element is still the caller's."""
    TERMINATED = "terminated"
    """It came after a terminal signal. The element is still the caller's."""
    CANCELLED = "cancelled"
    """Nobody wants elements any more: cancelled, or the consumer raised. The element is still the caller's."""

    @property
    def is_accepted(self) -> bool:
        """Whether the element was accepted."""
        return self is EmitResult.ACCEPTED


cdef tuple _POLICIES = tuple(OverflowPolicy)
cdef str _POLICY_NAMES = ", ".join(_POLICIES)


def checked_policy(policy, *, str parameter not None):
    """Return an overflow policy, given as such or by its text. Never runs user code.

    Args:
        policy: An OverflowPolicy or its text.
        parameter: How the caller's parameter is called, for the message.

    Raises:
        ArgumentError: There is no policy of that name.
        ArgumentTypeError: It is no text.
    """
    if not isinstance(policy, str):
        raise ArgumentTypeError(
            f"{parameter} needs the name of a policy, got {shown(policy)} ({type(policy).__name__}); "
            f"pass one of {_POLICY_NAMES}"
        )
    try:
        return OverflowPolicy(policy)
    except ValueError:
        raise ArgumentError(
            f"{parameter} needs the name of a policy, got {shown(policy)}; pass one of {_POLICY_NAMES}"
        ) from None


def checked_block_timeout(block_timeout_seconds):
    """Return how long an emission may wait, in seconds. Never runs user code.

    Raises:
        ArgumentError: The value is not positive, not finite or not a number.
        ArgumentTypeError: It is no real number, or a bool.
    """
    if isinstance(block_timeout_seconds, bool) or not isinstance(block_timeout_seconds, (int, float)):
        raise ArgumentTypeError(
            f"block_timeout_seconds needs a number, got {shown(block_timeout_seconds)} "
            f"({type(block_timeout_seconds).__name__}); pass seconds, such as {DEFAULT_BLOCK_TIMEOUT_SECONDS}"
        )
    try:
        seconds = float(block_timeout_seconds)
    except OverflowError:
        seconds = math.inf
    if not 0 < seconds < math.inf:
        raise ArgumentError(
            f"block_timeout_seconds needs a finite number above 0, got {shown(block_timeout_seconds)}; "
            f"pass seconds, such as {DEFAULT_BLOCK_TIMEOUT_SECONDS}"
        )
    return seconds
