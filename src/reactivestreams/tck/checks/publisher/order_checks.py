"""Checks that signals arrive one at a time, and elements in the declared order (§1.3)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher, best_pace
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.element_text import safe_repr
from reactivestreams.tck.kit.failure import Skipped, SubjectError, skip_unless_chance_may_decide
from reactivestreams.tck.kit.subject import call_text
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.processor_traits import countable

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_STOCHASTIC_ROUNDS = 100
_ROUND_ELEMENTS = 10
_ORDERED_ELEMENTS = 300
_LARGEST_REQUEST = 40


@check(
    rules=("1.3",),
    look_at="who may send at the same time: threads that request, workers, timers",
    remedy="let one thread at a time drain: a thread that finds a drain running marks this and returns",
)
def stochastic_spec103_must_signal_on_methods_sequentially(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """In a hundred streams of ten elements, each requested from within the signal before, no two signals overlap.

    A signal on another thread, while one has not returned, is an overlap; a nested call on the same thread is not. A
    pass proves nothing. A slow publisher gets fewer rounds; a note says how many. Corrected: the standard's barrier
    forgets the outer signal when a nested signal returns.
    """
    skip_unless_chance_may_decide(subject)

    def ask_on(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled <= _ROUND_ELEMENTS:  # one more than there are: some publishers notice the end only then
            subscriber.request(1)

    for round_number in range(_STOCHASTIC_ROUNDS):
        if not environment.has_time:
            environment.note(f"{round_number} rounds of {_STOCHASTIC_ROUNDS} were made: there was no time for more")
            break
        publisher = active_publisher(subject, _ROUND_ELEMENTS, completion=True)
        subscriber = ScriptedSubscriber(
            environment,
            on_subscribed=lambda subscriber: subscriber.request(1),
            on_element=ask_on,
            on_failed=lambda subscriber, error: None,
        )
        environment.call_subscribe(publisher, subscriber)
        timeout = 10 * environment.default_timeout_milliseconds
        if not subscriber.ended.wait_closed(timeout) or subscriber.ledger.end != "on_complete":
            environment.flop(
                f"Failed in iteration {round_number} of {_STOCHASTIC_ROUNDS}. Expected completion signal after "
                f"signalling {_ROUND_ELEMENTS} elements (signalled {subscriber.signalled}), yet did not receive it "
                f"within {timeout} ms"
            )
        environment.verify_no_async_errors_no_delay()


@check(
    rules=("1.3",),
    look_at="how the publisher stores elements, and which thread takes them out",
    remedy="take elements from the source and send them in one place, one after the other",
    origin=Origin.EXTENDED,
)
def required_spec103_elements_must_come_in_the_order_that_is_stated(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Three hundred elements, in requests of random sizes, are those of `expected_elements`, in its order.

    Skipped for a publisher without that hook: no rule requires an order. When it fails: elements are lost, repeated or
        reordered, for example at the end of a batch.
    """
    wanted = min(_ORDERED_ELEMENTS, subject.max_elements_from_publisher())
    wanted = countable(max(1, wanted), subject, "1.3")
    wanted = environment.affordable(wanted, best_pace(subject, environment))
    expected = subject.expected_elements(wanted)
    if expected is None:
        raise Skipped(
            "Skipping because no order is stated; implement PublisherVerification.expected_elements to run this test."
        )
    if len(expected) != wanted:
        call = call_text(subject, "expected_elements", wanted)
        raise SubjectError(f"{call} returned {len(expected)} elements; it has to return {wanted}")
    subscriber = ScriptedSubscriber(environment, kept_elements=wanted)
    environment.subscribe(active_publisher(subject, wanted), subscriber)
    requested = 0
    while requested < wanted:
        n = min(environment.random.randint(1, _LARGEST_REQUEST), wanted - requested)
        requested += n
        subscriber.request(n)
        if not subscriber.wait_signalled(requested):
            environment.flop_and_fail(f"{subscriber.signalled} elements came, though {requested} were requested")
    for position, (element, stated) in enumerate(zip(subscriber.elements, expected, strict=True)):
        if not subject.same_element(element, stated):
            environment.flop_and_fail(
                f"element {position}, counted from 0, is {safe_repr(element)}, but {safe_repr(stated)} was stated"
            )
