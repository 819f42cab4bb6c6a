"""Checks of the edition 1.0.0.RC1 only: rejection in place of a subscription, and demand above the maximum.

The rules 1.12 and 1.13 of that edition are part of §1.9 and §1.11 in later ones, and are listed under those here.
"""

from typing import TYPE_CHECKING, Any

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher.active_publisher import LARGE_STREAM, active_publisher, failed_publisher
from reactivestreams.tck.checks.publisher.failure_checks import subscribe_to_failed
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import Edition
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.verdict import Outcome
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.manual_subscriber import UnexpectingSubscriber
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_RC1 = (Edition.RC1,)
_REJECT = "call on_error alone, once, before subscribe returns; later editions want on_subscribe first"
_EXCESSIVE_REQUESTS = 10


class _RefusedSubscriber(UnexpectingSubscriber):
    """Expect one `on_error` and no subscription."""

    def __init__(self, environment: CheckEnvironment) -> None:
        super().__init__(environment)
        self.failed = Latch(environment)

    def when_subscribe(self, subscription: Any) -> None:
        self.environment.flop("on_subscribe should not be called if Publisher is unable to subscribe a Subscriber")

    def when_error(self, error: Any) -> None:
        self.failed.assert_open("Only one on_error call expected")
        self.failed.close()


@check(rules=("1.4",), look_at="subscribe of the failed publisher", remedy=_REJECT, editions=_RC1, unmet=Outcome.FAIL)
def optional_spec104_rc1_must_signal_on_error_instead_of_on_subscribe_when_fails(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A failed publisher signals exactly one `on_error`, and no `on_subscribe`."""
    publisher = failed_publisher(subject)
    subscriber = _RefusedSubscriber(environment)
    subscribe_to_failed(publisher, subscriber, environment)
    subscriber.failed.expect_close(
        f"Error-state Publisher {safe_repr(publisher)} did not call `on_error` on new Subscriber"
    )
    environment.verify_no_async_errors()


@check(rules=("1.9",), look_at="subscribe of the failed publisher", remedy=_REJECT, editions=_RC1)
def required_spec112_may_reject_calls_to_subscribe_rejection_must_trigger_on_error_instead_of_on_subscribe(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A publisher that cannot serve a subscriber has signalled `on_error`, alone, when `subscribe` returns."""
    publisher = failed_publisher(subject)
    subscriber = _RefusedSubscriber(environment)
    environment.call_subscribe(publisher, subscriber)
    subscriber.failed.assert_closed("Should have received on_error")


@check(
    rules=("3.17",),
    look_at="how request adds to the demand",
    remedy=(
        "treat a sum above 2**63-1 as demand without limit, or signal on_error with an illegal state (RuntimeError) "
        "that cites 3.17"
    ),
    editions=_RC1,
)
def required_spec317_rc1_must_signal_on_error_when_pending_above_max_demand(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Demand above 2**63 - 1 is without limit, or leads to one `on_error` with a RuntimeError that contains "3.17".

    The text of the edition allows the first; the kit of its release, which names this check, accepts only the second,
    and the edition 1.0.0 requires the opposite.
    """
    publisher = active_publisher(subject, LARGE_STREAM)
    settled = Latch(environment)

    def exceed(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled <= _EXCESSIVE_REQUESTS:
            subscriber.request(MAX_DEMAND - 1)
        elif not settled.is_closed():
            subscriber.cancel()
            settled.close()

    subscriber = ScriptedSubscriber(environment, on_element=exceed, on_failed=lambda subscriber, error: settled.close())
    environment.subscribe(publisher, subscriber)
    subscriber.request(1)
    settled.expect_close(
        f"Expected more than {_EXCESSIVE_REQUESTS} elements, or on_error(RuntimeError), within "
        f"{environment.default_timeout_milliseconds} ms, got {subscriber.signalled} elements"
    )
    error = subscriber.error
    if error is not None and (not isinstance(error, RuntimeError) or "3.17" not in error_text(error)):
        environment.flop(f"Expected on_error(RuntimeError) with 3.17 in its message, got {safe_repr(error)}")
