"""parallel under Python threads, in outcomes: two workers run the rails while others request or cancel."""

from collections.abc import Callable, Hashable, Iterator

import pytest

from reactivestreams import Stream
from reactivestreams.schedulers import LogicalScheduler
from rs_core.dropped import set_hook
from tests.conftest import Depth
from tests.contracts.manual_scheduler import ManualPhysical
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.stress.outcomes import Action, Hesitate, Observed, Outcome, Table, Verdict, judge, observe

ROUNDS = 200
ELEMENTS = 6
TURNS = 12
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


class TwoThreads(ManualPhysical):
    """Runs two queues at a time, in whatever thread calls `run_turn`."""

    def __init__(self) -> None:
        super().__init__()
        self.width = 2


def called(number: int) -> int:
    return number


def failing_at_three(number: int) -> int:
    if number == 3:
        raise OSError("lost")
    return number


class Round:
    """A stream of two rails with one place each, which two workers run."""

    def __init__(
        self, function: Callable[[int], int] = called, *, demand: int | None = UNBOUNDED, ordered: bool = True
    ) -> None:
        self.physical, self.subscriber = TwoThreads(), RecordingSubscriber(demand=demand)
        self.is_ordered = ordered
        rails = Stream.range(ELEMENTS).parallel(2, prefetch=2)
        rails = rails.run_on(LogicalScheduler(self.physical, affinity="any"), prefetch=1)
        rails.map(function).filter(lambda number: number != 4).sequential(ordered=ordered).subscribe(self.subscriber)
        self.actions: list[Action] = [self.work, self.work]

    def work(self, hesitate: Hesitate) -> Hashable:
        for _ in range(TURNS):
            self.physical.run_turn()
            hesitate()
        return None

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

    def outcome(self) -> Outcome:
        """What came, and the end, when all has run."""
        while self.physical.run_turn():
            pass
        elements = self.subscriber.elements
        end = " ".join(name for name in self.subscriber.names if name in {"on_complete", "on_error"})
        return tuple(elements if self.is_ordered else sorted(elements)), end


def two_workers_run_rails_in_order_while_more_is_requested() -> Round:
    round_ = Round(demand=1)
    round_.actions.append(round_.requesting(1, 2, 3))
    return round_


def two_workers_run_rails_without_order() -> Round:
    return Round(ordered=False)


def the_stream_is_cancelled_while_workers_run_rails() -> Round:
    round_ = Round()
    round_.actions.append(round_.cancelling)
    return round_


def a_rail_fails_beside_the_other() -> Round:
    return Round(failing_at_three)


ALL = (0, 1, 2, 3, 5)
TABLES: dict[Callable[[], Round], Table] = {
    two_workers_run_rails_in_order_while_more_is_requested: {
        (ALL, "on_complete"): (ALLOWED, "all came in order, then the end"),
        (ALL, ""): (FORBIDDEN, "the end was lost"),
    },
    two_workers_run_rails_without_order: {
        (ALL, "on_complete"): (ALLOWED, "each came once, then the end"),
        (ALL, ""): (FORBIDDEN, "the end was lost"),
    },
    the_stream_is_cancelled_while_workers_run_rails: {
        **{(ALL[:count], ""): (ALLOWED, "what came before") for count in range(len(ALL) + 1)},
        (ALL, "on_complete"): (ALLOWED, "all came before"),
    },
    a_rail_fails_beside_the_other: {
        (ALL[:3], "on_error"): (ALLOWED, "the error came in its place"),
        (ALL[:3], ""): (FORBIDDEN, "the error was lost"),
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
