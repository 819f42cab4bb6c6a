"""Mutants of statements: how they are made and judged, and a sample of them."""

import random
from typing import Any

import pytest

from reactivestreams.spec.rules import RULES
from tests.conftest import Depth
from tests.tck_selftest.statements import killing
from tests.tck_selftest.statements.interruption import before_locks
from tests.tck_selftest.statements.killing import Place, killers, places
from tests.tck_selftest.statements.mutated_examples import JUDGES, mutants_of, unchanged
from tests.tck_selftest.statements.mutator import mutants
from tests.tck_selftest.statements.statement_figures import StatementFigures
from tests.tck_selftest.statements.survivors import Survivors, reviewed

SAMPLE = 4

LISTED = {place for entry in reviewed() for place in entry.mutants}

SOURCE = """
class Counter:
    def add(self, n):
        if n <= 0 and self.strict:
            raise ValueError(n)
        with self.lock:
            self.count += n
        try:
            self.tell()
        except OSError:
            return False
        return True
"""


def test_every_statement_and_operator_has_its_mutants() -> None:
    assert [mutant.name for mutant in mutants(SOURCE)] == [
        "Counter.add: not `if n <= 0 and self.strict`",
        "Counter.add: and for or in `n <= 0 and self.strict`",
        "Counter.add: other comparison in `n <= 0`",
        "Counter.add: 1 for 0",
        "Counter.add: without `raise ValueError(n)`",
        "Counter.add: without `with self.lock`",
        "Counter.add: without `self.count += n`",
        "Counter.add: other sign in `self.count += n`",
        "Counter.add: without `except OSError` of `self.tell()`",
        "Counter.add: without `self.tell()`",
        "Counter.add: without `return False`",
        "Counter.add: not False",
        "Counter.add: without `return True`",
        "Counter.add: not True",
    ]


def test_mutants_differ_from_one_another_and_from_the_source() -> None:
    sources = [mutant.source for mutant in mutants(SOURCE)]
    assert len({SOURCE.strip(), *sources}) == len(sources) + 1


def test_mutant_without_lock_lets_others_in_and_its_control_does_so_under_the_lock() -> None:
    mutant = next(mutant for mutant in mutants(SOURCE) if "with self.lock" in mutant.name)
    for source, has_lock in ((mutant.source, False), (mutant.control, True)):
        assert source.count("take_turns()") == 1
        assert source.index("value_read = ") < source.index("take_turns()") < source.index("self.count = value_read")
        assert ("with self.lock:" in source) is has_lock


def test_moment_for_others_comes_before_each_lock() -> None:
    assert before_locks("with lock:\n    step()").splitlines()[1:] == ["with lock:", "    step()"]
    assert "take_turns()" in before_locks("with lock:\n    step()").splitlines()[0]


@pytest.mark.slow
def test_names_of_mutants_are_unique() -> None:
    names = [str(place) for place in places()]
    assert sorted(names) == sorted(set(names))


@pytest.mark.slow
def test_survivors_are_mutants_and_have_a_reason() -> None:
    assert LISTED - {str(place) for place in places()} == set()
    assert len(LISTED) == sum(len(entry.mutants) for entry in reviewed())
    assert [entry for entry in reviewed() if not entry.reason or entry.rule not in {"", *RULES}] == []


def test_figure_counts_only_what_breaks_a_rule() -> None:
    killers = {"a": "a check", "b": "a check", "same": "", "lost": "", "new": ""}
    listed = (Survivors("nothing changes", ("same",)), Survivors("nobody looks", ("lost",), "1.3"))
    figures = StatementFigures(killers, listed)
    assert (figures.killed, figures.mutants, figures.equivalent) == (2, 4, 1)
    assert list(figures.lines()) == [
        "survives: lost (§1.3): nobody looks",
        "survives, for no known reason: new",
        "killed mutants of statements: 2 of 4 (50.0%); 1 more are equivalent",
    ]
    assert not figures.is_good


def test_mutant_that_breaks_no_rule_and_is_seen_is_a_false_alarm() -> None:
    listed = (Survivors("nothing changes", ("same",)),)
    assert StatementFigures({"a": "a check", "same": ""}, listed).is_good
    figures = StatementFigures({"a": "a check", "same": "a check"}, listed)
    assert not figures.is_good
    assert "seen by a check, though it breaks no rule: same" in list(figures.lines())


def test_unchanged_example_that_takes_too_long_is_no_kill(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_late(tasks: Any, most: int) -> Any:
        return ((key, None) for key, *_ in tasks)

    monkeypatch.setattr(killing, "_answers", all_late)
    with pytest.raises(RuntimeError, match="RangeVerification unchanged took longer than it may"):
        list(killers([Place("range_publisher", "a mutant")]))


def sample(depth: Depth) -> list[Place]:
    """Draw mutants of one module that have to be killed, whoever runs when."""
    chance = random.Random(depth.seed)
    module = chance.choice(sorted(JUDGES))
    certain = [
        Place(module, mutant.name)
        for mutant in mutants_of(module)
        if mutant.control == unchanged(module) and str(Place(module, mutant.name)) not in LISTED
    ]
    return chance.sample(certain, min(len(certain), depth.scaled(SAMPLE)))


@pytest.mark.slow
def test_sample_of_mutants_is_killed(depth: Depth) -> None:
    drawn = sample(depth)
    found = dict(killers(drawn))
    assert sorted(found) == sorted(drawn)
    assert [str(place) for place, killer in found.items() if not killer] == []
