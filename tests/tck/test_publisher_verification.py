"""Correct publishers of every shape pass, with exactly the skips that their shape explains."""

import threading
import unittest
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reactivestreams import BasePublisher, Stream
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck import Edition, Environment, Outcome, PublisherVerification, Report, run
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from reactivestreams.tck.probes.source_publishers import AsynchronousPublisher
from tests.tck.reference_names import PUBLISHER_TESTS
from tests.tck.subjects import (
    AsynchronousVerification,
    EmptyVerification,
    EndlessVerification,
    ExecutorVerification,
    LinkOfNumbers,
    NumbersPublisher,
    SingleVerification,
    SynchronousVerification,
)


class RangeVerification(PublisherVerification):
    def create_publisher(self, elements: int) -> Any:
        return Stream.range(elements)

    def create_failed_publisher(self) -> Any:
        return Stream.error(RuntimeError("the source has failed"))

    def create_publisher_failing_at(self, position: int) -> Any:
        return Stream.range(position + 10).map(lambda number: number // (position - number))


class IterableVerification(RangeVerification):
    def create_publisher(self, elements: int) -> Any:
        return Stream.from_iterable(range(elements))


class Generated(BasePublisher[int]):
    def __init__(self, elements: int) -> None:
        self._elements = elements

    def generate(self, demand: object, /) -> Iterable[int]:
        return iter(range(self._elements))


class BaseClassVerification(RangeVerification):
    def create_publisher(self, elements: int) -> Any:
        return Generated(elements)


def failures(report: Report) -> list[str]:
    return [verdict.render() for verdict in report.failed]


def reference_skips(report: Report) -> list[str]:
    return [verdict.check for verdict in report.skipped if verdict.origin == "reference"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("subject", "skipped"),
    [
        (SynchronousVerification, 7),
        (AsynchronousVerification, 7),
        (RangeVerification, 7),
        (IterableVerification, 7),
        (BaseClassVerification, 7),
        (EndlessVerification, 18),
        # The standard's kit passes an "empty" publisher of one element; here that is a skip.
        (SingleVerification, 27),
        (EmptyVerification, 31),
    ],
)
def test_correct_publisher_passes(subject: type[PublisherVerification], skipped: int) -> None:
    report = run(subject)
    assert failures(report) == []
    assert report.is_success
    assert len(reference_skips(report)) == skipped
    assert report.threads_left == ()


@pytest.mark.slow
def test_checks_in_parallel_do_not_starve_a_publisher_with_two_threads() -> None:
    with ThreadPoolExecutor(2, "tck-test") as executor:

        class Verification(ExecutorVerification):
            def create_publisher(self, elements: int) -> Any:
                return AsynchronousPublisher(elements, executor=executor)

            def expected_elements(self, count: int) -> range:
                return range(count)

        report = run(Verification)
    assert failures(report) == []
    assert [verdict.check for verdict in report.skipped if not verdict.check.startswith("untested_")] == []


@pytest.mark.slow
def test_a_whole_verification_takes_less_time_than_a_newcomer_waits() -> None:
    # Waits that end early cost nothing: nearly all of it is silence, of which the longest check has three times.
    report = run(RangeVerification, Environment(10_000, 100, watchdog_timeout_milliseconds=60_000))
    waited = max(verdict.duration_seconds for verdict in report.verdicts)
    assert failures(report) == []
    assert waited < 10  # no check has waited for a timeout


def test_every_test_of_the_standard_is_there() -> None:
    assert reference_tests(Edition.JVM) == set(PUBLISHER_TESTS)
    assert len(PUBLISHER_TESTS) == 38


def reference_tests(edition: Edition) -> set[str]:
    return {check.name for check in PUBLISHER_CHECKS.chosen(None, edition) if check.origin.value == "reference"}


def test_other_editions_have_the_tests_of_their_kits() -> None:
    assert set(PUBLISHER_TESTS) - reference_tests(Edition.DOTNET) == {
        "optional_spec111_registered_subscribers_must_receive_on_next_or_on_complete_signals",
        "optional_spec309_request_negative_number_may_signal_value_error_with_specific_message",
    }
    assert len(reference_tests(Edition.DOTNET)) == 36
    assert len(reference_tests(Edition.RC1)) == 33


class CandidateVerification(SynchronousVerification):
    """A correct publisher of the release candidate."""

    def create_publisher(self, elements: int) -> Any:
        return CandidatePublisher(elements)

    def create_failed_publisher(self) -> Any:
        class Rejecting:
            def subscribe(self, subscriber: Any, /) -> None:
                subscriber.on_error(RuntimeError("the publisher is shut down"))

        return Rejecting()


class CandidateLink(LinkOfNumbers):
    def added(self, n: int) -> int:
        if self.demand + n > MAX_DEMAND:
            self.exceeded = True
        return super().added(n)

    exceeded = False
    error: Exception = RuntimeError("§3.17: demand above 2**63-1")

    def signal(self, call: Callable[..., None], *argument: Any) -> None:
        super().signal(call, *argument)
        if self.exceeded and not self.is_over:
            super().signal(self.end().on_error, self.error)


class CandidatePublisher:
    def __init__(self, elements: int) -> None:
        self._numbers = NumbersPublisher(elements, CandidateLink)

    def subscribe(self, subscriber: Any, /) -> None:
        self._numbers.subscribe(subscriber)


@pytest.mark.slow
@pytest.mark.parametrize("edition", [Edition.DOTNET, Edition.RC1])
def test_correct_publisher_of_another_edition_passes(edition: Edition) -> None:
    report = run(
        CandidateVerification if edition is Edition.RC1 else SynchronousVerification, Environment(edition=edition)
    )
    assert failures(report) == []


@pytest.mark.slow
def test_publisher_of_another_edition_fails_where_the_editions_differ() -> None:
    candidate = run(CandidateVerification, names=["optional_spec104_must_signal_on_error_when_fails"])
    assert [verdict.outcome for verdict in candidate.verdicts] == [Outcome.FAIL]
    current = run(SynchronousVerification, Environment(edition="rc1"))
    assert {verdict.check for verdict in current.failed} == {
        "optional_spec104_rc1_must_signal_on_error_instead_of_on_subscribe_when_fails",
        "required_spec112_may_reject_calls_to_subscribe_rejection_must_trigger_on_error_instead_of_on_subscribe",
    }


class LosingLink(LinkOfNumbers):
    def added(self, n: int) -> int:
        return 0 if self.demand + n > MAX_DEMAND else self.demand + n


class WrongErrorLink(CandidateLink):
    error = ValueError("the demand is too high")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("link", "passes"), [(LinkOfNumbers, True), (CandidateLink, True), (LosingLink, False), (WrongErrorLink, False)]
)
def test_release_candidate_takes_demand_above_the_maximum_for_unbounded_or_an_error(
    link: type[LinkOfNumbers], passes: bool
) -> None:
    class Verification(CandidateVerification):
        def create_publisher(self, elements: int) -> Any:
            return NumbersPublisher(elements, link)

    name = "required_spec317_rc1_must_signal_on_error_when_pending_above_max_demand"
    (verdict,) = run(Verification, Environment(edition="rc1"), names=[name]).verdicts
    assert (verdict.outcome is Outcome.PASS, verdict.outcome is Outcome.FAIL) == (passes, not passes)


