"""What the self-test has found wrong with the kit itself, so that it does not come back."""

import logging
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.tck import Environment, Outcome, run
from reactivestreams.tck.probes.report_channels import ReportChannels
from tests.tck.subjects import SynchronousVerification
from tests.tck_selftest.judging import trial_environment
from tests.tck_selftest.publishers.numbers import Link
from tests.tck_selftest.publishers.own_demand import CappedDemand
from tests.tck_selftest.publishers.publisher_case import numbers_case

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
