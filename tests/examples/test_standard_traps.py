"""The compatibility kit sees the mistakes of the originals that the page about the examples says it sees."""

from typing import Any

import pytest

from examples.standard_examples import async_iterable_publisher, range_publisher
from examples.standard_examples.async_iterable_publisher import _IterableSubscription
from examples.standard_examples.range_publisher import _RangeSubscription
from examples.standard_examples.subscriber_verifications import SyncSubscriberBlackboxVerification, SyncSum
from examples.standard_examples.verifications import AsyncIterableVerification, RangeVerification
from reactivestreams.tck import Environment, Outcome, PublisherVerification, Verdict, run


class LastOfBatchIsFree(_IterableSubscription[Any]):
    def _send_batch(self) -> bool:
        is_left = super()._send_batch()
        if is_left:
            self.demand_after(-1)
        return is_left


class CompletesAfterError(_IterableSubscription[Any]):
    def finish(self, error: Exception | None = None) -> None:
        subscriber = self.receiver()
        super().finish(error)
        if error is not None and subscriber is not None:
            subscriber.on_complete()


class RefusedWithoutSubscription(_IterableSubscription[Any]):
    def _refused(self, reason: BaseException) -> None:
        self.finish(RuntimeError(f"the executor takes no work: {reason}"))


class CancelledAfterTheBatch(_IterableSubscription[Any]):
    is_cancelled = False

    def cancel(self) -> None:
        self.is_cancelled = True
        self._task.wake()

    def _send_batch(self) -> bool:
        is_left = super()._send_batch()
        if self.is_cancelled:
            super().cancel()
        return is_left


class LooksAtTheRequestFirst(_RangeSubscription):
    def __init__(self, numbers: range, subscriber: Any) -> None:
        super().__init__(numbers, subscriber)
        self._signals = subscriber

    def request(self, n: int, /) -> None:
        if n <= 0:
            self._signals.on_error(ValueError(f"§3.9: {n}"))
            self.cancel()
        else:
            super().request(n)


class WorksAfterTheEnd(SyncSum):
    """Neither terminal signal makes it over."""

    def on_complete(self) -> None:
        self.when_complete()


class ChecksNoneLater(SyncSum):
    """Looks at its state before it looks at what it was given."""

    def on_next(self, element: int, /) -> None:
        if self._subscription is not None:
            super().on_next(element)

    def on_error(self, error: Exception, /) -> None:
        if self._subscription is not None:
            super().on_error(error)


def verdict_of(
    mistake: type, verification: type[PublisherVerification], check: str, monkeypatch: pytest.MonkeyPatch
) -> Verdict:
    module: Any = async_iterable_publisher if issubclass(mistake, _IterableSubscription) else range_publisher
    monkeypatch.setattr(module, mistake.__mro__[1].__name__, mistake)
    (verdict,) = run(verification, Environment(200, 50), names=[check]).verdicts
    return verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "verification", "check", "rule"),
    [
        (
            LastOfBatchIsFree,
            AsyncIterableVerification,
            "required_spec101_demand_must_be_met_exactly_across_batches",
            "1.1",
        ),
        (
            CompletesAfterError,
            AsyncIterableVerification,
            "required_spec109_subscribe_must_return_normally_when_the_source_fails",
            "1.7",
        ),
        (
            RefusedWithoutSubscription,
            AsyncIterableVerification,
            "required_spec109_refused_executor_must_lead_to_on_error_after_on_subscribe",
            "1.9",
        ),
        (
            LooksAtTheRequestFirst,
            RangeVerification,
            "required_spec306_bad_request_after_cancel_must_be_a_nop",
            "3.6",
        ),
    ],
)
def test_kit_sees_the_mistake_of_the_original(
    mistake: type,
    verification: type[PublisherVerification],
    check: str,
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verdict = verdict_of(mistake, verification, check, monkeypatch)
    assert verdict.outcome is Outcome.FAIL
    assert rule in verdict.broken_rules


@pytest.mark.slow
def test_kit_reports_that_cancelling_waits_for_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    check = "optional_spec108_cancel_inside_on_next_should_take_effect_at_once"
    verdict = verdict_of(CancelledAfterTheBatch, AsyncIterableVerification, check, monkeypatch)
    assert verdict.outcome is Outcome.SKIP
    assert "signals came after cancel() inside on_next" in verdict.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mistake", "check", "rule"),
    [
        (WorksAfterTheEnd, "required_spec204_blackbox_must_not_request_after_on_complete", "2.4"),
        (ChecksNoneLater, "required_spec213_blackbox_none_must_be_refused_before_on_subscribe", "2.13"),
    ],
)
def test_kit_sees_the_mistake_of_the_original_subscriber(mistake: type[SyncSum], check: str, rule: str) -> None:
    class Verification(SyncSubscriberBlackboxVerification):
        kind = mistake

    (verdict,) = run(Verification, Environment(200, 50), names=[check]).verdicts
    assert verdict.outcome is Outcome.FAIL
    assert rule in verdict.broken_rules
