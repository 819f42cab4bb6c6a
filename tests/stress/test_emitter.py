"""The serialized emitter under Python threads, in outcomes: emissions and ends at the same time, by each policy."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from typing import Any

import pytest

from rs_core import EmitResult, SerializedEmitter
from rs_core.dropped import set_hook
from tests.stress.emitter_rounds import Round, Sink, summary
from tests.stress.outcomes import LEAST_CONTENDED_SHARE, Action, Outcome, Table, Verdict, forbidden, observe

ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN
POLICIES = ["error", "drop_newest", "drop_oldest", "latest", "block"]
PRODUCERS, EMISSIONS, ROUNDS = 3, 120, 10

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def dropped() -> Iterator[list[Any]]:
    """What the hook was told, of all rounds: elements are told apart by the round's own list of results."""
    told: list[Any] = []
    previous = set_hook(lambda signal, value, *, origin: told.append(value))
    yield told
    set_hook(previous)


def rounds_of(prepare: Callable[[], tuple[Round, list[Action]]], dropped: list[Any], count: int) -> list[Round]:
    """Run a situation again and again; return what came of it, each with what the hook was told in it."""
    rounds: list[Round] = []
    for _ in range(count):
        round_, actions = prepare()
        assert set(observe(lambda actions=actions: actions, rounds=1)) == {(None,) * len(actions)}  # type: ignore[misc]
        round_.dropped = list(dropped)
        dropped.clear()
        rounds.append(round_)
    return rounds


def emitting_round(policy: str, *, ends: int) -> tuple[Round, list[Action]]:
    sink = Sink()
    emitter = SerializedEmitter[Any](sink, capacity=2, on_overflow=policy)
    round_ = Round(emitter, sink, [])
    actions = [round_.emitting(who, EMISSIONS) for who in range(PRODUCERS)]
    actions += [round_.calling(emitter.complete) for _ in range(ends)]
    return round_, actions


def outcome_of(round_: Round) -> Outcome:
    sink = round_.sink
    return round_.is_accounted_for, sink.is_in_order, sink.overlaps, sink.late, len(sink.ends)


RIGHT: Table = {
    (True, True, 0, 0, 0): (ALLOWED, "accepted elements were delivered or told, one at a time and in order; no end"),
    (True, True, 0, 0, 1): (ALLOWED, "so, and an end came behind them"),
    (False, True, 0, 0, 0): (FORBIDDEN, "an accepted element was lost, or came twice, or a refused one arrived"),
    (True, False, 0, 0, 0): (FORBIDDEN, "elements of a thread changed places"),
    (True, True, 1, 0, 0): (FORBIDDEN, "two deliveries at once"),
    (True, True, 0, 1, 1): (FORBIDDEN, "something came after the end"),
    (True, True, 0, 0, 2): (FORBIDDEN, "two ends"),
}


@pytest.mark.parametrize("ends", [0, 1, 2], ids=["no end", "an end", "two ends"])
@pytest.mark.parametrize("policy", POLICIES)
def test_every_emission_is_accounted_for(policy: str, ends: int, dropped: list[Any]) -> None:
    rounds = rounds_of(lambda: emitting_round(policy, ends=ends), dropped, ROUNDS)
    observed = Counter(outcome_of(round_) for round_ in rounds)
    assert (forbidden(observed, RIGHT), observed.total()) == ({}, ROUNDS)
    for round_ in rounds:
        assert len(round_.sink.ends) == (1 if ends or round_.with_result(EmitResult.OVERFLOWED) else 0)
        assert round_.emitter.dropped_count == len(round_.told)
    if ends == 0:
        contended_share, emissions = summary(policy, rounds)
        assert emissions == ROUNDS * PRODUCERS * EMISSIONS
        assert contended_share >= LEAST_CONTENDED_SHARE


# --- outcomes of few steps ------------------------------------------------------------------------------------------

FEW_ROUNDS = 300


def an_emission_beside_the_end() -> list[Action]:
    sink = Sink()
    emitter = SerializedEmitter[Any](sink)
    noted: dict[str, Hashable] = {}

    def emit(hesitate: Callable[[], None]) -> Hashable:
        noted["result"] = emitter.emit((0, 0)).name
        return noted["result"], len(sink.elements)

    def end(hesitate: Callable[[], None]) -> Hashable:
        return emitter.complete(), emitter.emit((1, 0)).name

    return [emit, end]


def two_ends() -> list[Action]:
    emitter = SerializedEmitter[Any](Sink())
    return [lambda hesitate: emitter.complete(), lambda hesitate: emitter.fail(ValueError("why"))]


def an_emission_beside_a_subscriber_that_raises() -> list[Action]:
    class Raising(Sink):
        def on_next(self, element: Any) -> None:
            if element == (0, 0):
                raise ValueError("mine")
            super().on_next(element)

    sink = Raising()
    emitter = SerializedEmitter[Any](sink)
    return [
        lambda hesitate: emitter.emit((0, 0)).name,
        lambda hesitate: (emitter.emit((1, 0)).name, hesitate(), emitter.emit((1, 1)).name)[::2],
    ]


TABLES: dict[Callable[[], list[Action]], Table] = {
    an_emission_beside_the_end: {
        (("ACCEPTED", 1), (True, "TERMINATED")): (ALLOWED, "the emission came first, and was delivered by its thread"),
        (("ACCEPTED", 0), (True, "TERMINATED")): (FORBIDDEN, "nobody else delivers: it was queued and left"),
        (("TERMINATED", 0), (True, "TERMINATED")): (ALLOWED, "the end came first"),
        (("ACCEPTED", 1), (True, "ACCEPTED")): (FORBIDDEN, "accepted behind the own end"),
        (("TERMINATED", 0), (False, "TERMINATED")): (FORBIDDEN, "an end that nobody made"),
    },
    two_ends: {
        (True, False): (ALLOWED, "the completion came first"),
        (False, True): (ALLOWED, "the failure came first"),
        (True, True): (FORBIDDEN, "two ends"),
        (False, False): (FORBIDDEN, "no end"),
    },
    an_emission_beside_a_subscriber_that_raises: {
        ("ACCEPTED", ("ACCEPTED", "ACCEPTED")): (ALLOWED, "the second thread came first"),
        ("ACCEPTED", ("ACCEPTED", "CANCELLED")): (ALLOWED, "it came between"),
        ("ACCEPTED", ("CANCELLED", "CANCELLED")): (ALLOWED, "it came last"),
        ("ACCEPTED", ("CANCELLED", "ACCEPTED")): (FORBIDDEN, "accepted although it had ended"),
    },
}


@pytest.mark.parametrize("situation", TABLES, ids=lambda situation: situation.__name__)
def test_only_allowed_outcomes_are_seen(situation: Callable[[], list[Action]]) -> None:
    observed = observe(situation, rounds=FEW_ROUNDS)
    assert (forbidden(observed, TABLES[situation]), observed.total()) == ({}, FEW_ROUNDS)
