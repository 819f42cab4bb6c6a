"""Checks of requests made from inside signals: they work, and do not nest without bound (§3.2, §3.3)."""

import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import Skipped, not_verified
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_ELEMENTS = 6

_LONG_STREAM = 10_000
_FIRST_LOOK = 5
_FRAMES_ALLOWED = 50

_MOST_REQUESTS = 64
"""A limit for publishers that never end."""


@check(
    rules=("3.2",),
    look_at="request when it is called while on_subscribe or on_next has not returned",
    remedy="store all state before on_subscribe is called, and let a request made while sending only add",
)
def required_spec302_must_allow_synchronous_request_calls_from_on_next_and_on_subscribe(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Three requests inside `on_subscribe` and one inside each `on_next` are all served.

    When it fails: requests made too early are lost, or the publisher fails on them. Corrected: the standard's kit does
        not check that elements arrive, and never ends for a publisher that does not end.
    """
    publisher = active_publisher(subject, _ELEMENTS)

    def ask_three(subscriber: ScriptedSubscriber) -> None:
        for _ in range(3):
            subscriber.request(1)

    def ask_on(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled <= _MOST_REQUESTS:
            subscriber.request(1)

    subscriber = ScriptedSubscriber(environment, on_subscribed=ask_three, on_element=ask_on)
    environment.subscribe(publisher, subscriber)
    if not subscriber.wait_signalled(_ELEMENTS) and not subscriber.ledger.end:
        environment.flop(
            f"Only {subscriber.signalled} of {_ELEMENTS} elements came, though all were requested from inside "
            f"on_subscribe and on_next, within {environment.default_timeout_milliseconds} ms"
        )
    environment.verify_no_async_errors()


@check(
    rules=("3.3",),
    look_at="the path from request to on_next, when on_next requests again",
    remedy="send from a loop; a request that finds the loop running on this thread only adds and returns",
)
def required_spec303_must_not_allow_unbounded_recursion(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """`on_next` and `request`, calling one another, nest no deeper than the declared bound of the subject.

    When it fails: `request` sends directly, so a stream of many elements exhausts the stack.
    """
    bound = subject.bounded_depth_of_on_next_and_request_recursion()
    publisher = active_publisher(subject, bound + 1)
    depth = threading.local()
    done = Latch(environment)

    def ask_on(subscriber: ScriptedSubscriber, element: object) -> None:
        depth.value = getattr(depth, "value", 0) + 1
        if depth.value > bound:
            environment.flop(
                f"Got {depth.value} on_next calls within thread: {threading.current_thread().name}, "
                f"yet expected recursive bound was {bound}"
            )
            done.close()
        elif subscriber.signalled >= bound + 1:
            done.close()
        else:
            subscriber.request(1)
            depth.value -= 1

    def fail(subscriber: ScriptedSubscriber, error: BaseException) -> None:
        environment.flop(error)
        done.close()

    subscriber = ScriptedSubscriber(
        environment, on_element=ask_on, on_failed=fail, on_completed=lambda subscriber: done.close()
    )
    environment.subscribe(publisher, subscriber)
    subscriber.request(1)
    done.expect_close(
        f"Unable to validate call stack depth safety, awaited at-most {bound + 1} signals "
        f"(bounded_depth_of_on_next_and_request_recursion() + 1) or completion"
    )


@check(
    rules=("3.3",),
    look_at="the path from request to on_next, when on_next requests again",
    remedy="send from a loop; a request that finds the loop running on this thread only adds and returns",
    origin=Origin.EXTENDED,
)
def required_spec303_stack_must_not_grow_with_the_length_of_the_stream(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Over ten thousand elements, each requested inside the `on_next` before, the stack does not become deeper.

    When it fails: a chain of calls grows with each element, perhaps one that the bound of nested `on_next` does not
    count. The publisher is stopped long before the stack is exhausted.
    """
    elements = min(_LONG_STREAM, subject.max_elements_from_publisher())
    if elements < _FIRST_LOOK + 1:
        raise Skipped(
            f"Unable to run this test, as it requires more than {_FIRST_LOOK} elements: {elements} are possible"
        )
    publisher = active_publisher(subject, elements)
    depths: dict[int, int] = {}
    grown: list[str] = []

    def ask_on(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled == _FIRST_LOOK or subscriber.signalled % _FRAMES_ALLOWED == 0:
            thread = threading.get_ident()
            depth = _stack_depth()
            first = depths.setdefault(thread, depth)
            if depth > first + _FRAMES_ALLOWED:
                grown.append(f"the stack grew from {first} to {depth} frames in {subscriber.signalled} elements")
                return
        if subscriber.signalled < elements and environment.has_time:
            subscriber.request(1)

    subscriber = ScriptedSubscriber(environment, on_element=ask_on)
    environment.subscribe(publisher, subscriber)
    subscriber.request(1)
    # A slow publisher need not reach the end: only the depth until then counts.
    environment.wait(
        subscriber.ledger.changed,
        lambda: bool(grown or subscriber.ledger.end) or subscriber.signalled >= elements,
        4 * environment.default_timeout_milliseconds,
        is_for_silence=True,
    )
    if grown:
        environment.flop(grown[0])
    environment.note(f"{subscriber.signalled} elements were checked")


def _stack_depth() -> int:
    depth = 0
    frame: FrameType | None = sys._getframe()  # pyright: ignore[reportPrivateUsage]  # documented, nevertheless
    while frame is not None:
        depth += 1
        frame = frame.f_back
    return depth


@check(rules=("3.4",))
def untested_spec304_request_should_not_perform_heavy_computations(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Not tested by the standard's kit, since `request` may legally send elements itself."""
    not_verified(by="optional_spec304_request_should_return_while_another_thread_is_being_served")
