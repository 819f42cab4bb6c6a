"""Checks of counts beyond 64 bits, and of demand above the maximum, which must still be served (§3.16, §3.17)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher.active_publisher import active_publisher
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.edition import AFTER_RC1
from reactivestreams.tck.probes.parking import Parking
from reactivestreams.tck.probes.peer_thread import PeerThread
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_LOOK_AT = "the type that request takes: an integer of 64 bits refuses larger ones before the method is entered"
_REMEDY = "accept any integer, clamp it at 2**63-1, and treat everything below 1 as a bad request"
_HUGE = (2**63, 2**64, 10**30)
_ELEMENTS = 20


@check(rules=("3.16", "3.17"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED, editions=AFTER_RC1)
def required_spec316_request_must_return_normally_for_huge_counts(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`request` of 2**63, 2**64 and 10**30 raises nothing and is served like unbounded demand.

    When it fails with OverflowError: the count was converted to a fixed number of bits before it was clamped.
    """
    elements = countable(3, subject, "3.16")
    for n in _HUGE:
        subscriber = ScriptedSubscriber(environment, on_element=_cancel_at(elements))
        environment.subscribe(active_publisher(subject, elements), subscriber)
        subscriber.request(n)
        if not subscriber.wait_signalled(elements):
            environment.flop(f"request({n}) brought {subscriber.signalled} elements of {elements}")


@check(rules=("3.16", "3.9"), look_at=_LOOK_AT, remedy=_REMEDY, origin=Origin.EXTENDED)
def required_spec316_request_must_return_normally_for_huge_negative_counts(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`request` of -2**63-1 and -10**30 raises nothing and leads to `on_error` with a ValueError.

    When it fails with OverflowError: the count was converted to a fixed number of bits before it was checked.
    """
    for n in (-(2**63) - 1, -(10**30)):
        subscriber = environment.new_manual_subscriber(active_publisher(subject, 3))
        subscriber.request(n)
        subscriber.expect_error(ValueError)


@check(
    rules=("3.17", "3.8"),
    look_at="how request adds to the demand while the publisher is sending",
    remedy="clamp the sum at 2**63-1: a sum that wraps to a negative number stalls the stream forever",
    origin=Origin.EXTENDED,
    editions=AFTER_RC1,
)
def required_spec317_demand_that_passes_the_maximum_must_still_be_served(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """With the first element held, two further requests of 2**63 - 1 deliver all twenty elements afterwards.

    When it fails: the sum has wrapped, and the publisher waits for demand that it already has. The standard's kit does
        not notice that.
    """
    _exceed_while_held((3,), (MAX_DEMAND, MAX_DEMAND), subject, environment)


@check(
    rules=("3.17", "3.8"),
    look_at="what request does to demand that is already unbounded",
    remedy="leave unbounded demand as it is: a later request of any size neither replaces nor resets it",
    origin=Origin.EXTENDED,
    editions=AFTER_RC1,
)
def required_spec317_unbounded_demand_must_stay_unbounded(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """After `request(2**63 - 1)`, requests of 1, 3 and 1 with the first element held still deliver all twenty.

    When it fails: a small request replaces unbounded demand, or the sum that is too large becomes the last count.
    """
    _exceed_while_held((MAX_DEMAND,), (1, 3, 1), subject, environment)


def _exceed_while_held(
    before: tuple[int, ...],
    held: tuple[int, ...],
    subject: "PublisherVerification",
    environment: CheckEnvironment,
) -> None:
    parking = Parking(environment)
    cancel_at_last = _cancel_at(_ELEMENTS)

    def hold_first(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled == 1:
            parking.park()
        cancel_at_last(subscriber, element)

    def ask(counts: tuple[int, ...]) -> None:
        for n in counts:
            subscriber.request(n)

    subscriber = ScriptedSubscriber(environment, on_element=hold_first)
    environment.subscribe(active_publisher(subject, _ELEMENTS), subscriber)
    with PeerThread(environment, lambda: ask(before), purpose=f"request of {before}"):
        try:
            if not parking.wait_parked():
                environment.flop_and_fail("Did not receive the first element of those requested")
            with PeerThread(environment, lambda: ask(held), purpose=f"request of {held}") as asking:
                asking.wait_done(environment.no_signals_timeout_milliseconds)
                parking.release()
        finally:
            parking.release()
    if not subscriber.wait_signalled(_ELEMENTS) and not subscriber.ledger.end:
        environment.flop(
            f"{subscriber.signalled} elements of {_ELEMENTS} came, though {subscriber.ledger.requested} were requested"
        )
    environment.verify_no_async_errors()


def _cancel_at(count: int) -> Callable[[ScriptedSubscriber, object], None]:
    """Return the action for an element: without it an endless publisher would never return from request."""

    def cancel_at(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled == count:
            subscriber.cancel()

    return cancel_at
