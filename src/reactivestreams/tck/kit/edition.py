"""The editions of the specification that a verification can follow, and the wording of their rules."""

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from types import MappingProxyType

from reactivestreams.spec.rules import RULES, Obligation, Rule

__all__ = ["AFTER_RC1", "ALL_EDITIONS", "Edition", "rules_of"]


class Edition(StrEnum):
    """An edition, which selects checks and the requirements of some of them.

    Example:
        >>> Edition("dotnet"), Edition("1.0.4") is Edition.JVM
        (<Edition.DOTNET: 'dotnet'>, True)
    """

    JVM = "1.0.4"
    """The current edition for the JVM, and the default."""

    DOTNET = "dotnet"
    """The edition for .NET, with the rule texts of 1.0.0: the message of §3.9 is required."""

    RC1 = "rc1"
    """The release candidate 1.0.0.RC1: a publisher that rejects signals `on_error` in place of `on_subscribe`."""


ALL_EDITIONS = tuple(Edition)

AFTER_RC1 = (Edition.JVM, Edition.DOTNET)
"""The editions in which `on_subscribe` always comes first, None is refused, and no demand is too large."""


_MESSAGE = (
    "As long as it is not cancelled, request(n) with n of zero or less leads to on_error with a ValueError, whose "
    "message names this rule (it contains 3.9)."
)

_DOTNET = {
    "2.6": "A subscriber that can no longer serve its subscription, without having been told of the end, cancels it.",
    "3.9": _MESSAGE,
}

_RC1 = {
    "1.4": (
        "A publisher that fails tells its subscribers by on_error; one that has failed already, by on_error in place "
        "of on_subscribe."
    ),
    "1.9": (
        "subscribe returns normally. A publisher that does not serve a subscriber calls on_error on it, in place of "
        "on_subscribe (1.12 of this edition)."
    ),
    "1.11": (
        "A publisher can serve several subscribers, and is free to give all the same elements or each its own. All "
        "that it serves alike get the same elements in the same order, from the oldest it still has on (1.13 of this "
        "edition)."
    ),
    "2.13": ("The four signal methods return normally. A subscriber in trouble cancels; nothing is said about None."),
    "3.9": _MESSAGE,
    "3.14": (
        "As long as it is not cancelled, cancel can shut a stateful publisher down when it takes away the last "
        "subscription; who subscribes later is rejected by on_error alone (1.12 of this edition)."
    ),
    "3.17": (
        "A subscription takes demand of up to 2**63-1. It can treat that and more as without limit; or demand above "
        "that leads to on_error with a RuntimeError whose message names this rule."
    ),
}

# The only different obligation: in later editions the message of §3.9 only SHOULD explain.
_BINDING = {"3.9": (Obligation.MUST,)}


def rules_of(edition: Edition) -> Mapping[str, Rule]:
    """Return every rule by its id, in the wording of an edition; the ids are always those of 1.0.4.

    Example:
        >>> from reactivestreams.tck.kit.edition import Edition
        >>> "3.9" in rules_of(Edition.DOTNET)["3.9"].text, "3.9" in rules_of(Edition.JVM)["3.9"].text
        (True, False)
    """
    return _RULES[edition]


def _worded(texts: Mapping[str, str]) -> Mapping[str, Rule]:
    changed = {
        id: replace(RULES[id], text=text, obligation=_BINDING.get(id, RULES[id].obligation))
        for id, text in texts.items()
    }
    return MappingProxyType({**RULES, **changed})


_RULES: Mapping[Edition, Mapping[str, Rule]] = MappingProxyType(
    {Edition.JVM: RULES, Edition.DOTNET: _worded(_DOTNET), Edition.RC1: _worded(_RC1)}
)
