"""A publisher that is wrong in one way is failed by the check for that, in words that say so, and nothing hangs."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.tck import Environment, Outcome, PublisherVerification, Verdict, judge
from reactivestreams.tck.checks.publisher import PUBLISHER_CHECKS
from tests.tck.subjects import LinkOfNumbers, NumbersPublisher, ScriptedPublisher, WrongVerification


def verdict_of(check: str, subject: PublisherVerification) -> Verdict:
    return judge(PUBLISHER_CHECKS[check], subject, subject.create_environment())


def one_more_than_requested(subscriber: Any, n: int) -> None:
    for number in range(n + 1):
        subscriber.on_next(number)


class ReplacingLink(LinkOfNumbers):
    def added(self, n: int) -> int:
        return n


class WrappingLink(LinkOfNumbers):
    def added(self, n: int) -> int:
        return (self.demand + n + 2**63) % 2**64 - 2**63


class NarrowLink(LinkOfNumbers):
    def added(self, n: int) -> int:
        return (self.demand + n + 2**31) % 2**32 - 2**31


class BatchLink(LinkOfNumbers):
    def added(self, n: int) -> int:
        return super().added(n) + n // 1024


class UnstoppableLink(LinkOfNumbers):
    def cancel(self) -> None:
        """Do nothing."""


class TalkativeLink(LinkOfNumbers):
    def request(self, n: int, /) -> None:
        if self.is_over and n <= 0:
            self.kept.on_error(ValueError("§3.9"))
            return
        super().request(n)

    def end(self) -> Any:
        self.kept = self.subscriber or self.kept
        return super().end()


class RaisingLink(LinkOfNumbers):
    def refuse(self, n: int) -> None:
        raise ValueError(f"§3.9: {n}")


class NoneAtEndLink(LinkOfNumbers):
    def end(self) -> Any:
        subscriber = super().end()
        if subscriber is not None and self.sent == self.count:
            subscriber.on_next(None)
        return subscriber


class LockedLink(LinkOfNumbers):
    def send(self) -> None:
        with self.sending:
            super().send()

    def cancel(self) -> None:
        with self.sending:
            super().cancel()

    def __init__(self, count: int, subscriber: Any) -> None:
        super().__init__(count, subscriber)
        self.sending = threading.RLock()


class LeakyLink(LinkOfNumbers):
    def signal(self, call: Callable[..., None], *argument: Any) -> None:
        call(*argument)


class EndlessLink(LinkOfNumbers):
    def request(self, n: int, /) -> None:
        while True:
            time.sleep(0)


def mutant(link: type[LinkOfNumbers]) -> WrongVerification:
    return WrongVerification(lambda elements: NumbersPublisher(elements, link))


def scripted(request: Callable[[Any, int], None]) -> WrongVerification:
    return WrongVerification(lambda elements: ScriptedPublisher(request))


@pytest.mark.slow  # those that have to be stopped take about a second
@pytest.mark.parametrize(
    ("check", "subject", "rule", "message"),
    [
        (
            "required_spec101_subscription_request_must_result_in_the_correct_number_of_produced_elements",
            scripted(lambda subscriber, n: None),
            "1.1",
            "produced no element after first `request` within 100 ms",
        ),
        (
            "required_spec102_may_signal_less_than_requested_and_terminate_subscription",
            scripted(one_more_than_requested),
            "1.1",
            "Expected end-of-stream but got element [3]",
        ),
        (
            "required_spec306_after_subscription_is_cancelled_request_must_be_nops",
            scripted(one_more_than_requested),
            "3.6",
            "Did not expect an element but got element [0]",
        ),
        (
            "required_spec317_must_support_a_pending_element_count_up_to_max_demand",
            scripted(one_more_than_requested),
            "3.17",
            (
                "Received more than bufferSize (32) on_next signals. "
                "The Publisher probably emitted more signals than expected!"
            ),
        ),
        (
            "required_spec303_must_not_allow_unbounded_recursion",
            scripted(lambda subscriber, n: subscriber.on_next(0)),
            "3.3",
            "yet expected recursive bound was 1",
        ),
        (
            "required_spec303_stack_must_not_grow_with_the_length_of_the_stream",
            scripted(lambda subscriber, n: subscriber.on_next(0)),
            "3.3",
            "the stack grew from",
        ),
        (
            "required_spec308_request_inside_on_next_must_add_to_what_is_left",
            mutant(ReplacingLink),
            "3.8",
            "3 elements came, though 4 were requested in all",
        ),
        (
            "required_spec308_request_while_an_element_is_delivered_must_add",
            mutant(ReplacingLink),
            "3.8",
            "2 elements came, though 6 were requested in all",
        ),
        (
            "required_spec317_must_not_signal_on_error_when_pending_above_max_demand",
            mutant(WrappingLink),
            "3.17",
            "demand above 2**63-1 must not stall",
        ),
        (
            "required_spec317_demand_that_passes_the_maximum_must_still_be_served",
            mutant(WrappingLink),
            "3.17",
            "elements of 20 came, though 18446744073709551617 were requested",
        ),
        (
            "required_spec317_must_support_a_pending_element_count_up_to_max_demand",
            mutant(NarrowLink),
            "3.17",
            "Did not receive expected element or completion within 100 ms",
        ),
        (
            "required_spec101_demand_must_be_met_exactly_across_batches",
            mutant(BatchLink),
            "1.1",
            "is element number 1025, but only 1024 were requested",
        ),
        (
            "required_spec108_endless_source_must_fall_silent_after_cancel_inside_on_next",
            mutant(UnstoppableLink),
            "3.12",
            "the publisher still signals, 20000 elements after cancel() was called",
        ),
        (
            "required_spec312_cancel_must_make_the_publisher_to_eventually_stop_signaling",
            mutant(UnstoppableLink),
            "3.12",
            "the publisher still signals, 20000 elements after cancel() was called",
        ),
        (
            "required_spec306_bad_request_after_cancel_must_be_a_nop",
            mutant(TalkativeLink),
            "3.6",
            "Async error during test execution: §3.9",
        ),
        (
            "required_spec309_request_zero_must_signal_value_error",
            mutant(RaisingLink),
            "3.16",
            "request(0) raised ValueError: §3.9: 0",
        ),
        (
            "required_spec105_must_signal_on_complete_when_finite_stream_terminates",
            mutant(NoneAtEndLink),
            "2.13",
            "on_next(None): a signal never carries None",
        ),
        (
            "required_spec305_cancel_must_return_while_on_next_is_running",
            mutant(LockedLink),
            "3.5",
            "cancel() did not return within 100 ms while on_next was running",
        ),
        (
            "required_spec213_subscriber_that_raises_in_on_next_must_be_left_alone",
            mutant(LeakyLink),
            "3.16",
            "raised RuntimeError: a subscriber raises in on_next",
        ),
    ],
)
def test_mutant_is_killed(check: str, subject: PublisherVerification, rule: str, message: str) -> None:
    verdict = verdict_of(check, subject)
    assert verdict.outcome is Outcome.FAIL
    assert rule in verdict.broken_rules
    assert message in verdict.message


def test_what_is_right_about_a_mutant_passes() -> None:
    verdict = verdict_of(
        "required_spec101_subscription_request_must_result_in_the_correct_number_of_produced_elements",
        mutant(NarrowLink),
    )
    assert verdict.outcome is Outcome.PASS
    assert verdict.message == ""


@pytest.mark.slow
def test_signals_from_ten_threads_at_once_are_seen() -> None:
    def from_all_threads(subscriber: Any, n: int) -> None:
        together = threading.Barrier(10)

        def emit() -> None:
            together.wait()
            for number in range(n):
                subscriber.on_next(number)

        if not started:
            started.extend(threading.Thread(target=emit, daemon=True) for _ in range(10))
            for thread in started:
                thread.start()

    started: list[threading.Thread] = []
    verdict = verdict_of("stochastic_spec103_must_signal_on_methods_sequentially", scripted(from_all_threads))
    for thread in started:
        thread.join()
    assert verdict.outcome is Outcome.FAIL
    assert "1.3" in verdict.broken_rules or "1.1" in verdict.broken_rules


def test_optional_check_that_is_not_met_is_skipped_with_the_reason() -> None:
    verdict = verdict_of(
        "optional_spec105_empty_stream_must_terminate_by_signalling_on_complete",
        scripted(lambda subscriber, n: None),
    )
    assert verdict.outcome is Outcome.SKIP
    assert verdict.message == (
        "Skipped because tested publisher does NOT implement this OPTIONAL requirement. "
        "Reason for skipping was: Did not receive expected stream completion within 100 ms"
    )


def test_optional_check_does_not_swallow_the_breach_of_another_rule() -> None:
    class EndsBeforeItBegins:
        def subscribe(self, subscriber: Any, /) -> None:
            subscriber.on_complete()

    verdict = verdict_of(
        "optional_spec105_empty_stream_must_terminate_by_signalling_on_complete",
        WrongVerification(lambda elements: EndsBeforeItBegins()),
    )
    assert verdict.outcome is Outcome.FAIL
    assert "1.9" in verdict.broken_rules
    assert "Subscriber::on_complete() called before Subscriber::on_subscribe" in verdict.message


@pytest.mark.slow
def test_publisher_that_never_returns_fails_with_the_stacks_of_all_threads() -> None:
    before = set(threading.enumerate())
    subject = mutant(EndlessLink)
    verdict = judge(
        PUBLISHER_CHECKS["required_spec102_may_signal_less_than_requested_and_terminate_subscription"],
        subject,
        Environment(100, 20, watchdog_timeout_milliseconds=300),
    )
    assert verdict.outcome is Outcome.FAIL
    assert verdict.message.startswith("did not finish within 0.3 s: it hangs")
    assert "time.sleep(0)" in verdict.evidence.stacks
    assert set(threading.enumerate()) - before == set()  # the thread was made to leave its loop


def test_evidence_tells_what_was_done_and_what_to_do() -> None:
    verdict = verdict_of(
        "required_spec102_may_signal_less_than_requested_and_terminate_subscription", mutant(NoneAtEndLink)
    )
    signals = [(record.receiver, record.signal, record.argument) for record in verdict.evidence.signals]
    assert signals[:4] == [
        ("publisher", "subscribe", "subscriber 1"),
        ("subscriber 1", "on_subscribe", "<NoneAtEndLink>"),
        ("subscriber 1's subscription", "request", "10"),
        ("subscriber 1", "on_next", "0"),
    ]
    text = verdict.render()
    for part in ("FAIL (§1.2, ", "what happened:", "look at:", "remedy:", verdict.evidence.remedy):
        assert part in text


@pytest.mark.slow
def test_flood_that_swallows_exceptions_is_stopped() -> None:
    before = set(threading.enumerate())

    def flood(subscriber: Any, n: int) -> None:
        while True:
            try:
                subscriber.on_next(0)
            except Exception:
                continue

    verdict = verdict_of("required_spec317_must_support_a_pending_element_count_up_to_max_demand", scripted(flood))
    assert verdict.outcome is Outcome.FAIL
    assert verdict.message.startswith("Received more than bufferSize (32) on_next signals.")
    assert set(threading.enumerate()) - before == set()
