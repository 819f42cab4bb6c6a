"""Writes the page that shows, rule by rule, which checks test it and which wrong components each of them has to see.

The checks come from the compatibility kit, the wrong components from its self-test, `tests/tck_selftest`, which holds
that each is seen. The page is not committed: it is written whenever the documentation is built.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from generate_rules import page_name
from kit_checks import checks_of
from written_pages import write_when_built

from reactivestreams.spec.rules import RULES, Rule
from reactivestreams.tck import Outcome
from tests.tck_selftest.all_mutants import ALL_MUTANTS
from tests.tck_selftest.mutant import Mutant, check_of

__all__ = ["gaps", "mutants_of", "render", "setup"]

HEAD = """\
# What the kit sees

The compatibility kit is judged itself, by components that are wrong in one way each: mutants. Each of them has to be
seen by a certain check, in words that say what is wrong; `make tck-selftest` shows them to the kit and prints how many
it sees. Here are the checks of each rule and the mutants that each of them has to see. A mutant stands at each rule
that its check is about.

A check that the standard words as a recommendation is skipped when it sees one: it reports, and fails nothing.
"""


def render() -> str:
    """Return the page, in Markdown."""
    return HEAD + "".join(line + "\n" for line in _lines())


@cache
def mutants_of(rule: str) -> dict[str, list[Mutant]]:
    """Return the mutants of a rule by the name of the check that has to see them: its own checks first."""
    found: dict[str, list[Mutant]] = {check.name: [] for _, check in checks_of(rule)}
    for mutant in ALL_MUTANTS:
        check = check_of(mutant.kit.catalog, mutant.check)
        if mutant.outcome is not Outcome.PASS and (rule == mutant.rule or rule in check.rules):
            found.setdefault(check.name, []).append(mutant)
    return found


def gaps() -> list[str]:
    """Return the rules that no check tests, or of which there is no mutant."""
    found = [f"§{id}: it has no check" for id in RULES if not checks_of(id)]
    return found + [f"§{id}: it has no mutant" for id in RULES if not _count(id)]


def _count(rule: str) -> int:
    return sum(map(len, mutants_of(rule).values()))


def _lines() -> Iterator[str]:
    yield from ("", "| rule | checks | mutants |", "|---|---|---|")
    for rule in RULES.values():
        yield f"| [§{rule.id}](#{_anchor(rule)}) | {len(checks_of(rule.id))} | {_count(rule.id)} |"
    for rule in RULES.values():
        yield from ("", f"({_anchor(rule)})=", "", f"## §{rule.id}", "")
        yield f"[The rule, with examples](rules/{page_name(rule)}.md)"
        for name, mutants in mutants_of(rule.id).items():
            yield from ("", f"`{name}`", f": {_defects(mutants)}")


def _anchor(rule: Rule) -> str:
    return f"coverage-{page_name(rule)}"


def _defects(mutants: list[Mutant]) -> str:
    return "; ".join(dict.fromkeys(mutant.defect for mutant in mutants)) or "no mutant of its own"


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that writes the page before the pages are read."""
    return write_when_built(app, lambda: {"reference/tck-coverage.md": render()})
