"""A mutant: a component that is wrong in one way, with the check that has to see it and the words that it has to find.

A component that is right where it looks wrong is one as well, with a pass for its outcome: a check that fails it gives
a false alarm.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from reactivestreams.tck import (
    Check,
    Edition,
    Outcome,
    ProcessorVerification,
    PublisherVerification,
    SubscriberBlackboxVerification,
    SubscriberWhiteboxVerification,
)
from reactivestreams.tck.kit.catalog import Catalog

__all__ = ["BOTH", "HANGS", "LONGEST_HANG_SECONDS", "OWN", "Kit", "Mutant", "Trial", "check_of", "for_check", "trials"]

OWN = "own"
"""The source of a mutant that is not in the inventory of the standard's kit."""

HANGS = "it hangs"
"""The words for a mutant that keeps its check until the watchdog gives that up."""

LONGEST_HANG_SECONDS = 60.0
"""How long a mutant hangs at most: longer than the watchdog waits, and then its threads end."""

BOTH = (Edition.JVM, Edition.DOTNET)
"""The editions of a self-test that both kits have."""


class Kit(StrEnum):
    """The kit that judges a mutant."""

    PUBLISHER = "publisher"
    BLACKBOX = "subscriber, black box"
    WHITEBOX = "subscriber, white box"
    PROCESSOR = "processor"

    @property
    def catalog(self) -> Catalog:
        """The checks of the kit."""
        return CATALOGS[self]


CATALOGS = {
    Kit.PUBLISHER: PublisherVerification.catalog,
    Kit.BLACKBOX: SubscriberBlackboxVerification.catalog,
    Kit.WHITEBOX: SubscriberWhiteboxVerification.catalog,
    Kit.PROCESSOR: ProcessorVerification.catalog,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong component under one check.

    Attributes:
        defect: What is wrong with it, in a few words.
        source: Its id in the inventory of the standard's kit, such as `"PM3"`, or `OWN`.
        check: Name of the check, or so much of its beginning as only one name has.
        subject: Makes the verification that makes the component.
        outcome: What the check has to say.
        words: What its message has to contain, or that of an exception behind it.
        rule: A rule that has to be among those found broken; any where it is empty.
        kit: Which kit the check is of.
        editions: For which editions this is held.
        reference_outcome: What the standard's kit says, where that is something else.
        reason: Why that is something else.
        confirm: Looks at the verification afterwards and returns what is not as it has to be, or an empty text.
    """

    defect: str
    source: str
    check: str
    subject: Callable[[], Any]
    outcome: Outcome = Outcome.FAIL
    words: str = ""
    rule: str = ""
    kit: Kit = Kit.PUBLISHER
    editions: tuple[Edition, ...] = (Edition.JVM,)
    reference_outcome: Outcome | None = None
    reason: str = ""
    confirm: Callable[[Any], str] | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """A mutant under one edition."""

    mutant: Mutant
    edition: Edition

    @property
    def check(self) -> Check:
        """The check that judges."""
        return check_of(self.mutant.kit.catalog, self.mutant.check)

    @property
    def name(self) -> str:
        """`<check>__fails_for__<defect>`, with the source, and the edition where it is not the current one."""
        verb = {Outcome.FAIL: "fails_for", Outcome.SKIP: "is_skipped_for", Outcome.PASS: "passes"}[self.mutant.outcome]
        defect = "_".join(self.mutant.defect.replace("`", "").split())
        edition = "" if self.edition is Edition.JVM else f"[{self.edition}]"
        processor = f"[{Kit.PROCESSOR}]" if self.mutant.kit is Kit.PROCESSOR else ""  # it has the checks of two others
        return f"{self.check.name}__{verb}__{defect}[{self.mutant.source}]{processor}{edition}"

    @property
    def hangs(self) -> bool:
        """Whether the watchdog has to end it."""
        return self.mutant.words == HANGS

    @property
    def is_of_a_defect(self) -> bool:
        """Whether the component is to be seen as wrong, and not as right."""
        return self.mutant.outcome is not Outcome.PASS


def check_of(catalog: Catalog, beginning: str) -> Check:
    """Return the check whose name begins so.

    Raises:
        LookupError: There is none, or more than one.
    """
    if beginning in catalog:
        return catalog[beginning]
    found = [check for check in catalog if check.name.startswith(beginning)]
    if len(found) != 1:
        raise LookupError(f"{len(found)} checks begin with {beginning!r}: {', '.join(check.name for check in found)}")
    return found[0]


def trials(mutants: Iterable[Mutant]) -> Iterator[Trial]:
    """Give each mutant for each of its editions."""
    for mutant in mutants:
        for edition in mutant.editions:
            yield Trial(mutant, edition)


def for_check(trial: Trial, body: Callable[[Any, Any], None]) -> Check:
    """Return the check of a trial under the trial's name, with another body."""
    return replace(trial.check, name=trial.name, body=body)
