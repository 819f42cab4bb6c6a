"""Every mutant is seen by the check that has to see it, in the words that say so."""

import pytest

from reactivestreams.tck import Edition, Kind, Outcome
from tests.tck_selftest.all_mutants import ALL_MUTANTS
from tests.tck_selftest.judging import Judgement
from tests.tck_selftest.mutant import OWN, Kit, Mutant, Trial, trials

TRIALS = list(trials(ALL_MUTANTS))


@pytest.mark.slow  # the first of them waits for all
@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_mutant_is_seen_for_what_it_is(trial: Trial, judgements: dict[str, Judgement]) -> None:
    assert list(judgements[trial.name].faults) == []


def test_every_trial_has_a_name_of_its_own() -> None:
    names = [trial.name for trial in TRIALS]
    assert sorted(names) == sorted(set(names))


def test_every_check_that_fails_has_words_to_find() -> None:
    silent = [mutant.defect for mutant in ALL_MUTANTS if mutant.outcome is not Outcome.PASS and not mutant.words]
    assert silent == []


def test_every_difference_from_the_standards_kit_has_a_reason() -> None:
    unexplained = [
        mutant.defect for mutant in ALL_MUTANTS if (mutant.reference_outcome is None) is not (mutant.reason == "")
    ]
    assert unexplained == []


def of_reference(prefix: str, edition: Edition) -> list[Mutant]:
    return [
        trial.mutant
        for trial in TRIALS
        if trial.edition is edition and trial.mutant.source.rstrip("0123456789") == prefix
    ]


def reference_counts(mutants: list[Mutant]) -> tuple[int, int, int]:
    """Return how many fail, are skipped and pass under the standard's kit."""
    outcomes = [mutant.reference_outcome or mutant.outcome for mutant in mutants]
    return tuple(outcomes.count(outcome) for outcome in (Outcome.FAIL, Outcome.SKIP, Outcome.PASS))  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("prefix", "edition", "ids", "counts"),
    [
        ("PM", Edition.JVM, range(1, 40), (25, 6, 8)),
        ("PM", Edition.DOTNET, sorted({*range(1, 40)} - {10, 22, 23, 31}), (25, 5, 5)),
    ],
)
def test_every_self_test_of_the_standards_kit_is_there(
    prefix: str, edition: Edition, ids: range, counts: tuple[int, int, int]
) -> None:
    mutants = of_reference(prefix, edition)
    assert [mutant.source for mutant in mutants] == [f"{prefix}{number}" for number in ids]
    assert reference_counts(mutants) == counts


@pytest.mark.parametrize(("prefix", "count"), [("X", 46)])
def test_every_mutant_that_the_inventory_proposes_is_there(prefix: str, count: int) -> None:
    assert {mutant.source for mutant in of_reference(prefix, Edition.JVM)} == {
        f"{prefix}{number}" for number in range(1, count + 1)
    }


def test_only_checks_that_decide_nothing_are_skipped() -> None:
    wrong = [
        trial.name
        for trial in TRIALS
        if trial.mutant.outcome is Outcome.SKIP
        and trial.check.kind is Kind.REQUIRED
        and trial.mutant.source != "PM19"  # nothing to judge
    ]
    assert wrong == []


def test_there_are_mutants_of_our_own() -> None:
    assert len({mutant.defect for mutant in ALL_MUTANTS if mutant.source == OWN}) >= 40


def test_every_kit_has_mutants() -> None:
    assert {mutant.kit for mutant in ALL_MUTANTS} == set(Kit)
