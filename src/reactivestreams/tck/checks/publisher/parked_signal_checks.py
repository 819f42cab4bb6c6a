"""Checks with a signal held: no other may begin, and no other thread may have to wait (§1.3, §3.4, §3.5)."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reactivestreams.spec import MAX_DEMAND
from reactivestreams.tck.checks.publisher.active_publisher import active_publisher, largest_publisher
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.probes.parking import Parking
from reactivestreams.tck.probes.peer_thread import PeerThread
from reactivestreams.tck.probes.scripted_subscriber import ElementHandler, ScriptedSubscriber
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_SERIAL_LOOK_AT = "what a request of another thread does while a signal has not returned"
_SERIAL_REMEDY = "let it leave its demand for the thread that is sending, and return"
_CANCELLING_THREADS = 8
_LONG_STREAM = 1000


@check(rules=("1.3", "1.9"), look_at=_SERIAL_LOOK_AT, remedy=_SERIAL_REMEDY, origin=Origin.EXTENDED, is_long=True)
def required_spec103_no_signal_must_begin_before_on_subscribe_has_returned(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """While `on_subscribe` is held, a request from another thread delivers no element; afterwards it is served.

    When it fails: the subscription can send before `on_subscribe` has returned.
    """
    parking = Parking(environment)
    publisher = active_publisher(subject, 5)
    subscriber = ScriptedSubscriber(environment, on_subscribed=lambda subscriber: parking.park())
    with PeerThread(environment, lambda: environment.subscribe(publisher, subscriber), purpose="subscribe"):
        request_while_held(3, parking=parking, subscriber=subscriber)
    _expect_signalled(3, subscriber, environment)


@check(rules=("1.3",), look_at=_SERIAL_LOOK_AT, remedy=_SERIAL_REMEDY, origin=Origin.EXTENDED, is_long=True)
def required_spec103_no_signal_must_begin_before_on_next_has_returned(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """While the first `on_next` is held, a request from another thread delivers no element; afterwards it is served.

    When it fails: the thread that requests sends elements itself, though another one is sending.
    """
    with held_at(1, 5, subject, environment) as (parking, subscriber):
        request_while_held(2, parking=parking, subscriber=subscriber)
    _expect_signalled(3, subscriber, environment)


@check(rules=("1.3", "1.7"), look_at=_SERIAL_LOOK_AT, remedy=_SERIAL_REMEDY, origin=Origin.EXTENDED)
def required_spec103_the_end_must_not_be_signalled_before_the_last_on_next_has_returned(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """While the last `on_next` is held, a request from another thread does not cause completion; it follows afterwards.

    When it fails: completion is signalled by the thread that notices the end of the source, not by the sending thread.
    """
    last = countable(2, subject, "1.3")
    with held_at(last, last, subject, environment, completion=True) as (parking, subscriber):
        request_while_held(5, parking=parking, subscriber=subscriber)
    if not subscriber.ended.wait_closed():
        environment.flop(f"Did not receive the end within {environment.default_timeout_milliseconds} ms")


@check(
    rules=("1.7", "1.3"),
    look_at="what request does while the end is being signalled",
    remedy="enter the state of a cancelled subscription before on_complete is called, not after it",
    origin=Origin.EXTENDED,
    is_long=True,
)
def required_spec107_no_signal_must_follow_requests_made_while_on_complete_is_running(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """While `on_complete` is held, requests from another thread, also a bad one, cause no signal, then or later.

    When it fails: the subscription becomes terminal only when `on_complete` has returned.
    """
    parking = Parking(environment)
    subscriber = ScriptedSubscriber(
        environment, on_completed=lambda subscriber: parking.park(), on_failed=lambda subscriber, error: None
    )
    environment.subscribe(active_publisher(subject, 1, completion=True), subscriber)
    with PeerThread(environment, lambda: subscriber.request(10), purpose="request(10)"):
        request_while_held(5, 0, parking=parking, subscriber=subscriber, held="on_complete")
    environment.verify_no_async_errors()


@check(
    rules=("3.4",),
    look_at="a lock that is held while a signal is delivered, and that request takes, too",
    remedy="never hold a lock while calling the subscriber; nothing has to be done if request sends by itself",
    origin=Origin.EXTENDED,
)
def optional_spec304_request_should_return_while_another_thread_is_being_served(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """While `on_next` is held on one thread, `request(1)` on another one returns within the default timeout.

    The rule says SHOULD, so this is only a report: a skip means that `request` waits for the subscriber.
    """
    _expect_return_while_held("request(1)", lambda subscriber: subscriber.request(1), subject, environment)


@check(
    rules=("3.5",),
    look_at="a lock that is held while a signal is delivered, and that cancel takes, too",
    remedy="let cancel set a flag and return; never hold a lock while calling the subscriber",
    origin=Origin.EXTENDED,
    is_long=True,
)
def required_spec305_cancel_must_return_while_on_next_is_running(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """While `on_next` is held on one thread, `cancel()` on another one returns within the default timeout.

    When it fails: `cancel` waits for the signal to return, and deadlocks with a subscriber that waits for it.
    """
    _expect_return_while_held("cancel()", lambda subscriber: subscriber.cancel(), subject, environment)
    environment.verify_no_async_errors()


@check(
    rules=("3.5", "3.7", "3.15"),
    look_at="what cancel frees, and what happens when two threads are in it",
    remedy="let one atomic step decide which call cancels first, and let all others return",
    origin=Origin.EXTENDED,
    is_long=True,
)
def required_spec305_cancel_must_be_safe_from_many_threads_at_once(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Eight threads cancel at once while elements arrive: all return, nothing is raised, and signals stop.

    When it fails: `cancel` is not thread-safe, or waits for itself.
    """
    together = threading.Barrier(_CANCELLING_THREADS)

    def cancel() -> None:
        together.wait(environment.default_timeout_milliseconds / 100)
        subscriber.cancel()

    subscriber = ScriptedSubscriber(environment)
    environment.subscribe(largest_publisher(subject, _LONG_STREAM), subscriber)
    with PeerThread(environment, lambda: subscriber.request(MAX_DEMAND), purpose="request(2**63 - 1)"):
        subscriber.wait_signalled(1)
        peers = [PeerThread(environment, cancel, purpose="cancel()") for _ in range(_CANCELLING_THREADS)]
        for peer in peers:
            peer.__enter__()
        for peer in peers:
            peer.__exit__(None, None, None)
    if not subscriber.wait_silence(10 * environment.default_timeout_milliseconds):
        environment.flop("the publisher has not fallen silent after cancel()")


