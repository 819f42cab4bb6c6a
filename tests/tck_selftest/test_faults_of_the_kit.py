"""What the self-test and its readers have found wrong with the kit itself, so that it does not come back."""

import logging
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from reactivestreams.tck import Environment, Outcome, run
from reactivestreams.tck.checks.publisher.cancel_checks import expect_collected
from reactivestreams.tck.kit.subject import missing_methods
from reactivestreams.tck.probes import observed_subscriber
from reactivestreams.tck.probes.manual_publisher import ManualPublisher
from reactivestreams.tck.probes.report_channels import ReportChannels
from tests.tck.processor_subjects import FanOutProcessor, processor_of
from tests.tck.subjects import IdleSubscription, SynchronousVerification
from tests.tck.subscriber_subjects import SteppingSubscriber, blackbox_of, whitebox_of
from tests.tck.subscriber_verdicts import SPEC203_COMPLETE, verdict_of
from tests.tck_selftest.fixtures.slow_shapes import slow_link
from tests.tck_selftest.judging import trial_environment
from tests.tck_selftest.publishers.numbers import Link, on_a_thread
from tests.tck_selftest.publishers.own_demand import CappedDemand
from tests.tck_selftest.publishers.publisher_case import failed_case, numbers_case
from tests.tck_selftest.publishers.reference_components import OnlySubscribing
from tests.tck_selftest.subscribers.own_subscribers import RequestingOutOfContext
from tests.tck_selftest.subscribers.subscriber_case import BlackboxCase

AFTER_ONE_THAT_HANGS = """
import threading
from reactivestreams.tck import Environment, Outcome, run
from tests.tck.subjects import ScriptedPublisher, SynchronousVerification
from tests.tck_selftest.publishers.publisher_case import PublisherCase

CHECK = "optional_spec213_error_of_a_subscriber_should_be_made_known"
environment = Environment(100, 20, watchdog_timeout_milliseconds=1500)
never = threading.Lock()
never.acquire()
hanging = PublisherCase(lambda elements: ScriptedPublisher(lambda subscriber, n: never.acquire()))
assert run(hanging, environment, names=[CHECK]).verdicts[0].outcome is Outcome.FAIL
print(run(SynchronousVerification, environment, names=[CHECK]).verdicts[0].outcome.name)
"""


@pytest.mark.slow
def test_correct_publisher_passes_after_one_that_hung() -> None:
    answer = subprocess.run(
        [sys.executable, "-c", AFTER_ONE_THAT_HANGS], capture_output=True, text=True, timeout=60, check=True
    )
    assert answer.stdout.strip() == "PASS"


def test_two_verifications_at_once_put_the_hooks_back() -> None:
    before = threading.excepthook, sys.unraisablehook
    begun, ended = threading.Event(), threading.Event()

    class First(SynchronousVerification):
        def create_publisher(self, elements: int) -> object:
            begun.set()
            ended.wait(10)
            return super().create_publisher(elements)

    names = ["required_spec102_may_signal_less_than_requested_and_terminate_subscription"]
    environment = Environment(400, 100)
    first = threading.Thread(target=lambda: run(First, environment, names=names))
    second = threading.Thread(target=lambda: run(SecondUntilFirstHasEnded, environment, names=names))

    class SecondUntilFirstHasEnded(SynchronousVerification):
        def create_publisher(self, elements: int) -> object:
            ended.set()
            first.join()
            return super().create_publisher(elements)

    try:
        first.start()
        begun.wait(10)
        second.start()
        second.join()
        assert (threading.excepthook, sys.unraisablehook) == before
    finally:
        threading.excepthook, sys.unraisablehook = before


class EndingByTimer(Link):
    """Signal the end from a timer, which is correct."""

    def deliver(self, call: Callable[..., None], *argument: Any) -> None:
        if call.__name__ == "on_complete":
            threading.Timer(0.01, call, argument).start()
        else:
            super().deliver(call, *argument)


@pytest.mark.slow
def test_publisher_that_signals_from_a_timer_lets_the_subscriber_go() -> None:
    names = ["required_spec106_subscription_must_be_inert_after_on_complete"]
    verdict = run(numbers_case(EndingByTimer)(), trial_environment(), names=names).verdicts[0]
    assert verdict.outcome is Outcome.PASS, verdict.message


@pytest.mark.slow
def test_publisher_that_makes_an_element_when_cancel_comes_lets_the_subscriber_go_after_it() -> None:
    names = ["required_spec313_subscriber_must_be_let_go_whenever_it_cancels"]
    environment = Environment(600, reference_timeout_milliseconds=60, variables={})
    subject = numbers_case(slow_link(0.4), run=on_a_thread)()
    verdict = run(subject, environment, names=names).verdicts[0]
    assert verdict.outcome is Outcome.PASS, verdict.message


def test_reports_can_be_searched_while_others_come() -> None:
    stop = threading.Event()
    logger = logging.getLogger("tests.tck_selftest.busy")

    def log() -> None:
        while not stop.is_set():
            logger.warning("busy")

    busy = threading.Thread(target=log, name="busy logger")
    with ReportChannels() as channels:
        busy.start()
        try:
            found = [channels.containing("never said") for _ in range(2000)]
        finally:
            stop.set()
            busy.join()
    assert found == [[]] * 2000


