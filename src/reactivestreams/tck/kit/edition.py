"""The editions of the specification that a verification can follow."""

from enum import StrEnum

__all__ = ["AFTER_RC1", "ALL_EDITIONS", "Edition"]


class Edition(StrEnum):
    """An edition: which checks there are, and what some of them ask for.

    Example:
        >>> Edition("dotnet"), Edition("1.0.4") is Edition.JVM
        (<Edition.DOTNET: 'dotnet'>, True)
    """

    JVM = "1.0.4"
    """The current edition for the JVM; what everybody means who names none."""

    DOTNET = "dotnet"
    """The edition for .NET, with the rule texts of 1.0.0: the message of §3.9 is obligatory."""

    RC1 = "rc1"
    """The release candidate 1.0.0.RC1: a publisher that rejects signals `on_error` in place of `on_subscribe`."""


ALL_EDITIONS = tuple(Edition)

AFTER_RC1 = (Edition.JVM, Edition.DOTNET)
"""The editions in which `on_subscribe` always comes first, None is refused, and no demand is too large."""
