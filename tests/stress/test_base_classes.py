"""Processors and asynchronous subscribers under Python threads, in outcomes: both neighbors and the author at once."""

import threading
from collections.abc import Callable, Hashable, Iterator

import pytest

from reactivestreams.errors import SourceUsedTwiceError
from reactivestreams.schedulers import WorkerScheduler
from rs_core.authors.base_classes import BaseProcessor
from rs_core.dropped import set_hook
from tests.conftest import Depth
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.rs_core.author_subscribers import AsyncNoting, Noting
from tests.stress.outcomes import Action, Hesitate, Observed, Outcome, Table, Verdict, judge, observe

ROUNDS = 400
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


class Round:
    """A subject, what threads do to it, and what came of it."""

    def __init__(self) -> None:
        self.actions: list[Action] = []
        self.finish: Callable[[], None] = lambda: None
        self.outcome: Callable[[], Outcome] = tuple

    def act(self, *steps: Callable[[], object]) -> None:
        """Have a thread take these steps."""

        def action(hesitate: Hesitate) -> Hashable:
            for step in steps:
                step()
                hesitate()
            return None

        self.actions.append(action)


class Passing(BaseProcessor[int, int]):
    """Passes elements on; notes hooks that overlap."""

    prefetch = 4

    def __init__(self) -> None:
        self.hooks: list[str] = []
        self.is_running = False
        self.overlaps = 0

    def note(self, hook: str) -> None:
        self.overlaps += self.is_running
        self.is_running = True
        self.hooks.append(hook)
        for _ in range(10):  # gives another hook a chance to come in
            pass
        self.is_running = False

    def hook_on_subscribe(self) -> None:
        self.note("subscribe")

    def hook_on_next(self, element: int) -> None:
        self.note("next")
        self.emit(element)

    def hook_on_complete(self) -> None:
        self.note("complete")

    def hook_on_cancel(self) -> None:
        self.note("cancel")


