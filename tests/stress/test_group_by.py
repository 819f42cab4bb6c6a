"""group_by under Python threads, in outcomes: one sends, others consume groups whose queues are full, or cancel."""

from collections.abc import Callable, Hashable, Iterator

import pytest

from reactivestreams import Stream
from rs_core.dropped import set_hook
from rs_core.sources.emitter import StreamEmitter
from tests.conftest import Depth
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.stress.outcomes import Action, Hesitate, Observed, Outcome, Table, Verdict, judge, observe

ROUNDS = 300
ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN

pytestmark = pytest.mark.slow


class Round:
    """Two groups, of even and odd numbers, whose queues have room for one element, and what threads do to them."""

    def __init__(self) -> None:
        self.groups = RecordingSubscriber(demand=2)
        self.emitters: list[StreamEmitter[int]] = []
        source = Stream.create(self.emitters.append, on_overflow="error", capacity=8)
        source.group_by(lambda number: number % 2, prefetch=1).subscribe(self.groups)
        for number in range(2):
            self.emitters[0].emit(number)
        self.even, self.odd = (RecordingSubscriber(demand=None) for _ in range(2))
        for group, consumer in zip(self.groups.elements, (self.even, self.odd), strict=True):
            group.subscribe(consumer)
        self.actions: list[Action] = []

    def sending(self, hesitate: Hesitate) -> Hashable:
        for number in range(2, 8):
            self.emitters[0].emit(number)
            hesitate()
        self.emitters[0].complete()
        return None

    def outcome(self) -> Outcome:
        """What each group got, as far as it was requested, and its end."""
        return tuple(
            (tuple(each.elements), " ".join(name for name in each.names if name in {"on_complete", "on_error"}))
            for each in (self.even, self.odd)
        )


def requesting(consumer: RecordingSubscriber, *sizes: int) -> Action:
    def action(hesitate: Hesitate) -> Hashable:
        for n in sizes:
            consumer.subscription.request(n)
            hesitate()
        return None

    return action


def cancelling(consumer: RecordingSubscriber) -> Action:
    return lambda hesitate: consumer.subscription.cancel()


def two_threads_consume_what_one_sends() -> Round:
    round_ = Round()
    round_.actions = [round_.sending, requesting(round_.even, 1, 1, 1, 1), requesting(round_.odd, 2, 2)]
    return round_


def a_group_is_cancelled_while_an_element_waits_for_room() -> Round:
    round_ = Round()
    round_.odd.subscription.request(UNBOUNDED)
    round_.actions = [round_.sending, cancelling(round_.even)]
    return round_


def the_stream_of_groups_is_cancelled() -> Round:
    round_ = Round()
    round_.even.subscription.request(UNBOUNDED)
    round_.odd.subscription.request(UNBOUNDED)
    round_.actions = [round_.sending, cancelling(round_.groups)]
    return round_


EVEN, ODD = (0, 2, 4, 6), (1, 3, 5, 7)
TABLES: dict[Callable[[], Round], Table] = {
    two_threads_consume_what_one_sends: {
        ((EVEN, "on_complete"), (ODD, "on_complete")): (ALLOWED, "each got its elements in order, then the end"),
        ((EVEN, ""), (ODD, "")): (FORBIDDEN, "the end was lost"),
    },
    a_group_is_cancelled_while_an_element_waits_for_room: {
        (((), ""), (ODD, "on_complete")): (ALLOWED, "what waited was dropped, and the other group went on"),
        (((), ""), ((1,), "")): (FORBIDDEN, "nobody told the stage that the group was closed"),
    },
    the_stream_of_groups_is_cancelled: {
        ((EVEN[:even], even_end), (ODD[:odd], odd_end)): (ALLOWED, "what came before, then the error or the end")
        for even in range(1, 5)
        for odd in range(1, 5)
        for even_end, odd_end in (("on_error", "on_error"), ("on_complete", "on_complete"))
        if even_end == "on_error" or (even, odd) == (4, 4)
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
