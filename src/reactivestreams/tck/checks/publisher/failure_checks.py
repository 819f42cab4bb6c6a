"""Checks that a failure is signalled, once and after `on_subscribe` (§1.4, §1.9)."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.publisher.active_publisher import failed_publisher
from reactivestreams.tck.kit.check import check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.kit.element_text import error_text, safe_repr
from reactivestreams.tck.kit.failure import BufferOverflowError, Failed, PublisherStopped
from reactivestreams.tck.kit.verdict import Outcome
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.manual_subscriber import UnexpectingSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "subscribe of the failed publisher: what it signals and in which order"
_REMEDY = "call on_subscribe with a subscription, then on_error once; raise nothing"


class _RejectedSubscriber(UnexpectingSubscriber):
    """Expect `on_subscribe`, then one `on_error`, and never request."""

    def __init__(self, environment: CheckEnvironment, *, twice: str) -> None:
        super().__init__(environment)
        self.subscribed = Latch(environment)
        self.failed = Latch(environment)
        self._twice = twice

    def when_subscribe(self, subscription: Any) -> None:
        self.subscribed.close()

    def when_error(self, error: Any) -> None:
        self.subscribed.assert_closed("on_subscribe should be called prior to on_error always")
        self.failed.assert_open(self._twice)
        self.failed.close()


@check(rules=("1.4",), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1, unmet=Outcome.FAIL)
def optional_spec104_must_signal_on_error_when_fails(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A failed publisher signals `on_subscribe`, then exactly one `on_error`, without a request.

    Optional only because there may be no failed publisher: one that misbehaves fails. When it fails: `subscribe`
    raises, or the error waits for demand or is signalled twice.
    """
    publisher = failed_publisher(subject)
    name = safe_repr(publisher)
    subscriber = _RejectedSubscriber(
        environment, twice=f"Error-state Publisher {name} called `on_error` twice on new Subscriber"
    )
    subscribe_to_failed(publisher, subscriber, environment)
    subscriber.subscribed.expect_close("Should have received on_subscribe")
    subscriber.failed.expect_close(f"Error-state Publisher {name} did not call `on_error` on new Subscriber")
    environment.verify_no_async_errors()


@check(rules=("1.9", "1.4"), look_at=_LOOK_AT, remedy=_REMEDY, editions=AFTER_RC1)
def required_spec109_may_reject_calls_to_subscribe_if_publisher_is_unable_or_unwilling_to_serve_them_rejection_must_trigger_on_error_after_on_subscribe(  # noqa: E501
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A publisher that cannot serve a subscriber signals `on_error`, once and after `on_subscribe`.

    When it fails: the publisher is silent, or signals the error without `on_subscribe` before it.
    """
    publisher = failed_publisher(subject)
    subscriber = _RejectedSubscriber(environment, twice="Only one on_error call expected")
    environment.call_subscribe(publisher, subscriber)
    subscriber.subscribed.expect_close("Should have received on_subscribe")
    subscriber.failed.expect_close("Should have received on_error")


def subscribe_to_failed(publisher: Any, subscriber: UnexpectingSubscriber, environment: CheckEnvironment) -> None:
    """Subscribe to a publisher that must signal its failure.

    Raises:
        Failed: It raised the failure. If the subscriber itself raised to stop a flood of elements, that was recorded
            before.
    """
    environment.log.signal("publisher", "subscribe", subscriber)
    try:
        publisher.subscribe(subscriber)
    except (BufferOverflowError, PublisherStopped):
        return
    except Exception as error:
        raise Failed(
            f"Publisher threw exception ({error_text(error)}) instead of signalling error via on_error!"
        ) from error
