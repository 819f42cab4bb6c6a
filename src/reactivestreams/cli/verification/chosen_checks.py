"""Which checks of a kit the command line chooses."""

from collections.abc import Sequence

from reactivestreams.cli.usage_error import UsageError
from reactivestreams.spec.rules import rule
from reactivestreams.tck.catalog import Catalog
from reactivestreams.tck.edition import Edition

__all__ = ["chosen_checks"]


def chosen_checks(
    kits: Sequence[tuple[Catalog, Edition]], *, names: Sequence[str], rules: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the names of the checks to run of each kit: those named and those about the rules; all, if none is given.

    Args:
        kits: The checks of each subject, and the edition it follows.
        names: Names of checks; each has to be in one of the kits.
        rules: Ids of rules; one of the kits has to have a check about each.

    Raises:
        ArgumentError: A name or a rule is unknown, or no kit has the check in its edition.
        UsageError: No kit has a check about a rule.
    """
    offered = [catalog.chosen(None, edition) for catalog, edition in kits]
    known = {check.name for checks in offered for check in checks}
    about = {id for checks in offered for check in checks for id in check.rules}
    for name in names:
        if name not in known:
            catalog, edition = next((kit for kit in kits if name in kit[0]), kits[0])
            catalog.chosen([name], edition)  # says what is wrong with it
    ids = {rule(id).id for id in rules}
    if missing := sorted(ids - about):
        raise UsageError(f"no check of this kind is about §{missing[0]} in this edition; --list shows what there is")
    return [
        tuple(
            check.name
            for check in checks
            if not (names or ids) or check.name in names or not ids.isdisjoint(check.rules)
        )
        for checks in offered
    ]
