"""A check that hangs is given up: it fails, and what it has left open is closed all the same."""

import threading

import pytest

from reactivestreams.tck import Outcome, judge
from reactivestreams.tck.publisher_checks import PUBLISHER_CHECKS
from tests.tck.settings import short_environment
from tests.tck.subjects import ScriptedPublisher, WrongVerification

HANGING_CHECK = "required_spec102_may_signal_less_than_requested_and_terminate_subscription"


@pytest.mark.slow
def test_subscription_of_a_check_that_was_given_up_is_cancelled() -> None:
    is_cancelled = threading.Event()
    publisher = ScriptedPublisher(
        lambda subscriber, n: bool(is_cancelled.wait()), lambda subscriber: is_cancelled.set()
    )
    verification = WrongVerification(lambda elements: publisher)
    verdict = judge(PUBLISHER_CHECKS[HANGING_CHECK], verification, short_environment(watchdog_timeout_milliseconds=300))
    assert (verdict.outcome, is_cancelled.wait(60)) == (Outcome.FAIL, True)
    assert "it hangs" in verdict.message
