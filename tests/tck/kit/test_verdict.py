"""A verdict explains itself to a person who does not know the rules."""

from reactivestreams.spec.rules import RULES
from reactivestreams.tck import Evidence, Outcome, Verdict
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from reactivestreams.tck.kit.signal_log import SignalRecord, Step
from tests.tck.settings import short_environment
from tests.tck.subjects import SynchronousVerification

FAILED = Verdict(
    "required_spec309_something",
    ("3.9",),
    Outcome.FAIL,
    "no on_error came",
    ("3.9", "1.4"),
    Evidence(
        steps=(Step(0.001, "request(0)", 0),),
        signals=(SignalRecord(0.002, "worker", "subscriber 1", "on_next", "7", 1),),
        look_at="request",
        remedy="signal on_error",
    ),
    claim="request(0) leads to on_error.",
)


def test_explanation_has_the_rules_what_happened_and_what_to_do_in_this_order() -> None:
    explanation = FAILED.explanation(again="run required_spec309_something")
    assert list(explanation) == [
        *("rule", "what the check claims", "what happened", "look at", "remedy", "run it again"),
    ]
    assert explanation["rule"] == (
        str(RULES["3.9"]),
        f"    {RULES['3.9'].intent}",
        str(RULES["1.4"]),
        f"    {RULES['1.4'].intent}",
    )
    assert explanation["what the check claims"] == ("request(0) leads to on_error.",)
    assert explanation["what happened"] == (
        "      1.0 ms  request(0)",
        "      2.0 ms    publisher -> subscriber 1: on_next(7)  [worker]",
    )
    assert explanation["run it again"] == ("run required_spec309_something",)


def test_only_a_failure_is_rendered_with_its_explanation() -> None:
    text = FAILED.render()
    assert text.splitlines()[0] == "required_spec309_something FAIL (§3.9, §1.4): no on_error came"
    assert "\nremedy:\n  signal on_error" in text
    assert "run it again" not in text
    skipped = Verdict("optional_something", (), Outcome.SKIP, "there is none")
    assert skipped.render() == "optional_something SKIP (set-up): there is none"


def test_verdict_carries_the_claim_of_its_check() -> None:
    check = PUBLISHER_CHECKS["required_spec109_subscribe_raise_type_error_on_none_subscriber"]
    verdict = check(SynchronousVerification(), short_environment())
    assert (verdict.outcome, verdict.claim) == (Outcome.PASS, check.claim)
    assert verdict.as_data()["claim"] == check.claim


def test_person_is_told_the_first_failures_and_how_many_more_there_are() -> None:
    def told(count: int) -> str:
        message = "; also: ".join(f"failure {number}" for number in range(count))
        return Verdict("required_something", ("1.1",), Outcome.FAIL, message).finding

    assert told(1) == "(§1.1): failure 0"
    assert told(3) == "(§1.1): failure 0; also: failure 1; also: failure 2"
    assert told(9) == f"{told(3)}; and 6 more"
