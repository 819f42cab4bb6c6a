"""Every mutant is seen by the check that has to see it, in the words that say so."""

from collections.abc import Iterable

import pytest

from reactivestreams.tck import (
    Edition,
    Outcome,
    ProcessorVerification,
    PublisherVerification,
    SubscriberWhiteboxVerification,
)
from tests.tck_selftest.all_mutants import ALL_MUTANTS
from tests.tck_selftest.judging import Judgement
from tests.tck_selftest.mutant import OWN, Kit, Mutant, Trial, trials

# A wrong component that goes on sending from a thread of its own is stopped by an exception in that thread.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")

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


def of_reference(prefix: str, edition: Edition = Edition.JVM) -> list[Mutant]:
    return [
        trial.mutant
        for trial in TRIALS
        if trial.edition is edition and trial.mutant.source.rstrip("0123456789") == prefix
    ]


def reference_counts(mutants: list[Mutant]) -> dict[Outcome, int]:
    """Return how many fail, are skipped and pass under the standard's kit, each case once."""
    outcomes = {mutant.source: mutant.reference_outcome or mutant.outcome for mutant in mutants}
    return {outcome: list(outcomes.values()).count(outcome) for outcome in Outcome}


def counts(*, failed: int = 0, skipped: int = 0, passed: int = 0) -> dict[Outcome, int]:
    return {Outcome.PASS: passed, Outcome.FAIL: failed, Outcome.SKIP: skipped}


@pytest.mark.parametrize(
    ("prefix", "edition", "ids", "expected"),
    [
        ("PM", Edition.JVM, range(1, 40), counts(failed=25, skipped=6, passed=8)),
        ("PM", Edition.DOTNET, {*range(1, 40)} - {10, 22, 23, 31}, counts(failed=25, skipped=5, passed=5)),
        ("BM", Edition.JVM, range(1, 21), counts(failed=12, passed=8)),
        ("BM", Edition.DOTNET, {*range(1, 21)} - {7, 8, 9, 10, 12, 15, 16}, counts(failed=11, passed=2)),
        ("BM-N", Edition.DOTNET, {13}, counts(skipped=1)),
        ("WM", Edition.JVM, range(1, 21), counts(failed=11, passed=9)),
        ("WM", Edition.DOTNET, {*range(1, 21)} - {7, 8, 9, 10, 13, 19, 20}, counts(failed=11, passed=2)),
        ("NM", Edition.JVM, range(1, 13), counts(failed=12)),
        ("IM", Edition.JVM, {1, 2}, counts(failed=1, skipped=1)),
        ("IM", Edition.DOTNET, {1, 2}, counts(failed=1, skipped=1)),
    ],
)
def test_every_self_test_of_the_standards_kit_is_there(
    prefix: str, edition: Edition, ids: Iterable[int], expected: dict[Outcome, int]
) -> None:
    mutants = of_reference(prefix, edition)
    assert {mutant.source for mutant in mutants} == {f"{prefix}{number}" for number in ids}
    assert reference_counts(mutants) == expected


@pytest.mark.parametrize(
    ("prefix", "ids"), [("X", range(1, 47)), ("Y", range(1, 20)), ("Z", range(9))], ids=["X", "Y", "Z"]
)
def test_every_mutant_that_the_inventory_proposes_is_there(prefix: str, ids: range) -> None:
    assert {mutant.source for mutant in of_reference(prefix)} == {f"{prefix}{number}" for number in ids}


@pytest.mark.parametrize("inner", [PublisherVerification, SubscriberWhiteboxVerification], ids=["DM1", "DM2"])
def test_every_check_of_an_inner_kit_is_one_of_processors(
    inner: type[PublisherVerification | SubscriberWhiteboxVerification],
) -> None:
    missing = [
        check.name
        for check in inner.catalog
        if check.name not in ProcessorVerification.catalog
        or ProcessorVerification.catalog[check.name].editions != check.editions
        or not callable(getattr(ProcessorVerification, check.name, None))
    ]
    assert missing == []


def test_there_are_mutants_of_our_own() -> None:
    assert len({mutant.defect for mutant in ALL_MUTANTS if mutant.source == OWN}) >= 40


def test_every_kit_has_mutants() -> None:
    assert {mutant.kit for mutant in ALL_MUTANTS} == set(Kit)