@pytest.mark.slow
def test_demand_that_is_too_small_is_not_called_a_hang() -> None:
    names = ["required_spec101_demand_must_be_met_exactly_across_batches"]
    environment = Environment(100, 20, watchdog_timeout_milliseconds=2000)  # 20 times the timeout, as by default
    verdict = run(numbers_case(CappedDemand)(), environment, names=names).verdicts[0]
    assert "it hangs" not in verdict.message


SLOW_THREADS = Environment(60_000, 1)
"""Time for whatever comes, on a machine where a thread takes longer to get its turn than a check waits in silence."""

A_WHILE_SECONDS = 0.05


def a_while_later(work: Callable[[], None]) -> None:
    threading.Timer(A_WHILE_SECONDS, work).start()


class ReportingLate(Link):
    """Make known what a subscriber has raised, from another thread."""

    def faulty(self, error: Exception) -> None:
        self.cancel()
        a_while_later(lambda: logging.getLogger(__name__).warning("a subscriber has raised %r", error))


@pytest.mark.slow
@pytest.mark.parametrize(
    "subject", [numbers_case(run=a_while_later), numbers_case(ReportingLate)], ids=["late element", "late report"]
)
def test_error_of_a_subscriber_may_be_made_known_late(subject: Callable[[], Any]) -> None:
    names = ["optional_spec213_error_of_a_subscriber_should_be_made_known"]
    verdict = run(subject(), SLOW_THREADS, names=names).verdicts[0]
    assert (verdict.outcome, verdict.message) == (Outcome.PASS, "")


class SubscribingOnAThread(Link):
    """Signal everything from threads."""

    def subscribed(self) -> None:
        on_a_thread(super().subscribed)


@pytest.mark.slow
def test_signals_of_two_subscriptions_of_one_subscriber_may_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    def look_slowly(candidate: object, methods: tuple[str, ...]) -> tuple[str, ...]:
        threading.Event().wait(A_WHILE_SECONDS)
        return missing_methods(candidate, methods)

    monkeypatch.setattr(observed_subscriber, "missing_methods", look_slowly)
    names = ["optional_spec110_same_subscriber_twice_must_be_served_or_rejected"]
    verdict = run(numbers_case(SubscribingOnAThread, run=on_a_thread)(), SLOW_THREADS, names=names).verdicts[0]
    assert (verdict.outcome, verdict.message) == (Outcome.PASS, "")


def test_stall_of_the_machine_is_not_charged_to_who_lets_a_subscriber_go(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = Environment(100, 20, reference_timeout_milliseconds=1).for_check("a check")
    kept: list[Any] = [SynchronousVerification()]
    stalls: list[float] = []

    def stall(milliseconds: float) -> None:
        stalls.append(milliseconds)
        threading.Event().wait(A_WHILE_SECONDS)
        if len(stalls) == 3:
            kept.clear()

    monkeypatch.setattr(environment, "pause", stall)
    expect_collected(weakref.ref(kept[0]), environment, "Publisher", "subscription cancellation")
    assert (environment.flops, len(stalls)) == ((), 3)


@pytest.mark.parametrize(
    ("check", "verification"),
    [
        (SPEC203_COMPLETE, whitebox_of(SteppingSubscriber)),
        ("required_spec401_upstream_must_be_left_alone_after_its_end", processor_of(FanOutProcessor)),
    ],
    ids=["subscriber", "processor"],
)
def test_late_request_just_before_the_end_is_none_after_it(
    check: str, verification: type[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    send_completion = ManualPublisher.send_completion

    def request_and_send_completion(publisher: ManualPublisher) -> BaseException | None:
        publisher.subscription.request(1)
        return send_completion(publisher)

    monkeypatch.setattr(ManualPublisher, "send_completion", request_and_send_completion)
    verdict = verdict_of(check, verification)
    assert (verdict.outcome, verdict.message) == (Outcome.PASS, "")


@pytest.mark.slow
def test_request_that_comes_late_is_waited_for_before_its_context_is_judged() -> None:
    names = ["optional_spec301_blackbox_subscription_should_be_called_in_the_context_of_a_signal"]
    verdict = run(BlackboxCase(RequestingOutOfContext), SLOW_THREADS, names=names).verdicts[0]
    assert "calls came from outside of signals, the first of them request" in verdict.message


class HeldUpOnce(SteppingSubscriber):
    """Lose the processor once, while it takes an element."""

    taken = 0

    def process(self, element: Any) -> None:
        self.taken += 1
        if self.taken == 3:
            threading.Event().wait(A_WHILE_SECONDS)
        super().process(element)


def test_single_call_that_takes_long_holds_no_publisher_up() -> None:
    check = "optional_spec202_blackbox_signals_should_return_quickly"
    verdict = verdict_of(check, blackbox_of(HeldUpOnce))
    assert (verdict.outcome, verdict.message) == (Outcome.PASS, "")


@pytest.mark.slow
def test_failed_publisher_that_floods_whoever_subscribes_is_stopped() -> None:
    def flood(subscriber: Any) -> None:
        subscriber.on_subscribe(IdleSubscription())
        for number in count():
            subscriber.on_next(number)

    verification = failed_case(lambda: OnlySubscribing(flood))
    names = ["optional_spec104_must_signal_on_error_when_fails"]
    verdict = run(verification(), trial_environment(), names=names).verdicts[0]
    assert verdict.message.startswith("Unexpected Subscriber::on_next(0); also: ")
    assert "raised" not in verdict.message
