"""A report tells how each rule fared, and how to repeat what it reports."""

from dataclasses import replace
from typing import Any

import pytest

from reactivestreams.tck import Edition, Evidence, Outcome, Report, Verdict, Violation
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


def failing(check: str, *rules: str, message: str, **evidence: Any) -> Verdict:
    return Verdict(check, rules, Outcome.FAIL, message, rules[:1], Evidence(**evidence))


def test_failures_with_one_symptom_are_one_cause_and_the_most_frequent_comes_first() -> None:
    lone = failing("lone", "1.9", message="did not raise a TypeError")
    seen = [
        failing("a", "1.1", message="Expected on_error(ValueError) within 100 ms; also: more"),
        failing("b", "3.9", message="Expected on_error(TypeError) within 2000 ms"),
        failing("c", "1.3", message="Failed in iteration 3 of 100. Expected on_error(ValueError)"),
    ]
    silent = [
        failing("d", "1.4", message="§1.4: silent: it said nothing", violations=(Violation("1.4", "silent", 0.4),)),
        failing("e", "3.1", message="silent, 17 elements after cancel() of <Silent at 0x7f9>"),
    ]
    report = Report("Numbers", "1.0.4", 1, (lone, silent[0], *seen, silent[1]), 0.1)
    assert [cause.failures for cause in report.causes] == [tuple(seen), tuple(silent), (lone,)]
    assert [cause.rules for cause in report.causes] == [("1.1", "1.3", "3.9"), ("1.4", "3.1"), ("1.9",)]
    assert report.counted_causes() == "3 causes, 6 failures"
    assert report.as_data()["causes"][2] == {
        "message": "did not raise a TypeError",
        "rules": ["1.9"],
        "checks": ["lone"],
    }
    assert Report("Numbers", "1.0.4", 1, (PASSED,), 0.1).causes == ()


def test_clearest_failure_of_a_cause_is_of_a_check_about_the_broken_rule() -> None:
    passing_by = replace(FAILED, check="required_spec101_other", rules=("1.1",), broken_rules=("3.9",))
    second = replace(FAILED, check="required_spec309_second")
    (cause,) = Report("Numbers", "1.0.4", 1, (passing_by, FAILED, second), 0.1).causes
    assert cause.chief is FAILED
    (cause,) = Report("Numbers", "1.0.4", 1, (passing_by,), 0.1).causes
    assert cause.chief is passing_by
