"""Checks that hand requests over between threads, with and without noise in the subject (§1.3, §3.8, §3.10)."""

import queue
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from reactivestreams.tck.checks.publisher.active_publisher import active_publisher, best_pace
from reactivestreams.tck.kit.check import Origin, check
from reactivestreams.tck.kit.check_environment import CheckEnvironment
from reactivestreams.tck.kit.failure import Skipped, skip_unless_chance_may_decide
from reactivestreams.tck.kit.scheduling_noise import scheduling_noise
from reactivestreams.tck.kit.thread_switches import frequent_switches
from reactivestreams.tck.probes.peer_thread import PeerThread
from reactivestreams.tck.probes.scripted_subscriber import ScriptedSubscriber

if TYPE_CHECKING:
    from reactivestreams.tck.publisher_verification import PublisherVerification

_ELEMENTS = 100
_REQUESTING_THREADS = 3
_ELEMENTS_EACH = 2
_DWELLING = 0.8
_LONGEST_DWELL_SECONDS = 0.0005
_PART_OF_TIMEOUT = 0.3
"""The part of the default timeout that is used for rounds: more time makes it likelier to find a race."""

_LOOK_AT = "the moment between the last check of demand and the end of the drain"
_REMEDY = "check for new demand again after the end of the drain, or decide both under one lock"


@check(
    rules=("3.8", "3.10"),
    look_at=_LOOK_AT,
    remedy=_REMEDY,
    origin=Origin.EXTENDED,
)
def stochastic_spec308_request_handed_over_by_on_next_must_be_honoured(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Each `on_next` wakes another thread, which requests the next element as the last one requested leaves.

    When it fails: that request found the drain running after the drain's last check of demand. A pass proves nothing: a
        window of 0.1 ms was found in 24 of 24 runs, one of a single line is left to the check with noise; a longer
        `DEFAULT_TIMEOUT_MILLIS` allows more rounds.
    """
    _make_rounds(subject, environment, _hand_over)


@check(
    rules=("1.3", "3.8"),
    look_at="what several threads read and write without a lock: flags, sums, the state that decides who may send",
    remedy="decide under a lock, or by one atomic operation, who may send; check for new demand again after that",
    origin=Origin.EXTENDED,
    is_alone=True,
)
def stochastic_spec103_signals_must_neither_overlap_nor_be_lost_under_scheduling_noise(
    subject: "PublisherVerification", environment: CheckEnvironment
) -> None:
    """Requested by changing threads, all elements arrive one after the other, though threads yield at random lines.

    Alternately, the next element is requested by a thread that `on_next` wakes, and by three threads together.

    The lines are those of the subject's Python code; the seed chooses the yields. If the threads execute no such line,
    there are only two rounds. Skipped under a debugger or a measurement of coverage.
    When it fails: two threads took the drain, or a request was lost.

    A pass proves nothing: a drain that ends one line too late was found in 12 of 12 runs, a flag that is read and set
        in two lines in 6 of 12. The same seed may show a race again; other seeds, and a longer
        `DEFAULT_TIMEOUT_MILLIS`, make it likelier to find one.
    """
    with scheduling_noise(environment.random) as noise:
        if noise is None:
            raise Skipped(
                "Threads are traced already, by a debugger, a measurement of coverage, or a check that hangs."
            )
        _make_rounds(
            subject, environment, _hand_over, _request_from_several_threads, may_differ=lambda: noise.has_effect
        )


def _hand_over(subject: "PublisherVerification", subscriber: ScriptedSubscriber, elements: int) -> None:
    environment = subscriber.environment
    queues: tuple[queue.SimpleQueue[bool], ...] = (queue.SimpleQueue(), queue.SimpleQueue())
    left = iter(range(elements - 1))
    owners: list[int] = []

    def request_when_woken(woken: "queue.SimpleQueue[bool]") -> None:
        if woken is queues[0]:
            owners.append(threading.get_ident())
        while woken.get():
            subscriber.request(1)

    def wake(subscriber: ScriptedSubscriber, element: object) -> None:
        if next(left, None) is not None:  # two, because the thread that is sending cannot be woken
            queues[threading.get_ident() in owners].put(True)

    subscriber.handle_elements(wake)
    environment.subscribe(active_publisher(subject, elements), subscriber)
    purpose = "request(1) after each on_next"
    with (
        PeerThread(environment, lambda: request_when_woken(queues[0]), purpose=purpose),
        PeerThread(environment, lambda: request_when_woken(queues[1]), purpose=purpose),
    ):
        try:
            subscriber.request(1)
            _expect_all(elements, subscriber)
        finally:
            for woken in queues:
                woken.put(False)


def _request_from_several_threads(
    subject: "PublisherVerification", subscriber: ScriptedSubscriber, elements: int
) -> None:
    environment = subscriber.environment
    threads = min(elements, _REQUESTING_THREADS)
    each = max(1, min(_ELEMENTS_EACH, elements // threads))
    steps = elements // (threads * each)

    def ask() -> None:
        for step in range(steps):
            # All threads together, when the last element of the previous step returns.
            if not subscriber.wait_signalled(step * threads * each) or not subscriber.wait_signals_returned():
                return
            subscriber.request(each)

    subscriber.handle_elements(lambda subscriber, element: _dwell(environment))
    environment.subscribe(active_publisher(subject, elements), subscriber)
    purpose = f"request({each}) {steps} times"
    peers = [PeerThread(environment, ask, purpose=purpose) for _ in range(threads)]
    for peer in peers:
        peer.__enter__()
    _expect_all(steps * threads * each, subscriber)
    for peer in peers:
        peer.__exit__(None, None, None)


def _dwell(environment: CheckEnvironment) -> None:
    if environment.random.random() < _DWELLING:
        time.sleep(environment.random.random() * _LONGEST_DWELL_SECONDS)


def _make_rounds(
    subject: "PublisherVerification",
    environment: CheckEnvironment,
    *kinds: Callable[["PublisherVerification", ScriptedSubscriber, int], None],
    may_differ: Callable[[], bool] = lambda: True,
) -> None:
    """Run a round of each kind, and more while there is time, if they can differ from the first."""
    skip_unless_chance_may_decide(subject)
    possible = min(_ELEMENTS, subject.max_elements_from_publisher())
    if possible < 1:
        raise Skipped("Unable to run this test, as it requires 1 element: none is possible")
    elements = environment.affordable(possible, best_pace(subject, environment))
    end = environment.log.elapsed_seconds + _PART_OF_TIMEOUT * environment.default_timeout_milliseconds / 1000
    rounds = 0
    with frequent_switches():
        while rounds < len(kinds) or (environment.log.elapsed_seconds < end and may_differ()):
            subscriber = ScriptedSubscriber(environment)
            kinds[rounds % len(kinds)](subject, subscriber, elements)
            rounds += 1
            environment.verify_no_async_errors_no_delay()
            subscriber.cancel_quietly()
    environment.note(f"{rounds} rounds of {elements} elements were made")


def _expect_all(elements: int, subscriber: ScriptedSubscriber) -> None:
    environment = subscriber.environment
    if not subscriber.wait_signalled(elements) and subscriber.ledger.end != "on_complete":
        environment.flop_and_fail(
            f"{subscriber.signalled} elements came, though {subscriber.ledger.requested} were requested by other "
            f"threads, within {environment.default_timeout_milliseconds} ms"
        )
