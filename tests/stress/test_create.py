"""Stream.create under Python threads: emissions, requests and cancellation, all at the same time, by each policy."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams import EmitResult, Stream, StreamEmitter
from rs_core.dropped import set_hook
from tests.stress.emitter_rounds import Round, Sink, summary
from tests.stress.outcomes import LEAST_CONTENDED_SHARE, Action, Outcome, Table, Verdict, forbidden, observe

ALLOWED, FORBIDDEN = Verdict.ALLOWED, Verdict.FORBIDDEN
POLICIES = ["error", "drop_newest", "drop_oldest", "latest", "block"]
PRODUCERS, EMISSIONS, ROUNDS = 3, 120, 8
UNBOUNDED = 2**63 - 1

pytestmark = pytest.mark.slow


class Subscriber(Sink):
    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription


@pytest.fixture(autouse=True)
def dropped() -> Iterator[list[Any]]:
    told: list[Any] = []
    previous = set_hook(lambda signal, value, *, origin: told.append(value))
    yield told
    set_hook(previous)


def requesting_round(policy: str) -> tuple[Round, list[Action]]:
    """Producers beside a thread that requests all there is, in small portions."""
    round_, subscriber = started(policy)
    actions = [round_.emitting(who, EMISSIONS) for who in range(PRODUCERS)]

    def request() -> None:
        for _ in range(PRODUCERS * EMISSIONS):
            subscriber.subscription.request(1)

    return round_, [*actions, round_.calling(request)]


def cancelled_round(policy: str) -> tuple[Round, list[Action]]:
    round_, subscriber = started(policy)
    subscriber.subscription.request(PRODUCERS)
    actions = [round_.emitting(who, EMISSIONS) for who in range(PRODUCERS)]
    return round_, [*actions, round_.calling(subscriber.subscription.cancel)]


def started(policy: str) -> tuple[Round, Subscriber]:
    emitters: list[StreamEmitter[Any]] = []
    subscriber = Subscriber()
    Stream.create(emitters.append, on_overflow=policy, capacity=2).subscribe(subscriber)
    return Round(emitters[0], subscriber, []), subscriber


def rounds_of(prepare: Callable[[], tuple[Round, list[Action]]], dropped: list[Any]) -> list[Round]:
    rounds: list[Round] = []
    for _ in range(ROUNDS):
        round_, actions = prepare()
        assert set(observe(lambda actions=actions: actions, rounds=1)) == {(None,) * len(actions)}  # type: ignore[misc]
        round_.dropped = list(dropped)
        dropped.clear()
        rounds.append(round_)
    return rounds


def outcome_of(round_: Round) -> Outcome:
    sink = round_.sink
    return round_.is_accounted_for, sink.is_in_order, sink.overlaps, sink.late


RIGHT: Table = {
    (True, True, 0, 0): (ALLOWED, "accepted elements were delivered or told, one at a time and in order"),
    (False, True, 0, 0): (FORBIDDEN, "an accepted element was lost, or came twice, or a refused one arrived"),
    (True, False, 0, 0): (FORBIDDEN, "elements of a thread changed places"),
    (True, True, 1, 0): (FORBIDDEN, "two signals at once"),
    (True, True, 0, 1): (FORBIDDEN, "something came after the end"),
}


@pytest.mark.parametrize("policy", POLICIES)
def test_every_emission_is_accounted_for_beside_requests(policy: str, dropped: list[Any]) -> None:
    rounds = rounds_of(lambda: requesting_round(policy), dropped)
    for round_ in rounds:  # what still waits
        round_.sink.subscription.request(UNBOUNDED)  # type: ignore[attr-defined]
    observed = Counter(outcome_of(round_) for round_ in rounds)
    assert (forbidden(observed, RIGHT), observed.total()) == ({}, ROUNDS)
    contended_share, emissions = summary(policy, rounds)
    assert emissions == ROUNDS * PRODUCERS * EMISSIONS
    assert contended_share >= LEAST_CONTENDED_SHARE
    if policy == "block":
        assert {result for round_ in rounds for result in round_.results.values()} == {EmitResult.ACCEPTED}


@pytest.mark.parametrize("policy", POLICIES)
def test_a_cancel_beside_emissions_ends_them_all(policy: str, dropped: list[Any]) -> None:
    rounds = rounds_of(lambda: cancelled_round(policy), dropped)
    for round_ in rounds:
        ended = {EmitResult.CANCELLED, EmitResult.TERMINATED} if policy == "error" else {EmitResult.CANCELLED}
        assert round_.emitter.emit((9, 9)) in ended
        assert len(round_.sink.elements) <= PRODUCERS
        assert set(round_.sink.elements) <= round_.with_result(EmitResult.ACCEPTED)
        assert (round_.sink.is_in_order, round_.sink.overlaps) == (True, 0)
        assert EmitResult.TIMED_OUT not in round_.results.values()
