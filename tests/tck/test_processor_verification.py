"""Correct processors of every shape pass; the kit has every test of the standard, and those of both of its sides."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.tck import (
    Edition,
    Environment,
    Outcome,
    ProcessorVerification,
    PublisherVerification,
    Report,
    SubjectError,
    SubscriberWhiteboxVerification,
    judge,
    run,
)
from reactivestreams.tck.checks.processor import OWN_PROCESSOR_CHECKS, PROCESSOR_CHECKS
from reactivestreams.tck.checks.processor import methods as processor_methods
from tests.tck.processor_subjects import (
    FanOutProcessor,
    LockstepProcessor,
    OfBaseClass,
    PatientProcessor,
    ProcessorOf,
    ThreadedProcessor,
    processor_of,
)
from tests.tck.reference_names import PUBLISHER_TESTS
from tests.tck.settings import short_environment
from tests.tck.subscriber_reference_names import PROCESSOR_TESTS, WHITEBOX_TESTS

LONG_AGO = "required_must_request_from_upstream_for_elements_that_have_been_requested_long_ago"


def failures(report: Report) -> list[str]:
    return [verdict.render() for verdict in report.failed]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "skipped"),
    [
        (FanOutProcessor, 20),
        (ThreadedProcessor, 20),
        (PatientProcessor, 20),
        # As with the standard's kit: with coordinated emission, one subscriber waits for the others.
        (LockstepProcessor, 22),
        # Besides the five that need several subscribers of a publisher, the two that need them of a processor.
        (OfBaseClass, 27),
    ],
)
def test_correct_processor_passes(kind: type[Any], skipped: int) -> None:
    report = run(processor_of(kind))
    assert failures(report) == []
    assert len([verdict for verdict in report.skipped if verdict.origin == "reference"]) == skipped
    assert report.threads_left == ()


@pytest.mark.slow
def test_correct_processor_passes_in_another_edition() -> None:
    assert failures(run(processor_of(FanOutProcessor), Environment(edition=Edition.DOTNET))) == []


@pytest.mark.slow
def test_processor_is_fed_from_an_executor() -> None:
    with ThreadPoolExecutor(16, "tck-test") as executor:

        class Pooled(ProcessorOf):
            def publisher_executor_service(self) -> Any:
                return executor

        report = run(Pooled)
    assert failures(report) == []


def reference_tests(edition: Edition) -> set[str]:
    return {check.name for check in PROCESSOR_CHECKS.chosen(None, edition) if check.origin.value == "reference"}


def test_every_test_of_the_standard_is_there() -> None:
    assert reference_tests(Edition.JVM) == {*PUBLISHER_TESTS, *WHITEBOX_TESTS, *PROCESSOR_TESTS}
    assert len(reference_tests(Edition.JVM)) == 68


def test_other_editions_have_the_tests_of_their_kits() -> None:
    assert len(reference_tests(Edition.DOTNET)) == 66
    assert len(reference_tests(Edition.RC1)) == 60


@pytest.mark.parametrize("side", [PublisherVerification, SubscriberWhiteboxVerification])
def test_every_test_of_both_sides_is_one_of_the_processor_too(side: type[Any]) -> None:
    missing = [
        check.name
        for check in side.catalog
        if check.name not in ProcessorVerification.catalog or not hasattr(ProcessorVerification, check.name)
    ]
    assert missing == []


def test_every_check_is_documented_and_says_what_to_do() -> None:
    silent = [check.name for check in OWN_PROCESSOR_CHECKS if not (check.claim and check.look_at and check.remedy)]
    assert silent == []


def test_rules_of_processors_have_checks() -> None:
    assert {rule for check in OWN_PROCESSOR_CHECKS for rule in check.rules} >= {"4.1", "4.2"}


def test_methods_are_named_in_the_stub() -> None:
    stub = Path(processor_methods.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    named = {line.split("(")[0].removeprefix("    def ") for line in stub.splitlines() if line.startswith("    def ")}
    assert named == {check.name for check in OWN_PROCESSOR_CHECKS}


def test_checks_of_all_three_kits_run_as_methods() -> None:
    class Methods(ProcessorOf):
        def create_environment(self) -> Environment:
            return short_environment()

    subject = Methods()
    subject.required_spec102_may_signal_less_than_requested_and_terminate_subscription()
    subject.required_exercise_whitebox_happy_path()
    subject.must_immediately_pass_on_on_error_events_received_from_its_upstream_to_its_downstream()


def test_processor_that_repeats_elements_skips_what_it_cannot_do() -> None:
    class Repeating(ProcessorOf):
        def replays_elements(self) -> bool:
            return True

    verdict = judge(PROCESSOR_CHECKS[LONG_AGO], Repeating(), short_environment())
    assert verdict.outcome is Outcome.SKIP
    assert verdict.message == "The processor declares that it replays elements to late subscribers."


class Deaf:
    """Half a processor."""

    def subscribe(self, subscriber: Any) -> None:
        """Do nothing."""


class Asynchronous(FanOutProcessor):
    async def subscribe(self, subscriber: Any, /) -> None:  # type: ignore[override]
        """Do nothing."""


ONLY = FanOutProcessor()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        (
            {"create_identity_processor": lambda self, buffer_size: None},
            "Verification.create_identity_processor(16) returned None; it has to return an object with subscribe, on_s",
        ),
        (
            {"kind": Deaf},
            "is a Deaf, which has no on_subscribe, on_next, on_error and on_complete; expected are subscribe, on_su",
        ),
        ({"kind": Asynchronous}, "is a Asynchronous, whose subscribe are coroutines, which nobody awaits"),
        (
            {"create_identity_processor": lambda self, buffer_size: ONLY},
            "Verification.create_identity_processor returned the same object twice",
        ),
        (
            {"create_element": lambda self, element: None},
            "Verification.create_element(0) returned None; it has to return an element, another one for each number",
        ),
    ],
)
def test_subject_that_cannot_be_judged_is_refused_by_name(attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(SubjectError) as caught:
        run(type("Verification", (ProcessorOf,), attributes), short_environment(), names=[LONG_AGO])
    assert message in str(caught.value)


def test_helper_publisher_that_is_none_is_refused_by_name() -> None:
    verification = type("Verification", (ProcessorOf,), {"create_helper_publisher": lambda self, elements: None})
    verdict = judge(
        PROCESSOR_CHECKS["optional_spec111_may_support_multi_subscribe"], verification(), short_environment()
    )
    assert verdict.outcome is Outcome.FAIL
    assert "Verification.create_helper_publisher(1) returned None; it has to return an object with" in verdict.message


def test_processor_without_elements_of_its_own_has_no_source_that_fails() -> None:
    class Fed(ProcessorVerification):
        def create_identity_processor(self, buffer_size: int) -> Any:
            return FanOutProcessor()

    assert Fed().create_publisher_failing_at(3) is None
    assert ProcessorOf().create_publisher_failing_at(3) is not None