def test_every_check_is_documented_and_says_what_to_do() -> None:
    silent = [
        check.name
        for check in PUBLISHER_CHECKS
        if not check.claim or (check.kind.value != "untested" and not (check.look_at and check.remedy))
    ]
    assert silent == []


def test_what_the_standard_leaves_untested_names_the_check_that_is_not() -> None:
    subject = SynchronousVerification()
    for check in PUBLISHER_CHECKS:
        if check.kind.value == "untested":
            verdict = check(subject, Environment(100))
            assert verdict.outcome is Outcome.SKIP
            assert verdict.message.startswith("Not verified by this TCK.")
            assert verdict.message.split("; ")[1].removesuffix(" verifies it.") in PUBLISHER_CHECKS


def test_every_publisher_and_subscription_rule_has_a_check() -> None:
    checked = {rule for check in PUBLISHER_CHECKS if check.kind.value != "untested" for rule in check.rules}
    chapter_one = {f"1.{number}" for number in range(1, 12)}
    # §3.1, §3.10 and §3.11 bind or permit something to the other side; no check of a publisher can break them.
    chapter_three = {f"3.{number}" for number in range(2, 18)} - {"3.10", "3.11"}
    assert checked >= chapter_one | chapter_three | {"2.12", "2.13"}


def test_check_runs_as_a_method_of_any_runner_of_tests() -> None:
    class Case(RangeVerification, unittest.TestCase):
        def test_one(self) -> None:
            self.required_spec102_may_signal_less_than_requested_and_terminate_subscription()

        def test_other(self) -> None:
            self.untested_spec110_reject_a_subscription_request_if_the_same_subscriber_subscribes_twice()

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert (result.testsRun, len(result.failures), len(result.errors), len(result.skipped)) == (2, 0, 0, 1)


def test_methods_are_named_in_the_stub() -> None:
    from pathlib import Path

    from reactivestreams.tck.checks.publisher import methods as publisher_methods

    stub = Path(publisher_methods.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    named = {line.split("(")[0].removeprefix("    def ") for line in stub.splitlines() if line.startswith("    def ")}
    assert named == {check.name for check in PUBLISHER_CHECKS}


def test_checks_leave_no_thread_behind() -> None:
    before = set(threading.enumerate())
    report = run(
        AsynchronousVerification,
        names=["required_spec103_no_signal_must_begin_before_on_next_has_returned"],
    )
    assert report.is_success
    assert set(threading.enumerate()) - before == set()