@contextmanager
def held_at(
    position: int,
    elements: int,
    subject: "PublisherVerification",
    environment: CheckEnvironment,
    *,
    completion: bool = False,
    on_failed: ElementHandler | None = None,
) -> Generator[tuple[Parking, ScriptedSubscriber]]:
    """Hold element number `position` in `on_next`; release it and join the thread that requested at the end."""
    parking = Parking(environment)

    def hold(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled == position:
            parking.park()

    subscriber = ScriptedSubscriber(environment, on_element=hold, on_failed=on_failed)
    environment.subscribe(active_publisher(subject, elements, completion=completion), subscriber)
    with PeerThread(environment, lambda: subscriber.request(position), purpose=f"request({position})"):
        try:
            if not parking.wait_parked():
                environment.flop_and_fail(
                    f"Did not receive element {position} within {environment.default_timeout_milliseconds} ms"
                )
            yield parking, subscriber
        finally:
            parking.release()


def request_while_held(
    *counts: int, parking: Parking, subscriber: ScriptedSubscriber, held: str = "on_subscribe"
) -> None:
    """Request from another thread while a signal is held, wait for a forbidden signal, release the held signal."""
    environment = subscriber.environment

    def ask() -> None:
        for n in counts:
            subscriber.request(n)

    try:
        if not parking.wait_parked():
            environment.flop_and_fail(f"Should have received {held}")
        with PeerThread(environment, ask, purpose=", ".join(f"request({n})" for n in counts)) as asking:
            asking.wait_done(environment.no_signals_timeout_milliseconds)
            environment.pause(environment.no_signals_timeout_milliseconds)
            parking.release()
    finally:
        parking.release()


def _expect_return_while_held(
    call: str,
    act: Callable[[ScriptedSubscriber], None],
    subject: "PublisherVerification",
    environment: CheckEnvironment,
) -> None:
    with held_at(1, 5, subject, environment) as (parking, subscriber):
        started = environment.log.elapsed_seconds
        with PeerThread(environment, lambda: act(subscriber), purpose=call) as acting:
            returned = acting.wait_done()
            environment.note(f"{call} took {(environment.log.elapsed_seconds - started) * 1000:.1f} ms")
            parking.release()
    if not returned:
        environment.flop_and_fail(
            f"{call} did not return within {environment.default_timeout_milliseconds} ms while on_next was running"
        )


def _expect_signalled(count: int, subscriber: ScriptedSubscriber, environment: CheckEnvironment) -> None:
    if not subscriber.wait_signalled(count) and not subscriber.ledger.end:
        environment.flop(
            f"{subscriber.signalled} elements came, though {count} were requested, "
            f"within {environment.default_timeout_milliseconds} ms"
        )
    environment.verify_no_async_errors()
