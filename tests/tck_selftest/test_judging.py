"""The judge of the judge: what is not as a mutant has it is reported, and nothing is seen by accident."""

from typing import Any

import pytest

from reactivestreams.tck import Edition, Outcome
from tests.tck.subjects import ScriptedPublisher, SynchronousVerification
from tests.tck_selftest.judging import Judgement, judge_trials
from tests.tck_selftest.mutant import OWN, Mutant, Trial, check_of, trials
from tests.tck_selftest.publishers.publisher_case import PublisherCase

CHECK = "required_spec102"


def judged(**data: Any) -> Judgement:
    data.setdefault("subject", SynchronousVerification)
    mutant = Mutant("a defect", OWN, CHECK, **data)
    return next(iter(judge_trials(trials([mutant])).values()))


def none_taken_for_an_object(subscriber: Any, n: int) -> None:
    absent: Any = None
    absent.send()


def test_mutant_that_no_check_sees_is_reported() -> None:
    assert judged(words="whatever").faults == ("FAIL is expected, the check says PASS: ",)


def test_correct_component_that_passes_is_as_expected() -> None:
    judgement = judged(outcome=Outcome.PASS)
    assert judgement.is_as_expected
    assert str(judgement).endswith("passes__a_defect[own]: as expected")


def test_other_words_are_reported() -> None:
    subject = lambda: PublisherCase(lambda elements: ScriptedPublisher())  # noqa: E731
    assert judged(subject=subject, words="Did not receive").is_as_expected
    assert "its message has to contain 'nonsense'" in judged(subject=subject, words="nonsense").faults[0]
    assert "§3.9 has to be broken" in judged(subject=subject, rule="3.9").faults[0]


def test_failure_by_accident_is_reported() -> None:
    judgement = judged(
        subject=lambda: PublisherCase(lambda elements: ScriptedPublisher(none_taken_for_an_object)),
        words="AttributeError: 'NoneType'",
    )
    assert [fault.partition(",")[0] for fault in judgement.faults] == ["something has taken None for an object"]


def test_what_is_confirmed_afterwards_is_reported() -> None:
    assert judged(outcome=Outcome.PASS, confirm=lambda subject: type(subject).__name__).faults == (
        "SynchronousVerification",
    )


def test_trial_names_check_defect_source_and_edition() -> None:
    mutant = Mutant("two words", "PM1", CHECK, SynchronousVerification, Outcome.SKIP)
    assert Trial(mutant, Edition.DOTNET).name == (
        "required_spec102_may_signal_less_than_requested_and_terminate_subscription"
        "__is_skipped_for__two_words[PM1][dotnet]"
    )


def test_beginning_of_a_name_has_to_be_of_one_check() -> None:
    catalog = SynchronousVerification.catalog
    with pytest.raises(LookupError, match="0 checks begin with 'spec'"):
        check_of(catalog, "spec")
    with pytest.raises(LookupError, match=r"checks begin with 'required_spec3'"):
        check_of(catalog, "required_spec3")
