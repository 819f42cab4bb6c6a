"""Checks that signals to one subscriber never overlap (§1.3)."""

from typing import TYPE_CHECKING

from reactivestreams.tck.check import check
from reactivestreams.tck.check_environment import CheckEnvironment
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber
from reactivestreams.tck.publisher_checks.active_publisher import active_publisher
from reactivestreams.tck.skipping import skip_unless_chance_may_decide

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

STOCHASTIC_ROUNDS = 100
_ELEMENTS = 10


@check(
    rules=("1.3",),
    look_at="who may send at the same time: threads that request, workers, timers",
    remedy="let one thread at a time drain: whoever finds a drain running leaves word for it and returns",
)
def stochastic_spec103_must_signal_on_methods_sequentially(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """In a hundred streams of ten elements, each requested from within the signal before, no two signals overlap.

    A signal on another thread, while one has not returned, is an overlap; a nested call on the same thread is none. A
    pass proves nothing. A publisher that is slow is given fewer rounds; a note tells how many. Corrected: the
    standard's barrier forgets who is inside when a nested signal returns.
    """
    skip_unless_chance_may_decide(subject)

    def ask_on(subscriber: ScriptedSubscriber, element: object) -> None:
        if subscriber.signalled <= _ELEMENTS:  # one more than there are: some notice the end only then
            subscriber.request(1)

    for round_number in range(STOCHASTIC_ROUNDS):
        if not environment.has_time:
            environment.note(f"{round_number} rounds of {STOCHASTIC_ROUNDS} were made: there was no time for more")
            break
        publisher = active_publisher(subject, _ELEMENTS, completion=True)
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
                f"Failed in iteration {round_number} of {STOCHASTIC_ROUNDS}. Expected completion signal after "
                f"signalling {_ELEMENTS} elements (signalled {subscriber.signalled}), yet did not receive it "
                f"within {timeout} ms"
            )
        environment.verify_no_async_errors_no_delay()
