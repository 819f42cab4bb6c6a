"""A report tells how each rule fared, and how to repeat what it reports."""

from dataclasses import replace

import pytest

from reactivestreams.tck import Edition, Outcome, Report, Verdict
from reactivestreams.tck.kit.edition import rules_of
from tests.tck.report_examples import FAILED, GOOD_REPORT, PASSED, REPORT, SKIPPED


@pytest.mark.parametrize(
    ("rule", "outcome"),
    [
        ("1.1", Outcome.PASS),
        ("3.4", Outcome.SKIP),
        ("3.9", Outcome.FAIL),
        ("1.4", Outcome.FAIL),
        ("2.1", None),
        ("", None),
    ],
)
def test_rule_fared_as_its_checks_did(rule: str, outcome: Outcome | None) -> None:
    assert REPORT.outcome_of(rule) is outcome


def test_rule_whose_check_found_another_one_broken_is_not_decided() -> None:
    other = replace(FAILED, rules=("1.5",), broken_rules=("1.7",))
    report = Report("Numbers", "1.0.4", 1, (other,), 0.1)
    assert (report.outcome_of("1.5"), report.outcome_of("1.7")) == (Outcome.SKIP, Outcome.FAIL)


def test_failed_set_up_is_a_row_of_its_own() -> None:
    report = Report("Numbers", "1.0.4", 1, (Verdict("required_something", (), Outcome.FAIL, "no"),), 0.1)
    assert report.outcome_of("") is Outcome.FAIL


def test_check_is_repeated_with_the_seed() -> None:
    assert REPORT.again(FAILED.check) == (
        "python -m reactivestreams tck numbers:Numbers --check required_spec309_something --seed 7"
    )
    assert REPORT.explanation(FAILED)["run it again"] == (REPORT.again(FAILED.check),)
    assert GOOD_REPORT.again(PASSED.check) == ""


def test_explanation_has_the_wording_of_the_edition() -> None:
    for edition in Edition:
        report = replace(REPORT, edition=str(edition))
        rules = report.explanation(FAILED)["rule"]
        assert [line for line in rules if line.startswith("§3.9")] == [str(rules_of(edition)["3.9"])]
        assert str(rules_of(edition)["3.9"]) in report.rendered(FAILED)
    assert "(MUST, binds" in str(rules_of(Edition.DOTNET)["3.9"])
    assert "(MUST and SHOULD, binds" in str(rules_of(Edition.JVM)["3.9"])


def test_every_edition_has_the_same_rules_in_the_same_order() -> None:
    assert {tuple(rules_of(edition)) for edition in Edition} == {tuple(rules_of(Edition.JVM))}


def test_unknown_check_is_reported() -> None:
    with pytest.raises(KeyError, match="required_nothing was not run"):
        REPORT["required_nothing"]
    assert REPORT[SKIPPED.check] is SKIPPED


def test_chief_failure_of_a_rule_is_of_a_check_about_it() -> None:
    passing_by = replace(FAILED, check="required_spec101_other", rules=("1.1",), broken_rules=("3.9",))
    second = replace(FAILED, check="required_spec309_second")
    set_up = Verdict("required_set_up", (), Outcome.FAIL, "no")
    report = Report("Numbers", "1.0.4", 1, (set_up, passing_by, FAILED, second), 0.1)
    assert report.chief_failures == (set_up, FAILED)
    assert Report("Numbers", "1.0.4", 1, (passing_by,), 0.1).chief_failures == (passing_by,)
