"""The span of a subscription, in ticks of virtual time."""

from dataclasses import dataclass

__all__ = ["INFINITE", "SubscriptionSpan"]

INFINITE = 2**63 - 1
"""The end tick of a span that has not ended."""


@dataclass(frozen=True, slots=True)
class SubscriptionSpan:
    """A span of virtual time.

    Args:
        subscribed: The tick at which it began.
        unsubscribed: The tick at which it ended; `INFINITE` if it has not.

    Example:
        >>> SubscriptionSpan(200, 300), SubscriptionSpan(200)
        ((200, 300), (200, Infinite))
    """

    subscribed: int
    unsubscribed: int = INFINITE

    def __repr__(self) -> str:
        return f"({self.subscribed}, {'Infinite' if self.unsubscribed == INFINITE else self.unsubscribed})"
