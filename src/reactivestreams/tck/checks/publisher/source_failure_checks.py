"""Checks of sources that fail while they are read, and of executors that refuse work (§1.4, §1.9)."""

from typing import TYPE_CHECKING, Any

from reactivestreams.tck.checks.publisher.active_publisher import publisher_failing_at
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.kit.failure import Skipped
from reactivestreams.tck.kit.subject import PUBLISHER_METHODS, made
from reactivestreams.tck.probes.refusing_executor import RefusingExecutor
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_FAILING_POSITION = 3
_LOOK_AT = "where the publisher reads its source, and where its exceptions are caught"
_REMEDY = "catch it, enter the terminal state, signal on_error once"


@check(rules=("1.4", "1.7"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec104_source_that_fails_midway_must_lead_to_on_error(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A source that fails at its fourth element leads to `on_error` after at most three elements, and to nothing else.

    When it fails: the error goes to the caller of `request`, kills a worker, or is followed by completion.
    """
    subscriber = _ended(publisher_failing_at(subject, _FAILING_POSITION), 10, environment)
    if subscriber.signalled > _FAILING_POSITION:
        environment.flop(
            f"{subscriber.signalled} elements came from a source that fails at element {_FAILING_POSITION}, "
            f"counted from 0"
        )


@check(rules=("1.9", "1.4", "1.7"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, editions=AFTER_RC1)
def required_spec109_subscribe_must_return_normally_when_the_source_fails(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """A source that fails at its first element leads to `on_subscribe`, then `on_error`, and to nothing else.

    When it fails: `subscribe` raises, or completion follows the error, as in the standard's own example.
    """
    _ended(publisher_failing_at(subject, 0), 1, environment)


@check(
    rules=("1.9", "1.4"),
    look_at="where work is submitted to the executor: what if that raises?",
    remedy="call on_subscribe first, then submit; if that raises, signal on_error",
    origin=Origin.EXTENDED,
    editions=AFTER_RC1,
)
def required_spec109_refused_executor_must_lead_to_on_error_after_on_subscribe(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """With an executor that refuses work, a subscriber gets `on_subscribe`, then `on_error`; nothing is raised.

    When it fails: the error is signalled without `on_subscribe`, as in the standard's own example, or is raised.
    """
    executor = RefusingExecutor()
    publisher = made(
        subject, "create_publisher_with_executor", executor, 5, methods=PUBLISHER_METHODS, none_allowed=True
    )
    if publisher is None:
        raise Skipped(
            "Skipping because no Publisher on a given executor provided; "
            "implement PublisherVerification.create_publisher_with_executor to run this test."
        )
    _ended(publisher, 1, environment)


def _ended(publisher: Any, n: int, environment: CheckEnvironment) -> ScriptedSubscriber:
    """Request n elements from a publisher and expect `on_error`, and nothing after it."""
    timeout = environment.default_timeout_milliseconds
    subscriber = ScriptedSubscriber(environment, on_failed=lambda subscriber, error: None)
    environment.call_subscribe(publisher, subscriber)
    if not subscriber.subscription.wait_completed():
        environment.flop_and_fail(f"Should have received on_subscribe within {timeout} ms")
    subscriber.request(n)
    if not subscriber.ended.wait_closed():
        environment.flop_and_fail(f"Should have received on_error within {timeout} ms")
    if subscriber.ledger.end != "on_error":
        environment.flop(f"Should have received on_error, but got {subscriber.ledger.end}")
    environment.verify_no_async_errors()
    return subscriber
