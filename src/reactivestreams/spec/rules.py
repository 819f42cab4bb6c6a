"""The 43 rules of Reactive Streams as data, worded for Python.

Error messages, the reference page, and the tests of the rules that the code cites take the rules from here. The wording
is this project's. For None other editions say null, and `TypeError` and `ValueError` stand for their errors about null
references and bad arguments.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from reactivestreams.spec.rule_texts import RULE_TEXTS
from rs_core.errors import ArgumentError, ArgumentTypeError

__all__ = ["MAX_DEMAND", "RULES", "Obligation", "Party", "Rule", "rule"]

MAX_DEMAND: int = 2**63 - 1
"""Demand that counts as unbounded (§3.17): 9223372036854775807 elements."""


class Obligation(Enum):
    """The obligation of a rule, in the usual words of standards."""

    MUST = "MUST"
    MUST_NOT = "MUST NOT"
    REQUIRED = "REQUIRED"
    SHOULD = "SHOULD"
    RECOMMENDED = "RECOMMENDED"
    MAY = "MAY"


class Party(Enum):
    """The party that is bound by a rule."""

    PUBLISHER = "publisher"
    SUBSCRIBER = "subscriber"
    SUBSCRIPTION = "subscription"
    PROCESSOR = "processor"
    CALLER = "caller"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the specification.

    Attributes:
        id: Chapter and number, such as `"3.9"`.
        obligation: Its obligation; several words if its clauses differ.
        text: Its requirement or permission, in one or two sentences.
        bound: The party that has to follow it.
        intent: Its purpose.
    """

    id: str
    obligation: tuple[Obligation, ...]
    text: str
    bound: Party
    intent: str

    @property
    def chapter(self) -> int:
        """The number of the chapter: 1 publisher, 2 subscriber, 3 subscription, 4 processor."""
        return int(self.id.partition(".")[0])

    def __str__(self) -> str:
        words = " and ".join(word.value for word in self.obligation)
        return f"§{self.id} ({words}, binds the {self.bound.value}): {self.text}"


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        id: Rule(id, tuple(Obligation(word) for word in words.split(" / ")), text, Party(bound), intent)
        for id, words, bound, text, intent in RULE_TEXTS
    }
)
"""Every rule by its id, in the order of the specification."""


def rule(id: str) -> Rule:
    """Return the rule with an id.

    Args:
        id: Chapter and number, such as `"3.9"`; a leading section sign is accepted.

    Returns:
        The rule.

    Raises:
        ArgumentTypeError: The id is not a string, for example the number 3.1, which could mean §3.1 or §3.10.
        ArgumentError: No rule has this id; the message names the nearest ones.

    Example:
        >>> from reactivestreams.spec.rules import rule
        >>> rule("3.9").obligation
        (<Obligation.MUST: 'MUST'>, <Obligation.SHOULD: 'SHOULD'>)
        >>> rule("3.18")
        Traceback (most recent call last):
            ...
        rs_core.errors.ArgumentError: there is no rule '3.18'; did you mean 3.8, 3.1 or 3.17?
    """
    if not isinstance(id, str):
        raise ArgumentTypeError(f"rule(id) needs a string such as '3.9', got {id!r}; write the id in quotes")
    found = RULES.get(id.removeprefix("§").strip())
    if found is None:
        raise ArgumentError(f"there is no rule {id!r}; {_suggestion(id)}")
    return found


def _suggestion(id: str) -> str:
    near = difflib.get_close_matches(id, RULES, n=3)
    if not near:
        return f"ids run from {next(iter(RULES))} to {next(reversed(list(RULES)))}"
    return "did you mean " + " or ".join(filter(None, [", ".join(near[:-1]), near[-1]])) + "?"
