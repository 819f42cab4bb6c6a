"""The drain under Python threads, in outcomes: requests, cancellation, pauses and the end, all at the same time."""

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler
from rs_core.dropped import set_hook
from tests.conftest import Depth
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of, saved_state
from tests.stress.outcomes import (
    LEAST_CONTENDED_SHARE,
    Action,
    Hesitate,
    Observed,
    Outcome,
    Table,
    Verdict,
    judge,
    observe,
)

ROUNDS = 500
BOUNDARY_ROUNDS = 60
MANY = 10_000
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


@dataclass
class Round:
    """A running stream, what threads do to it, and what came of it when they are done."""

    subscriber: RecordingSubscriber
    source: CountedElements
    overlaps: list[list[int]]
    actions: list[Action] = field(default_factory=list)
    outcome: Callable[["Round"], Outcome] = lambda round_: (len(round_.subscriber.elements), round_.closes)

    @property
    def closes(self) -> int:
        return sum(self.source.close_calls)

    @property
    def end(self) -> str:
        return self.subscriber.names[-1] if self.subscriber.names[-1] in {"on_complete", "on_error"} else ""

    @property
    def is_in_order(self) -> bool:
        return self.subscriber.elements == list(range(len(self.subscriber.elements)))


def running(
    count: int = MANY, *, through: Callable[[Stream[Any]], Stream[Any]] = lambda stream: stream.map(int)
) -> Round:
    """Subscribe to a source that has not been asked for anything but its first element."""
    source = CountedElements(count)
    subscriber = RecordingSubscriber(demand=None)
    inside: list[int] = []
    overlaps: list[list[int]] = []

    def enter() -> None:
        inside.append(threading.get_ident())
        if len(inside) != 1:
            overlaps.append(list(inside))
        for _ in range(10):  # gives another signal a chance to come in
            pass
        inside.pop()

    subscriber.actions = dict.fromkeys(("on_next", "on_complete", "on_error"), enter)
    through(Stream.from_iterable(source)).subscribe(subscriber)
    subscriber.subscription.request(1)
    return Round(subscriber, source, overlaps)


def requesting(round_: Round, *sizes: int) -> Action:
    def action(hesitate: Hesitate) -> Hashable:
        for n in sizes:
            round_.subscriber.subscription.request(n)
            hesitate()
        return None

    return action


def cancelling(round_: Round) -> Action:
    def action(hesitate: Hesitate) -> Hashable:
        return round_.subscriber.subscription.cancel()

    return action


def pausing(round_: Round, *, resumes: bool) -> Action:
    owner = nodes_of(round_.subscriber.subscription)[-1]

    def action(hesitate: Hesitate) -> Hashable:
        owner.pause()
        hesitate()
        return owner.resume() if resumes else None

    return action


def two_requests() -> Round:
    round_ = running()
    round_.actions = [requesting(round_, 2, 1), requesting(round_, 3)]
    round_.outcome = lambda round_: (len(round_.subscriber.elements), round_.is_in_order)
    return round_


def a_request_beside_a_cancel() -> Round:
    round_ = running()
    round_.actions = [requesting(round_, 2), cancelling(round_)]
    return round_


def a_request_beside_two_cancels() -> Round:
    round_ = running()
    round_.actions = [requesting(round_, 1), cancelling(round_), cancelling(round_)]
    return round_


def a_request_beside_an_illegal_one() -> Round:
    round_ = running()
    round_.actions = [requesting(round_, 2), requesting(round_, -1)]
    round_.outcome = lambda round_: (len(round_.subscriber.elements), round_.end, round_.closes)
    return round_


def an_illegal_request_beside_a_cancel() -> Round:
    round_ = running()
    round_.actions = [requesting(round_, 0), cancelling(round_)]
    round_.outcome = lambda round_: (round_.end, round_.closes)
    return round_


def the_last_request_beside_a_cancel() -> Round:
    round_ = running(2)
    round_.actions = [requesting(round_, 5), cancelling(round_)]
    round_.outcome = lambda round_: (len(round_.subscriber.elements), round_.end, round_.closes)
    return round_


def two_requests_beside_a_pause_that_ends() -> Round:
    round_ = running()
    round_.actions = [requesting(round_, 2), requesting(round_, 1), pausing(round_, resumes=True)]
    return round_


def a_request_beside_a_pause_that_stays() -> Round:
    round_ = running()
    round_.actions = [requesting(round_, 3), pausing(round_, resumes=False)]

    def outcome(round_: Round) -> Outcome:
        owner = nodes_of(round_.subscriber.subscription)[-1]
        position = saved_state(owner)[1]
        return (owner.is_parked, position == len(round_.subscriber.elements), len(round_.subscriber.elements))

    round_.outcome = outcome
    return round_


