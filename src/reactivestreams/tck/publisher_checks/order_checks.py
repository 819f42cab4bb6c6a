"""A check of which elements come, in which order, for a publisher that says so (§1.3)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.check import Origin, check
from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.element_text import shown
from reactivestreams.tck.failure import Skipped, SubjectError
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.processor_traits import countable
from reactivestreams.tck.publisher_checks.active_publisher import active_publisher, best_pace
from reactivestreams.tck.subject import call_text

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_ELEMENTS = 300
_LARGEST_REQUEST = 40


@check(
    rules=("1.3",),
    look_at="what the publisher keeps elements in, and which thread takes them out",
    remedy="take elements from the source and send them in one place, one after the other",
    origin=Origin.EXTENDED,
)
def required_spec103_elements_must_come_in_the_order_that_is_stated(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Three hundred elements, in requests of random sizes, are those that `expected_elements` states, in its order.

    Skipped for a publisher that states none: no rule asks for an order. When it fails: elements are lost, repeated or
    overtaken, at the end of a batch, say.
    """
    wanted = min(_ELEMENTS, subject.max_elements_from_publisher())
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
                f"element {position}, counted from 0, is {shown(element)}, but {shown(stated)} was stated"
            )
