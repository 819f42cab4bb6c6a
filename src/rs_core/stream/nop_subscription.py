"""The subscription behind which there is nothing."""

from typing import Any, final

__all__ = ["NOP", "NopSubscription"]


@final
class NopSubscription:
    """Do nothing: no node is behind it, nothing is to be disposed, and there is nobody to request from.

    `NOP` is the one to use. It stands for the input of a node that has none, and is the subscription of a subscriber
    that gets nothing but an end.

    Example:
        >>> NOP.request(3)
        >>> NOP.dispose()
        >>> NOP
        NOP
    """

    __slots__ = ()

    def accept(self, visitor: Any, /) -> None:
        """Visit nothing."""

    def request(self, n: int, /) -> None:
        """Send nothing."""

    def cancel(self) -> None:
        """Stop nothing."""

    def dispose(self) -> None:
        """Tear nothing down."""

    def __repr__(self) -> str:
        return "NOP"


NOP = NopSubscription()
"""The subscription that everybody shares who needs one without content."""