def a_pause_beside_a_cancel() -> Round:
    round_ = running()
    round_.actions = [pausing(round_, resumes=True), cancelling(round_)]
    return round_


def a_failing_function_beside_a_cancel() -> Round:
    error = ValueError("the second element")

    def fail_at_one(element: int) -> int:
        if element == 1:
            raise error
        return element

    round_ = running(through=lambda stream: stream.map(fail_at_one))
    round_.actions = [requesting(round_, 1), cancelling(round_)]
    round_.outcome = lambda round_: (round_.end, round_.closes)
    return round_


ONE_TEARDOWN = {(count, 1): (ALLOWED, f"{count} elements came before the cancel") for count in (1, 2, 3)}
TABLES: dict[Callable[[], Round], Table] = {
    two_requests: {
        (7, True): (ALLOWED, "all that was requested, in order"),
        (7, False): (FORBIDDEN, "two threads drained"),
    },
    a_request_beside_a_cancel: {**ONE_TEARDOWN, (3, 0): (FORBIDDEN, "the cancel was lost")},
    a_request_beside_two_cancels: {
        (1, 1): (ALLOWED, "a cancel came first"),
        (2, 1): (ALLOWED, "the request came first"),
        (2, 2): (FORBIDDEN, "torn down twice"),
    },
    a_request_beside_an_illegal_one: {
        **{(count, "on_error", 1): (ALLOWED, f"{count} elements came before the error") for count in (1, 2, 3)},
        (3, "", 0): (FORBIDDEN, "the illegal request was lost"),
    },
    an_illegal_request_beside_a_cancel: {
        ("on_error", 1): (ALLOWED, "the illegal request came first"),
        ("", 1): (ALLOWED, "the cancel came first"),
        ("", 0): (FORBIDDEN, "neither was seen"),
    },
    the_last_request_beside_a_cancel: {
        (1, "", 1): (ALLOWED, "the cancel came first"),
        (2, "", 1): (ALLOWED, "the cancel came with the last element"),
        (2, "on_complete", 1): (ALLOWED, "the cancel came last"),
        (1, "on_complete", 1): (FORBIDDEN, "completed with an element missing"),
    },
    two_requests_beside_a_pause_that_ends: {
        (4, 0): (ALLOWED, "all that was requested"),
        (1, 0): (FORBIDDEN, "stayed parked"),
    },
    a_request_beside_a_pause_that_stays: {
        **{(True, True, count): (ALLOWED, f"parked behind element {count}") for count in (1, 2, 3, 4)},
        (False, True, 4): (FORBIDDEN, "the pause was lost"),
    },
    a_pause_beside_a_cancel: {(1, 1): (ALLOWED, "cancelled, parked or not")},
    a_failing_function_beside_a_cancel: {
        ("on_error", 1): (ALLOWED, "the function came first"),
        ("", 1): (ALLOWED, "the cancel came first"),
        ("on_error", 0): (FORBIDDEN, "never torn down"),
    },
}


@pytest.fixture(autouse=True)
def errors_behind_a_cancel_are_let_go() -> Iterator[None]:
    previous = set_hook(lambda signal, value, *, origin: None)
    yield
    set_hook(previous)


def outcomes(situation: Callable[[], Round], rounds: int) -> Observed:
    """Run a situation again and again; return what came of it once all threads were done."""
    prepared: list[Round] = []

    def prepare() -> list[Action]:
        prepared.append(situation())
        return prepared[-1].actions

    returned = observe(prepare, rounds=rounds)
    assert set(returned) == {(None,) * len(prepared[0].actions)}
    assert [round_.overlaps for round_ in prepared if round_.overlaps] == []
    observed = Observed(round_.outcome(round_) for round_ in prepared)
    observed.contended = returned.contended
    return observed


@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(situation: Callable[[], Round], depth: Depth) -> None:
    rounds = depth.scaled(ROUNDS)
    judge(situation, outcomes(situation, rounds), TABLES[situation], rounds=rounds)


@pytest.fixture
def workers() -> Iterator[tuple[WorkerScheduler, WorkerScheduler]]:
    with WorkerScheduler(name="reactivestreams-a") as a, WorkerScheduler(name="reactivestreams-b") as b:
        yield a, b


