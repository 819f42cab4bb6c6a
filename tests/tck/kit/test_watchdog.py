"""A check that hangs is given up: it fails, and what it left open is closed; one that is only slow is waited for."""

import threading
import time
from typing import Any

import pytest

from reactivestreams.tck import CheckEnvironment, Environment, Outcome, check, judge
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from reactivestreams.tck.kit.check_environment import TOO_SLOW
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from tests.tck.settings import short_environment
from tests.tck.subjects import IdleSubscription, ScriptedPublisher, WrongVerification

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


@pytest.mark.slow
def test_subject_whose_signals_come_slowly_is_too_slow_and_does_not_hang() -> None:
    is_over = threading.Event()

    def trickle(subscriber: Any, n: int) -> None:
        for number in range(n):
            if is_over.wait(0.05):
                return
            subscriber.on_next(number)

    publisher = ScriptedPublisher(trickle, lambda subscriber: is_over.set())

    @check()
    def required_a_thousand(subject: Any, environment: CheckEnvironment) -> None:
        subscriber = ScriptedSubscriber(environment)
        environment.subscribe(publisher, subscriber)
        subscriber.request(1000)

    settings = short_environment(watchdog_timeout_milliseconds=300)
    verdict = judge(required_a_thousand, WrongVerification(lambda elements: publisher), settings)
    assert (verdict.outcome, verdict.message.partition(":")[0]) == (Outcome.SKIP, TOO_SLOW)


@pytest.mark.slow
def test_time_counts_from_the_last_signal() -> None:
    environment = Environment(1_000, 20, watchdog_timeout_milliseconds=60_000).for_check("a check")
    subscriber = ScriptedSubscriber(environment)

    def send() -> None:
        subscriber.on_subscribe(IdleSubscription())
        subscriber.ledger.requesting(6)
        for number in range(6):
            time.sleep(0.25)
            subscriber.on_next(number)

    sender = threading.Thread(target=send)
    sender.start()
    came = subscriber.wait_signalled(6)
    sender.join()
    assert came


@pytest.mark.slow
def test_wait_that_signals_never_end_is_given_up_as_too_slow() -> None:
    environment = Environment(1_000, 20, watchdog_timeout_milliseconds=2_000).for_check("a check")
    subscriber = ScriptedSubscriber(environment)
    is_over = threading.Event()

    def send() -> None:
        subscriber.on_subscribe(IdleSubscription())
        subscriber.ledger.requesting(1000)
        while not is_over.wait(0.02):
            subscriber.on_next(0)

    sender = threading.Thread(target=send)
    sender.start()
    came = subscriber.wait_signalled(1000)
    is_over.set()
    sender.join()
    assert (came, environment.is_too_slow) == (False, True)


@pytest.mark.slow
def test_subject_that_stands_still_is_not_called_slow() -> None:
    environment = Environment(100, 20, watchdog_timeout_milliseconds=60_000).for_check("a check")
    subscriber = ScriptedSubscriber(environment)
    subscriber.on_subscribe(IdleSubscription())
    subscriber.ledger.requesting(2)
    subscriber.on_next(0)
    assert not subscriber.wait_signalled(2)
    assert not environment.is_too_slow