class Sending(ManualPublisher):
    """Sends what is requested, in the thread that requests, until it has sent all."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.left = count
        self.is_sending = False

    def serve(self) -> None:
        """Send what was requested, from a thread of its own."""
        while self.left and self.requested > self.sent and not self.cancels:
            self.left -= 1
            self.sent += 1
            self.send(self.sent - 1)

    sent = 0


def upstream_beside_downstream() -> Round:
    round_, processor, publisher = Round(), Passing(), Sending(3)
    subscriber = RecordingSubscriber(first_request=9)
    round_.act(lambda: publisher.subscribe(processor), publisher.serve)
    round_.act(lambda: processor.subscribe(subscriber))

    def finish() -> None:
        publisher.serve()
        publisher.complete()

    round_.finish = finish
    round_.outcome = lambda: (tuple(subscriber.elements), subscriber.outcome[1], processor.overlaps, publisher.cancels)
    return round_


def elements_beside_requests() -> Round:
    round_, processor, publisher, subscriber = Round(), Passing(), Sending(4), RecordingSubscriber()
    publisher.subscribe(processor)
    processor.subscribe(subscriber)
    subscriber.request(1)
    round_.act(publisher.serve, publisher.serve)
    round_.act(lambda: subscriber.request(1), lambda: subscriber.request(1))
    round_.outcome = lambda: (tuple(subscriber.elements), subscriber.faults == [], processor.overlaps)
    return round_


def elements_beside_a_cancel() -> Round:
    round_, processor, publisher, subscriber = Round(), Passing(), Sending(4), RecordingSubscriber()
    publisher.subscribe(processor)
    processor.subscribe(subscriber)
    subscriber.request(9)
    round_.act(publisher.serve)
    round_.act(subscriber.subscription.cancel)
    round_.outcome = lambda: (
        subscriber.elements == list(range(len(subscriber.elements))),
        processor.hooks.count("cancel"),
        processor.hooks[-1],
        processor.overlaps,
        publisher.cancels,
    )
    return round_


def two_upstreams_and_a_downstream() -> Round:
    round_, processor, subscriber = Round(), Passing(), RecordingSubscriber(first_request=9)
    first, second = Sending(1), Sending(1)
    round_.act(lambda: first.subscribe(processor))
    round_.act(lambda: second.subscribe(processor))
    round_.act(lambda: processor.subscribe(subscriber))
    round_.outcome = lambda: (first.cancels + second.cancels, sum((*first.requests, *second.requests)))
    return round_


def two_downstreams() -> Round:
    round_, processor, publisher = Round(), Passing(), Sending(1)
    publisher.subscribe(processor)
    subscribers = [RecordingSubscriber(first_request=1) for _ in range(2)]
    for subscriber in subscribers:
        round_.act(lambda subscriber=subscriber: processor.subscribe(subscriber))
    round_.finish = publisher.serve
    round_.outcome = lambda: (
        sum(isinstance(subscriber.error, SourceUsedTwiceError) for subscriber in subscribers),
        sum(len(subscriber.elements) for subscriber in subscribers),
    )
    return round_


def downstream_cancel_beside_an_upstream() -> Round:
    round_, processor, publisher, subscriber = Round(), Passing(), Sending(1), RecordingSubscriber()
    processor.subscribe(subscriber)
    round_.act(lambda: publisher.subscribe(processor))
    round_.act(subscriber.subscription.cancel)
    round_.outcome = lambda: (publisher.cancels, processor.hooks.count("cancel"), processor.hooks[-1])
    return round_


ONE_LAST_HOOK: Table = {
    (1, True, 0): (ALLOWED, "one last hook"),
    (0, False, 0): (FORBIDDEN, "no last hook"),
    (2, True, 0): (FORBIDDEN, "two last hooks"),
}
TABLES_IN_THE_CALLER: dict[Callable[[], Round], Table] = {
    upstream_beside_downstream: {
        ((0, 1, 2), "complete", 0, 0): (ALLOWED, "whoever came first, all came"),
        ((), "complete", 0, 0): (FORBIDDEN, "elements were lost"),
    },
    elements_beside_requests: {
        ((0, 1, 2), True, 0): (ALLOWED, "as many as were requested"),
        ((0, 1), True, 0): (FORBIDDEN, "a request was lost"),
        ((0, 1, 2, 3), True, 0): (FORBIDDEN, "more than was requested"),
    },
    elements_beside_a_cancel: {
        (True, 1, "cancel", 0, 1): (ALLOWED, "cancelled once, behind all other hooks"),
        (True, 0, "next", 0, 1): (FORBIDDEN, "the hook was not told"),
        (True, 1, "next", 0, 1): (FORBIDDEN, "a hook behind the last one"),
    },
    two_upstreams_and_a_downstream: {
        (1, 4): (ALLOWED, "one is cancelled, the other asked"),
        (0, 4): (FORBIDDEN, "both were taken"),
        (1, 8): (FORBIDDEN, "the cancelled one was asked"),
    },
    two_downstreams: {
        (1, 1): (ALLOWED, "one is served, the other told"),
        (0, 1): (FORBIDDEN, "nobody was told"),
        (2, 0): (FORBIDDEN, "nobody was served"),
    },
    downstream_cancel_beside_an_upstream: {
        (1, 1, "cancel"): (ALLOWED, "cancelled once"),
        (0, 1, "cancel"): (FORBIDDEN, "the upstream was not told"),
        (2, 1, "cancel"): (FORBIDDEN, "cancelled twice (§2.7)"),
    },
}


def signals_beside_a_cancel(worker: WorkerScheduler) -> Round:
    round_, publisher, subscriber = Round(), Sending(3), AsyncNoting(scheduler=worker)
    publisher.subscribe(subscriber)
    round_.act(publisher.serve)
    round_.act(subscriber.cancel)
    round_.outcome = lambda: (
        subscriber.elements == list(range(len(subscriber.elements))),
        subscriber.names[-1],
        subscriber.names.count("cancel"),
        len(subscriber.faults),
        publisher.cancels,
    )
    return round_


def subscription_beside_a_cancel(worker: WorkerScheduler) -> Round:
    round_, publisher, subscriber = Round(), Sending(3), AsyncNoting(scheduler=worker)
    round_.act(lambda: publisher.subscribe(subscriber))
    round_.act(subscriber.cancel)
    round_.outcome = lambda: (subscriber.names[-1], subscriber.names.count("cancel"), publisher.cancels)
    return round_


def completion_beside_a_cancel(worker: WorkerScheduler) -> Round:
    return end_beside_cancel(AsyncNoting(scheduler=worker))


def completion_beside_a_cancel_without_a_scheduler() -> Round:
    return end_beside_cancel(Noting())


def end_beside_cancel(subscriber: AsyncNoting | Noting) -> Round:
    round_, publisher = Round(), Sending(0)
    publisher.subscribe(subscriber)
    round_.act(publisher.complete)
    round_.act(subscriber.cancel)
    round_.outcome = lambda: (
        sum(name in {"complete", "cancel"} for name in subscriber.names),
        subscriber.names[-1] in {"complete", "cancel"},
        len(subscriber.faults),
    )
    return round_


def two_subscriptions(worker: WorkerScheduler) -> Round:
    round_, first, second = Round(), Sending(1), Sending(1)
    subscriber = AsyncNoting(scheduler=worker)
    round_.act(lambda: first.subscribe(subscriber))
    round_.act(lambda: second.subscribe(subscriber))
    round_.outcome = lambda: (first.cancels + second.cancels, sum((*first.requests, *second.requests)))
    return round_


def requests_beside_elements(worker: WorkerScheduler) -> Round:
    round_, publisher, subscriber = Round(), Sending(9), AsyncNoting(scheduler=worker)
    subscriber.first_request = 1
    publisher.subscribe(subscriber)
    round_.act(lambda: subscriber.request(1), lambda: subscriber.request(2))
    round_.act(publisher.serve, publisher.serve)
    round_.finish = publisher.serve
    round_.outcome = lambda: (publisher.requested, tuple(subscriber.elements), len(subscriber.faults))
    return round_


TABLES_ON_A_WORKER: dict[Callable[[WorkerScheduler], Round], Table] = {
    signals_beside_a_cancel: {
        (True, "cancel", 1, 0, 1): (ALLOWED, "cancelled once, behind all other hooks"),
        (True, "next", 1, 0, 1): (FORBIDDEN, "a hook behind the last one"),
    },
    subscription_beside_a_cancel: {
        ("cancel", 1, 1): (ALLOWED, "cancelled once"),
        ("cancel", 1, 0): (FORBIDDEN, "the publisher was not told"),
        ("subscribe", 0, 0): (FORBIDDEN, "the cancel was lost"),
    },
    completion_beside_a_cancel: ONE_LAST_HOOK,
    two_subscriptions: {
        (1, 4): (ALLOWED, "one is cancelled, the other asked"),
        (0, 4): (FORBIDDEN, "both were taken"),
        (0, 8): (FORBIDDEN, "both were asked"),
    },
    requests_beside_elements: {
        (4, (0, 1, 2, 3), 0): (ALLOWED, "as many as were requested"),
        (1, (0,), 0): (FORBIDDEN, "requests were lost"),
    },
}


TABLES_IN_THE_CALLER[completion_beside_a_cancel_without_a_scheduler] = ONE_LAST_HOOK


@pytest.fixture(autouse=True)
def late_signals_are_let_go() -> Iterator[None]:
    previous = set_hook(lambda signal, value, *, origin: None)
    yield
    set_hook(previous)


@pytest.fixture
def worker() -> Iterator[WorkerScheduler]:
    with WorkerScheduler(name="reactivestreams-stress") as worker:
        yield worker


def outcomes(situation: Callable[[], Round], settle: Callable[[], None], rounds: int) -> Observed:
    """Run a situation again and again; return what came of it once all threads were done."""
    prepared: list[Round] = []

    def prepare() -> list[Action]:
        prepared.append(situation())
        return prepared[-1].actions

    returned = observe(prepare, rounds=rounds)
    assert set(returned) == {(None,) * len(prepared[0].actions)}
    settle()
    for round_ in prepared:
        round_.finish()
    settle()
    observed = Observed(round_.outcome() for round_ in prepared)
    observed.contended = returned.contended
    return observed


@pytest.mark.parametrize("situation", TABLES_IN_THE_CALLER, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen_where_hooks_run_in_the_caller(
    situation: Callable[[], Round], depth: Depth
) -> None:
    rounds = depth.scaled(ROUNDS)
    observed = outcomes(situation, lambda: None, rounds)
    judge(situation, observed, TABLES_IN_THE_CALLER[situation], rounds=rounds)


@pytest.mark.parametrize("situation", TABLES_ON_A_WORKER, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen_where_hooks_run_on_a_worker(
    situation: Callable[[WorkerScheduler], Round], worker: WorkerScheduler, depth: Depth
) -> None:
    def settle() -> None:
        for _ in range(3):  # a task may schedule a further one
            done = threading.Event()
            worker.schedule(done.set)
            assert done.wait(60)

    rounds = depth.scaled(ROUNDS)
    observed = outcomes(lambda: situation(worker), settle, rounds)
    judge(situation, observed, TABLES_ON_A_WORKER[situation], rounds=rounds)
