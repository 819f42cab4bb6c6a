"""Correct subscribers of every shape pass both boxes, which have every test of the standard."""

import threading
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import WorkerScheduler
from reactivestreams.tck import (
    Edition,
    Environment,
    Outcome,
    Report,
    run,
)
from reactivestreams.tck.checks.subscriber import SUBSCRIBER_BLACKBOX_CHECKS, SUBSCRIBER_WHITEBOX_CHECKS
from reactivestreams.tck.checks.subscriber import blackbox_methods as subscriber_blackbox_methods
from reactivestreams.tck.checks.subscriber import whitebox_methods as subscriber_whitebox_methods
from reactivestreams.tck.kit.catalog import Catalog
from tests.tck.settings import short_environment
from tests.tck.subscriber_reference_names import BLACKBOX_TESTS, WHITEBOX_TESTS
from tests.tck.subscriber_subjects import (
    BlackboxOf,
    BulkSubscriber,
    OfAsyncBaseClass,
    OfBaseClass,
    SteppingSubscriber,
    ThreadedSubscriber,
    TriggeredSubscriber,
    WhiteboxOf,
    blackbox_of,
    whitebox_of,
)

SHAPES = (SteppingSubscriber, TriggeredSubscriber, BulkSubscriber, ThreadedSubscriber, OfBaseClass)
HAPPY = "required_exercise_whitebox_happy_path"


def failures(report: Report) -> list[str]:
    return [verdict.render() for verdict in report.failed]


def reference_skips(report: Report) -> int:
    return len([verdict for verdict in report.skipped if verdict.origin == "reference"])


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_correct_subscriber_passes_the_white_box(shape: type[Any]) -> None:
    report = run(whitebox_of(shape))
    assert failures(report) == []
    assert reference_skips(report) == 13
    assert report.threads_left == ()


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_correct_subscriber_passes_the_black_box(shape: type[Any]) -> None:
    report = run(blackbox_of(shape))
    assert failures(report) == []
    assert reference_skips(report) == 15
    assert report.threads_left == ()


@pytest.mark.slow
def test_asynchronous_base_class_passes_both_boxes() -> None:
    with WorkerScheduler(name="tck-test") as worker:

        class InTheOpen(WhiteboxOf):
            def create_subscriber(self, probe: Any) -> Any:
                return OfAsyncBaseClass(worker, probe)

            def create_failing_subscriber(self, signal: str, probe: Any) -> Any:
                return None

        class InTheDark(BlackboxOf):
            def create_subscriber(self) -> Any:
                return OfAsyncBaseClass(worker)

            def create_failing_subscriber(self, signal: str) -> Any:
                return None

        reports = run(InTheOpen), run(InTheDark)
    assert [failures(report) for report in reports] == [[], []]
    assert [reference_skips(report) for report in reports] == [13, 15]


@pytest.mark.slow
@pytest.mark.parametrize("edition", [Edition.DOTNET, Edition.RC1])
def test_correct_subscriber_passes_in_other_editions(edition: Edition) -> None:
    assert failures(run(whitebox_of(SteppingSubscriber), Environment(edition=edition))) == []
    assert failures(run(blackbox_of(ThreadedSubscriber), Environment(edition=edition))) == []


@pytest.mark.slow
def test_whole_verification_waits_for_silence_only() -> None:
    # Waits that end early cost nothing, however long they may be.
    environment = Environment(10_000, 100, watchdog_timeout_milliseconds=60_000)
    for verification in (whitebox_of(SteppingSubscriber), blackbox_of(SteppingSubscriber)):
        report = run(verification, environment)
        slow = [verdict.check for verdict in report.verdicts if verdict.duration_seconds > 9]
        assert failures(report) == []
        assert slow == []


def reference_tests(catalog: Catalog, edition: Edition) -> set[str]:
    return {check.name for check in catalog.chosen(None, edition) if check.origin.value == "reference"}


def test_every_test_of_the_standard_is_there() -> None:
    assert reference_tests(SUBSCRIBER_WHITEBOX_CHECKS, Edition.JVM) == set(WHITEBOX_TESTS)
    assert reference_tests(SUBSCRIBER_BLACKBOX_CHECKS, Edition.JVM) == set(BLACKBOX_TESTS)
    assert (len(WHITEBOX_TESTS), len(BLACKBOX_TESTS)) == (27, 26)


def test_other_editions_have_the_tests_of_their_kits() -> None:
    assert len(reference_tests(SUBSCRIBER_WHITEBOX_CHECKS, Edition.DOTNET)) == 27
    assert len(reference_tests(SUBSCRIBER_WHITEBOX_CHECKS, Edition.RC1)) == 24
    assert len(reference_tests(SUBSCRIBER_BLACKBOX_CHECKS, Edition.DOTNET)) == 25
    assert len(reference_tests(SUBSCRIBER_BLACKBOX_CHECKS, Edition.RC1)) == 22


@pytest.mark.parametrize("catalog", [SUBSCRIBER_WHITEBOX_CHECKS, SUBSCRIBER_BLACKBOX_CHECKS])
def test_every_check_is_documented_and_says_what_to_do(catalog: Catalog) -> None:
    silent = [
        check.name
        for check in catalog
        if not check.claim or (check.kind.value != "untested" and not (check.look_at and check.remedy))
    ]
    assert silent == []


@pytest.mark.parametrize(
    ("catalog", "verification"),
    [(SUBSCRIBER_WHITEBOX_CHECKS, WhiteboxOf), (SUBSCRIBER_BLACKBOX_CHECKS, BlackboxOf)],
)
def test_what_the_standard_leaves_untested_names_the_check_that_is_not_or_the_reason(
    catalog: Catalog, verification: type[Any]
) -> None:
    for check in catalog:
        if check.kind.value == "untested":
            verdict = check(verification(), short_environment())
            assert verdict.outcome is Outcome.SKIP
            assert verdict.message.startswith("Not verified using this TCK. ")
            if verdict.message.endswith(" verifies it."):
                assert verdict.message.split("; ")[1].removesuffix(" verifies it.") in catalog
            else:
                assert "can " in verdict.message or "Only the white box" in verdict.message


def test_every_rule_of_a_subscriber_has_a_check() -> None:
    checked = {rule for check in SUBSCRIBER_WHITEBOX_CHECKS if check.kind.value != "untested" for rule in check.rules}
    # §3.1 binds subscribers; §3.10 and §3.11 permit to publishers what a subscriber has to bear.
    assert checked >= {f"2.{number}" for number in range(1, 14)} | {"3.1", "3.8", "3.10", "3.11"}


@pytest.mark.parametrize(
    ("module", "catalog"),
    [
        (subscriber_whitebox_methods, SUBSCRIBER_WHITEBOX_CHECKS),
        (subscriber_blackbox_methods, SUBSCRIBER_BLACKBOX_CHECKS),
    ],
)
def test_methods_are_named_in_the_stub(module: Any, catalog: Catalog) -> None:
    stub = Path(module.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    named = {line.split("(")[0].removeprefix("    def ") for line in stub.splitlines() if line.startswith("    def ")}
    assert named == {check.name for check in catalog}


def test_checks_leave_no_thread_behind() -> None:
    before = set(threading.enumerate())
    report = run(whitebox_of(ThreadedSubscriber), names=[HAPPY], environment=short_environment())
    assert report.is_success
    assert set(threading.enumerate()) - before == set()