def wait_until_idle(*schedulers: WorkerScheduler) -> None:
    """Wait until the schedulers have done what they had: each may have handed work to the other."""
    for scheduler in (*schedulers, *schedulers, *schedulers):
        done = threading.Event()
        scheduler.schedule(done.set)
        assert done.wait(60)


CHAINS: dict[str, Callable[[Stream[Any], Any, Any], Stream[Any]]] = {
    "one boundary": lambda stream, a, b: stream.observe_on(a, prefetch=2),
    "two boundaries": lambda stream, a, b: stream.observe_on(a, prefetch=2).map(int).observe_on(b, prefetch=3),
    "flat_map between boundaries": lambda stream, a, b: (
        stream.observe_on(a, prefetch=1).flat_map(lambda element: [element], prefetch=2).observe_on(b, prefetch=2)
    ),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_requests_behind_boundaries_are_served_in_full(
    chain: str, workers: tuple[WorkerScheduler, WorkerScheduler], depth: Depth
) -> None:
    rounds = depth.scaled(BOUNDARY_ROUNDS)

    def situation() -> Round:
        round_ = running(through=lambda stream: CHAINS[chain](stream, *workers))
        round_.actions = [requesting(round_, 2, 1, 3), requesting(round_, 4)]
        return round_

    prepared: list[Round] = []

    def prepare() -> list[Action]:
        prepared.append(situation())
        return prepared[-1].actions

    assert observe(prepare, rounds=rounds).contended_share >= LEAST_CONTENDED_SHARE
    wait_until_idle(*workers)
    assert Counter((len(round_.subscriber.elements), round_.is_in_order) for round_ in prepared) == {(11, True): rounds}
    for round_ in prepared:
        round_.subscriber.cancel()
    wait_until_idle(*workers)
    assert Counter(round_.closes for round_ in prepared) == {1: rounds}


@pytest.mark.parametrize("chain", CHAINS)
def test_cancel_behind_boundaries_tears_everything_down_once(
    chain: str, workers: tuple[WorkerScheduler, WorkerScheduler], depth: Depth
) -> None:
    prepared: list[Round] = []

    def prepare() -> list[Action]:
        round_ = running(through=lambda stream: CHAINS[chain](stream, *workers))
        prepared.append(round_)
        return [requesting(round_, 5, 5), cancelling(round_), cancelling(round_)]

    observed = observe(prepare, rounds=depth.scaled(BOUNDARY_ROUNDS))
    assert observed.contended_share >= LEAST_CONTENDED_SHARE
    wait_until_idle(*workers)
    for round_ in prepared:
        assert (round_.closes, round_.is_in_order, round_.end) == (1, True, "")
        assert len(round_.subscriber.elements) <= 11
        assert all(node.is_disposed for node in nodes_of(round_.subscriber.subscription))


def test_many_subscriptions_of_one_stream_run_in_parallel() -> None:
    stream = (
        Stream.range(300)
        .map(lambda element: element + 1)
        .filter(lambda element: element % 3)
        .scan(lambda total, element: total + element, 0)
        .buffer(7)
        .flat_map(lambda elements: elements, prefetch=2)
        .take(150)
    )
    expected = stream.to_list()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: stream.to_list(), range(64)))
    assert results == [expected] * 64


def test_many_streams_share_a_worker() -> None:
    with WorkerScheduler(name="reactivestreams-shared") as worker, ThreadPoolExecutor(8) as pool:
        streams = [Stream.range(first, first + 200).observe_on(worker, prefetch=4) for first in range(40)]
        results = list(pool.map(lambda stream: stream.map(int).to_list(timeout_seconds=60), streams))
    assert results == [list(range(first, first + 200)) for first in range(40)]


@pytest.mark.parametrize("links", [1, 30])
def test_node_is_started_beside_a_cancel_that_drops_all_that_is_below_it(links: int) -> None:
    meeting = threading.Barrier(2)
    given: list[Any] = []

    def start() -> None:
        for _ in range(ROUNDS):
            meeting.wait()
            node = given.pop()
            for _ in range(20):
                node.start()  # looks at what is below, which nothing of this thread keeps alive
            meeting.wait()
            assert node.is_disposed

    with ThreadPoolExecutor(1) as pool:
        starting = pool.submit(start)
        for _ in range(ROUNDS):
            stream: Stream[Any] = Stream.range(3)
            for _ in range(links):
                stream = stream.map(str)
            subscriber = RecordingSubscriber(demand=None)
            stream.subscribe(subscriber)
            given.append(nodes_of(subscriber.subscription)[-1])
            meeting.wait()
            subscriber.cancel()
            del subscriber
            meeting.wait()
        starting.result()
