"""group_by and windows under Python threads, in outcomes: one sends, others consume what is full, cut, or cancel."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any

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
    """A stream of groups, the consumers of the first two of them, and what threads do to them.

    Args:
        split: Makes the stream of groups of that of numbers.
        before: The numbers that are sent before the threads start; both groups begin with them.
        after: The numbers that one of the threads sends, and then the completion.
    """

    def __init__(self, split: Callable[[Stream[int]], Stream[Any]], before: range, after: range) -> None:
        self.groups = RecordingSubscriber(demand=2)
        self.emitters: list[StreamEmitter[int]] = []
        split(Stream.create(self.emitters.append, on_overflow="error", capacity=8)).subscribe(self.groups)
        for number in before:
            self.emitters[0].emit(number)
        self.first, self.second = self.consumers = [RecordingSubscriber(demand=None) for _ in range(2)]
        for group, consumer in zip(self.groups.elements, self.consumers, strict=True):
            group.subscribe(consumer)
        self.after = after
        self.actions: list[Action] = []

    def sending(self, hesitate: Hesitate) -> Hashable:
        for number in self.after:
            self.emitters[0].emit(number)
            hesitate()
        self.emitters[0].complete()
        return None

    def outcome(self) -> Outcome:
        """What each group got, as far as it was requested, and its end."""
        return tuple(map(received, self.consumers))


def received(consumer: RecordingSubscriber) -> tuple[tuple[int, ...], str]:
    return tuple(consumer.elements), " ".join(name for name in consumer.names if name in {"on_complete", "on_error"})


def round_of_groups() -> Round:
    """Even and odd numbers, whose queues have room for one element."""
    return Round(lambda numbers: numbers.group_by(lambda number: number % 2, prefetch=1), range(2), range(2, 8))


def round_of_windows() -> Round:
    """Windows that overlap; the queue of the first is full, and what is held for it goes to the second, too."""
    return Round(lambda numbers: numbers.window(6, 3, prefetch=4), range(4), range(4, 9))


class CutRound:
    """Windows, consumed as they come, of numbers that one thread sends and another cuts."""

    def __init__(self) -> None:
        self.numbers: list[StreamEmitter[int]] = []
        self.cuts: list[StreamEmitter[str]] = []
        self.consumers: list[RecordingSubscriber] = []
        numbers, cuts = (
            Stream.create(emitters.append, on_overflow="error", capacity=8) for emitters in (self.numbers, self.cuts)
        )
        numbers.window_when(cuts, prefetch=1).subscribe(on_next=self._consume)
        self.numbers[0].emit(0)
        self.actions: list[Action] = [self._sending, self._cutting]

    def _consume(self, window: Stream[int]) -> None:
        self.consumers.append(RecordingSubscriber())
        window.subscribe(self.consumers[-1])

    def _sending(self, hesitate: Hesitate) -> Hashable:
        for number in range(1, 4):
            self.numbers[0].emit(number)
            hesitate()
        self.numbers[0].complete()
        return None

    def _cutting(self, hesitate: Hesitate) -> Hashable:
        hesitate()
        self.cuts[0].emit("cut")
        return None

    def outcome(self) -> Outcome:
        """What each window got, and its end."""
        return tuple(map(received, self.consumers))


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
    round_ = round_of_groups()
    round_.actions = [round_.sending, requesting(round_.first, 1, 1, 1, 1), requesting(round_.second, 2, 2)]
    return round_


def a_group_is_cancelled_while_an_element_waits_for_room() -> Round:
    round_ = round_of_groups()
    round_.second.subscription.request(UNBOUNDED)
    round_.actions = [round_.sending, cancelling(round_.first)]
    return round_


def the_stream_of_groups_is_cancelled() -> Round:
    round_ = round_of_groups()
    for consumer in round_.consumers:
        consumer.subscription.request(UNBOUNDED)
    round_.actions = [round_.sending, cancelling(round_.groups)]
    return round_


def two_threads_consume_windows_that_overlap() -> Round:
    round_ = round_of_windows()
    round_.actions = [round_.sending, requesting(round_.first, 1, 2, 3), requesting(round_.second, 2, 2, 2)]
    return round_


def a_window_is_cancelled_while_an_element_waits_for_room_in_both() -> Round:
    round_ = round_of_windows()
    round_.actions = [round_.sending, cancelling(round_.first), requesting(round_.second, 1, 5)]
    return round_


def the_stream_of_windows_is_cancelled() -> Round:
    round_ = round_of_windows()
    for consumer in round_.consumers:
        consumer.subscription.request(UNBOUNDED)
    round_.actions = [round_.sending, cancelling(round_.groups)]
    return round_


def windows_are_cut_while_their_elements_come() -> CutRound:
    return CutRound()


EVEN, ODD = (0, 2, 4, 6), (1, 3, 5, 7)
EARLY, LATE = tuple(range(6)), tuple(range(3, 9))
TABLES: dict[Callable[[], Round | CutRound], Table] = {
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
    two_threads_consume_windows_that_overlap: {
        ((EARLY, "on_complete"), (LATE, "on_complete")): (ALLOWED, "each got its elements in order, then the end"),
        ((EARLY, "on_complete"), ((3, 5, 6, 7, 8), "on_complete")): (FORBIDDEN, "what was held went to the first only"),
    },
    a_window_is_cancelled_while_an_element_waits_for_room_in_both: {
        (((), ""), (LATE, "on_complete")): (ALLOWED, "what waited was dropped in one, and went to the other"),
        (((), ""), ((3,), "")): (FORBIDDEN, "nobody told the stage that the window was closed"),
    },
    the_stream_of_windows_is_cancelled: {
        ((EARLY[:early], early_end), (LATE[:late], late_end)): (ALLOWED, "the same elements in both, then the error")
        for early, early_end, late, late_end in (
            (4, "on_error", 1, "on_error"),
            (5, "on_error", 2, "on_error"),
            *((6, "on_complete", late, "on_error") for late in range(3, 6)),
            (6, "on_complete", 6, "on_complete"),
        )
    },
    windows_are_cut_while_their_elements_come: {
        **{
            (((*range(cut),), "on_complete"), ((*range(cut, 4),), "on_complete")): (ALLOWED, "cut between two elements")
            for cut in range(1, 4)
        },
        (((0, 1, 2, 3), "on_complete"),): (ALLOWED, "cut behind the last one"),
        (((0, 1, 2, 3), "on_complete"), ((), "")): (FORBIDDEN, "a window began without an element"),
    },
}


@pytest.fixture(autouse=True)
def errors_behind_an_end_are_let_go() -> Iterator[None]:
    previous = set_hook(lambda signal, value, *, origin: None)
    yield
    set_hook(previous)


@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(situation: Callable[[], Round | CutRound], depth: Depth) -> None:
    rounds = depth.scaled(ROUNDS)
    prepared: list[Round | CutRound] = []

    def prepare() -> list[Action]:
        prepared.append(situation())
        return prepared[-1].actions

    returned = observe(prepare, rounds=rounds)
    observed = Observed(round_.outcome() for round_ in prepared)
    observed.contended = returned.contended
    judge(situation, observed, TABLES[situation], rounds=rounds)
