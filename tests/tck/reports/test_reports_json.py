"""The JSON report is what its schema says, and has every fact of the verdicts."""

import json

import jsonschema
import pytest

from reactivestreams.spec.rules import RULES
from reactivestreams.tck import run
from reactivestreams.tck.reports import json_report
from tests.tck.report_examples import FAILED, HOSTILE, MADE, REPORTS
from tests.tck.settings import short_environment
from tests.tck.subjects import SynchronousVerification

VALIDATOR = jsonschema.Draft202012Validator(json_report.schema())


def test_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json_report.schema())


def test_report_keeps_to_its_schema() -> None:
    VALIDATOR.validate(json.loads(json_report.render(REPORTS, made=MADE)))


def test_report_of_a_real_run_keeps_to_its_schema() -> None:
    report = run(SynchronousVerification, short_environment(), names=["required_validate_max_elements_from_publisher"])
    VALIDATOR.validate(json_report.as_data([report], made=MADE))


def test_schema_refuses_what_is_no_report() -> None:
    data = json_report.as_data(REPORTS, made=MADE)
    data["verifications"][0]["verdicts"][0]["outcome"] = "maybe"
    with pytest.raises(jsonschema.ValidationError, match="'maybe' is not one of"):
        VALIDATOR.validate(data)


def test_report_has_every_fact_of_a_verdict() -> None:
    data = json.loads(json_report.render(REPORTS, made=MADE))
    assert (data["format"], data["version"]) == ("reactivestreams.tck", 1)
    assert (data["made_at"], data["is_success"]) == ("2026-03-04T05:06:07+00:00", False)
    first = data["verifications"][0]
    assert (first["subject"], first["seed"], first["counts"]) == ("Numbers", 7, {"pass": 1, "fail": 1, "skip": 1})
    assert list(first["rules"]) == list(RULES)
    assert (first["rules"]["3.9"], first["rules"]["1.1"], first["rules"]["2.1"]) == ("fail", "pass", None)
    assert first["verdicts"][2] == json.loads(json.dumps(FAILED.as_data()))
    assert data["verifications"][2]["verdicts"][0]["message"] == HOSTILE


def test_no_verification_is_no_success() -> None:
    assert json_report.as_data([], made=MADE)["is_success"] is False
