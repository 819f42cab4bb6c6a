"""map_in_executor under Python threads, in outcomes: workers run calls while others request, cancel, or shut down."""

from collections.abc import Callable, Hashable, Iterator

import pytest

from reactivestreams import Stream
from rs_core.dropped import set_hook
from tests.conftest import Depth
from tests.contracts.executors import SteppedExecutor, settle_shared
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.stress.outcomes import Action, Hesitate, Observed, Outcome, Table, Verdict, judge, observe

ROUNDS = 200
ELEMENTS = 6
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


def called(number: int) -> int:
    return number


def failing_at_three(number: int) -> int:
    if number == 3:
        raise OSError("lost")
    return number


class Round:
    """A stream whose calls two workers run, one the oldest first, the other the youngest."""

    def __init__(
        self, function: Callable[[int], int] = called, *, demand: int | None = UNBOUNDED, ordered: bool = True
    ) -> None:
        self.executor, self.subscriber = SteppedExecutor(), RecordingSubscriber(demand=demand)
        self.is_ordered = ordered
        stream = Stream.range(ELEMENTS).map_in_executor(function, self.executor, concurrency=4, ordered=ordered)
        stream.subscribe(self.subscriber)
        settle_shared()
        self.actions: list[Action] = [self.working(last=False), self.working(last=True)]

    def working(self, *, last: bool) -> Action:
        def action(hesitate: Hesitate) -> Hashable:
            for _ in range(ELEMENTS):
                self.executor.run_next(last=last)
                hesitate()
            return None

        return action

    def requesting(self, *sizes: int) -> Action:
        def action(hesitate: Hesitate) -> Hashable:
            for n in sizes:
                self.subscriber.subscription.request(n)
                hesitate()
            return None

        return action

    def cancelling(self, hesitate: Hesitate) -> Hashable:
        hesitate()
        self.subscriber.subscription.cancel()
        return None

    def shutting_down(self, hesitate: Hesitate) -> Hashable:
        """Cancel what has not begun, as a pool does."""
        for future, _ in list(self.executor.calls):
            hesitate()
            future.cancel()
        return None

    def outcome(self) -> Outcome:
        """What came, and the end, when all has run."""
        self.executor.settle()
        elements = self.subscriber.elements
        end = " ".join(name for name in self.subscriber.names if name in {"on_complete", "on_error"})
        return tuple(elements if self.is_ordered else sorted(elements)), end


def two_workers_run_calls_while_more_is_requested() -> Round:
    round_ = Round(demand=1)
    round_.actions.append(round_.requesting(1, 2, 3))
    return round_


def two_workers_run_calls_without_order() -> Round:
    return Round(ordered=False)


def the_stream_is_cancelled_while_workers_run_calls() -> Round:
    round_ = Round()
    round_.actions.append(round_.cancelling)
    return round_


def a_call_fails_beside_others() -> Round:
    return Round(failing_at_three)


def calls_are_cancelled_by_their_executor() -> Round:
    round_ = Round()
    round_.actions.append(round_.shutting_down)
    return round_


ALL = tuple(range(ELEMENTS))
TABLES: dict[Callable[[], Round], Table] = {
    two_workers_run_calls_while_more_is_requested: {
        (ALL, "on_complete"): (ALLOWED, "all came in order, then the end"),
        (ALL, ""): (FORBIDDEN, "the end was lost"),
    },
    two_workers_run_calls_without_order: {
        (ALL, "on_complete"): (ALLOWED, "each came once, then the end"),
        (ALL, ""): (FORBIDDEN, "the end was lost"),
    },
    the_stream_is_cancelled_while_workers_run_calls: {
        **{(ALL[:count], ""): (ALLOWED, "what came before") for count in range(ELEMENTS + 1)},
        (ALL, "on_complete"): (ALLOWED, "all came before"),
    },
    a_call_fails_beside_others: {
        (ALL[:3], "on_error"): (ALLOWED, "the error came in its place"),
        (ALL[:3], ""): (FORBIDDEN, "the error was lost"),
    },
    calls_are_cancelled_by_their_executor: {
        **{(ALL[:count], "on_error"): (ALLOWED, "results before the first one that was cancelled") for count in ALL},
        (ALL, "on_complete"): (ALLOWED, "all had begun before"),
    },
}


@pytest.fixture(autouse=True)
def errors_behind_an_end_are_let_go() -> Iterator[None]:
    previous = set_hook(lambda signal, value, *, origin: None)
    yield
    set_hook(previous)


@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(situation: Callable[[], Round], depth: Depth) -> None:
    rounds = depth.scaled(ROUNDS)
    prepared: list[Round] = []

    def prepare() -> list[Action]:
        prepared.append(situation())
        return prepared[-1].actions

    returned = observe(prepare, rounds=rounds)
    observed = Observed(round_.outcome() for round_ in prepared)
    observed.contended = returned.contended
    judge(situation, observed, TABLES[situation], rounds=rounds)
