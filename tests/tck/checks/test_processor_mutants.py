"""A processor that is wrong in one way is failed by the check for that, in words that say so."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.tck import Environment, Outcome, Verdict, judge
from tests.tck.processor_subjects import FanOutProcessor, Link, ProcessorOf, processor_of
from tests.tck.settings import short_environment

SPEC104 = "required_spec104_must_call_on_error_on_all_its_subscribers_if_it_encounters_a_non_recoverable_error"
AT_ONCE = "must_immediately_pass_on_on_error_events_received_from_its_upstream_to_its_downstream"
LONG_AGO = "required_must_request_from_upstream_for_elements_that_have_been_requested_long_ago"
SPEC205 = (
    "required_spec205_must_call_subscription_cancel_if_it_already_has_an_subscription_and_receives_another_on"
    "_subscribe_signal"
)
SPEC208 = "required_spec208_must_be_prepared_to_receive_on_next_signals_after_having_called_subscription_cancel"


class DelaysErrors(FanOutProcessor):
    """Pass an error on only to who has demand."""

    def fail(self, error: Any) -> None:
        with self.lock:
            ready = [link for link in self.links if link.demand]
        for link in ready:
            link.signal(lambda link=link: link.finish().on_error(error))  # type: ignore[misc]


class SwallowsErrors(FanOutProcessor):
    def fail(self, error: Any) -> None:
        """Do nothing."""


class AsksOnce(FanOutProcessor):
    has_asked = False

    def wanted(self) -> int:
        if self.has_asked or not super().wanted():
            return 0
        self.has_asked = True
        return 1


class ServesTheFirst(FanOutProcessor):
    """Pass elements on to its first subscriber only."""

    def may_emit(self, link: Link) -> bool:
        return link is self.links[0] and super().may_emit(link)


class FailsTheFirst(FanOutProcessor):
    """Pass errors on to its first subscriber only."""

    def fail(self, error: Any) -> None:
        with self.lock:
            first, *_ = self.links
        first.signal(lambda: first.finish().on_error(error))


class KeepsUpstream(FanOutProcessor):
    def leave(self) -> None:
        """Do nothing."""


class KeepsSecond(FanOutProcessor):
    def refuse_second(self, subscription: Any) -> None:
        """Do nothing."""


class RequestsAtEnd(FanOutProcessor):
    def complete(self) -> None:
        self.upstream.request(1)
        super().complete()


class LosesWhatWaits(FanOutProcessor):
    """Drop what waits for demand when the end comes."""

    def complete(self) -> None:
        with self.lock:
            for link in self.links:
                link.waiting.clear()
        super().complete()


class EmitsUnasked(FanOutProcessor):
    def may_emit(self, link: Link) -> bool:
        return True


class EndWaitsForDemand(FanOutProcessor):
    def complete(self) -> None:
        if any(link.demand for link in self.links):
            super().complete()


class AsksAfterEnd(FanOutProcessor):
    """Request of the upstream whatever has happened to it."""

    def ask(self) -> None:
        if self.ending is not None:
            self.upstream.request(1)
        super().ask()


class Reorders(FanOutProcessor):
    """Put every second element before the one that waits."""

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        with self.lock:
            for link in self.links:
                link.waiting.rotate(1)


class LinkOfTwoVoices(Link):
    """Request of the upstream on the thread that requests here, whoever else is at it."""

    def request(self, n: int, /) -> None:
        super().request(n)
        upstream = self.processor.upstream
        if n > 0 and upstream is not None and not self.is_over:
            upstream.request(1)


class TwoVoices(FanOutProcessor):
    def link(self, subscriber: Any) -> Link:
        return LinkOfTwoVoices(self, subscriber)


class LinkOfRepeats(Link):
    def next_step(self) -> Callable[[], None] | None:
        step = super().next_step()
        if step is not None and self.waiting is not None and self.subscriber is not None:
            return lambda: (step(), step())[0]  # type: ignore[func-returns-value]
        return step


class Repeats(FanOutProcessor):
    def link(self, subscriber: Any) -> Link:
        return LinkOfRepeats(self, subscriber)


def verdict_of(check: str, verification: type[Any], environment: Environment | None = None) -> Verdict:
    subject = verification()
    return judge(subject.catalog[check], subject, short_environment() if environment is None else environment)


@pytest.mark.parametrize(
    ("check", "kind", "rule", "message"),
    [
        (AT_ONCE, DelaysErrors, "4.2", "Did not receive expected error on downstream within 100 ms"),
        (SPEC104, DelaysErrors, "1.4", "Did not receive expected error on downstream within 100 ms"),
        (AT_ONCE, SwallowsErrors, "4.2", "Did not receive expected error on downstream within 100 ms"),
        (
            "required_spec210_must_be_prepared_to_receive_an_on_error_signal_without_preceding_request_call",
            SwallowsErrors,
            "2.10",
            "did not call `register_on_error(",
        ),
        (LONG_AGO, AsksOnce, "2.1", "Did not receive expected `request` call within 100 ms"),
        (LONG_AGO, ServesTheFirst, "2.1", "timeout while awaiting 2 within 100 ms"),
        (SPEC104, FailsTheFirst, "1.4", "Did not receive expected error on downstream within 100 ms"),
        (
            "required_exercise_whitebox_happy_path",
            KeepsUpstream,
            "",
            "Did not receive expected cancelling of upstream subscription within 100 ms",
        ),
        (SPEC208, KeepsUpstream, "2.8", "Did not receive expected cancelling of upstream subscription within 100 ms"),
        (SPEC205, KeepsSecond, "2.5", "Expected 2nd Subscription given to subscriber to be cancelled"),
        (
            "required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_complete",
            RequestsAtEnd,
            "2.3",
            "Subscription::request MUST NOT be called from Subscriber::on_complete (Rule 2.3)!",
        ),
        (
            "required_spec401_every_element_must_be_passed_on_in_order",
            AsksOnce,
            "4.1",
            "Did not receive expected `requ",
        ),
        (
            "required_spec401_every_element_must_be_passed_on_in_order",
            Repeats,
            "1.1",
            "is element number 2, but only 1",
        ),
        ("required_spec401_elements_must_wait_for_demand", EmitsUnasked, "1.1", "is element number 2, but only 1 were"),
        ("required_spec401_elements_must_wait_for_demand", Reorders, "4.1", "on downstream but expected `on_next(1)`"),
        (
            "required_spec401_end_must_be_passed_on_without_demand",
            EndWaitsForDemand,
            "4.1",
            "Did not receive expected stream completion within 100 ms",
        ),
        (
            "required_spec401_end_must_follow_the_elements_before_it",
            LosesWhatWaits,
            "4.1",
            "Expected element but got end-of-stream",
        ),
        (
            "required_spec402_upstream_must_be_left_alone_after_its_error",
            AsksAfterEnd,
            "4.2",
            "request of the upstream's subscription was called after it had ended: it is cancelled then",
        ),
        (
            "required_spec401_upstream_must_be_left_alone_after_its_end",
            AsksAfterEnd,
            "2.4",
            "request of the upstream's subscription was called after it had ended: it is cancelled then",
        ),
        pytest.param(
            "stochastic_spec207_requests_from_below_must_not_overlap_those_of_the_processor",
            TwoVoices,
            "2.7",
            "was called while request was running on another thread",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_wrong_processor_is_failed(check: str, kind: type[Any], rule: str, message: str) -> None:
    verdict = verdict_of(check, processor_of(kind))
    assert verdict.outcome is Outcome.FAIL
    assert message in verdict.message
    assert rule in verdict.broken_rules if rule else verdict.broken_rules == ()


def test_processor_that_keeps_its_upstream_passes_if_it_says_so() -> None:
    class Keeping(ProcessorOf):
        kind = KeepsUpstream

        def cancels_upstream(self) -> bool:
            return False

    assert verdict_of("required_exercise_whitebox_happy_path", Keeping).message == ""
    assert verdict_of(SPEC208, Keeping).message == ""
    verdict = verdict_of("optional_spec401_upstream_should_be_cancelled_with_the_last_subscriber", Keeping)
    assert verdict.message == "The processor keeps its upstream when its last subscriber has cancelled."


def test_nothing_is_called_where_too_few_subscribers_are_supported() -> None:
    class Alone(ProcessorOf):
        def create_identity_processor(self, buffer_size: int) -> Any:
            return None

        def max_supported_subscribers(self) -> int:
            return 1

    verdict = verdict_of(SPEC104, Alone)
    assert verdict.outcome is Outcome.SKIP
    assert verdict.message == (
        "The Publisher under test only supports 1 subscribers, while this test requires at least 2 to run."
    )


class AnswersWithNought:
    """Request one element upstream, answer each request with 0, and swallow errors."""

    def on_subscribe(self, subscription: Any, /) -> None:
        subscription.request(1)

    def on_next(self, element: Any, /) -> None:
        """Do nothing."""

    def on_error(self, error: Any, /) -> None:
        """Do nothing."""

    def on_complete(self) -> None:
        """Do nothing."""

    def subscribe(self, subscriber: Any, /) -> None:
        class Answering:
            def request(self, n: int, /) -> None:
                subscriber.on_next(0)

            def cancel(self) -> None:
                """Do nothing."""

        subscriber.on_subscribe(Answering())


class TenForOne:
    """Emit ten elements for each request, whatever it asks for."""

    def subscribe(self, subscriber: Any, /) -> None:
        class Generous:
            def request(self, n: int, /) -> None:
                for number in range(10):
                    subscriber.on_next(number)

            def cancel(self) -> None:
                """Do nothing."""

        subscriber.on_subscribe(Generous())


def test_swallowed_error_is_reported_though_the_helper_publisher_is_wrong_too() -> None:
    class Swallowing(ProcessorOf):
        kind = AnswersWithNought

        def create_helper_publisher(self, elements: int) -> Any:
            return TenForOne()

    verdict = verdict_of(SPEC104, Swallowing)
    assert verdict.outcome is Outcome.FAIL
    assert "Did not receive expected error on downstream within 100" in verdict.message


def test_processor_that_emits_while_it_is_subscribed_to_is_failed() -> None:
    class Hasty(FanOutProcessor):
        """Put a new subscriber among the others before on_subscribe has returned."""

        def subscribe(self, subscriber: Any, /) -> None:
            if subscriber is None:
                raise TypeError("§1.9: subscribe(None)")
            link = self.link(subscriber)
            link.is_draining = False
            self.links.append(link)
            link.signal(lambda: subscriber.on_subscribe(link))
            link.start()

    verdict = verdict_of("required_spec103_no_signal_must_begin_before_on_subscribe_has_returned", processor_of(Hasty))
    assert verdict.outcome is Outcome.FAIL
    assert "Illegal concurrent access detected" in verdict.message
