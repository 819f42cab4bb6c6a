"""Whenever the process dies, or a call fails, the results and states in the end are those of an uninterrupted run."""

import functools
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SimpleSubject, UnicastSubject, buffer, lockstep
from tests.engine.crash_model import Faults, Query, Result, World, run

ELEMENTS = range(1, 14)

QUERIES: dict[str, Query] = {
    "map, filter": lambda stream: stream.map(lambda n: n * 3).filter(lambda n: n % 2 == 1),
    "scan": lambda stream: stream.scan(lambda total, n: total + n, 0),
    "buffer": lambda stream: stream.buffer(3),
    "sliding": lambda stream: stream.sliding(3),
    "pairwise": lambda stream: stream.pairwise(),
    "distinct": lambda stream: stream.map(lambda n: n % 5).distinct(),
    "take": lambda stream: stream.take(7),
    "take_last": lambda stream: stream.take_last(4),
    "skip": lambda stream: stream.skip(4).enumerate(),
    "take_while": lambda stream: stream.take_while(lambda n: n < 9),
    "keyed": lambda stream: stream.key_by(lambda n: n % 3).scan(lambda total, n: total + n, 0),
    "flat_map": lambda stream: stream.concat_map(lambda n: Stream.from_iterable([n, -n], recovery="skips")),
    "start_with": lambda stream: stream.start_with(-2, -1),
    "sorted": lambda stream: stream.map(lambda n: n * 7 % 13).sorted(max_elements=20),
    "fails": lambda stream: stream.map(lambda n: 60 // (9 - n)),
    "merge": lambda stream: stream.merge_with(Stream.range(100, 105)),
    "zip": lambda stream: stream.zip_with(Stream.range(100, 110)),
}

END_EARLY = {"take", "take_while", "fails", "zip"}  # how much they had read ahead is a matter of time

SUBJECTS: dict[str, Callable[[], Any]] = {
    "lockstep": lambda: BroadcastSubject(policy=lockstep()),
    "error_slow": BroadcastSubject,
    "buffer": lambda: BroadcastSubject(policy=buffer(64)),
    "replay": lambda: ReplaySubject(3),
    "unicast": UnicastSubject,
    "simple": SimpleSubject,
}

PLANS = {"differential": ["differential"], "full": ["full"], "both": ["full", "differential", "differential"]}

run_of = functools.partial(run, kinds=PLANS["both"], make_subject=SUBJECTS["lockstep"], checkpoint_every=3)


def result_of(faults: Faults, query: str = "scan", **arguments: Any) -> Result:
    return run_of(World(faults, ELEMENTS), QUERIES[query], **arguments)


def calls_of(query: str = "scan", **arguments: Any) -> int:
    faults = Faults()
    result_of(faults, query, **arguments)
    return faults.calls


def check(expected: Result, faults: Faults, query: str, **arguments: Any) -> Result:
    described = f"{query} {arguments} call {faults.at} {faults.how}, tick {faults.tick}, second {faults.second}"
    actual = result_of(faults, query, **arguments)
    assert actual.rows == expected.rows, described
    assert query in END_EARLY or actual.states == expected.states, described
    return actual


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("egress", ["pages", "ledger", "table"])
def test_death_at_any_tick_loses_and_repeats_nothing(query: str, egress: str) -> None:
    expected = result_of(Faults(), query, egress=egress)
    assert expected.rows
    for tick in range(1, 40):
        check(expected, Faults(tick=tick), query, egress=egress)


@pytest.mark.parametrize("how", ["before", "after", "fails", "lies"])
@pytest.mark.parametrize("egress", ["pages", "ledger", "table"])
@pytest.mark.parametrize("plan", PLANS)
def test_fault_in_any_call_of_store_source_and_egress_loses_and_repeats_nothing(
    how: str, egress: str, plan: str
) -> None:
    arguments: dict[str, Any] = {"egress": egress, "kinds": PLANS[plan]}
    expected = result_of(Faults(), **arguments)
    for at in range(1, calls_of(**arguments) + 1):
        check(expected, Faults(at=at, how=how), "scan", **arguments)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_subject_of_any_kind_between_two_queries_loses_and_repeats_nothing(subject: str) -> None:
    arguments: dict[str, Any] = {"make_subject": SUBJECTS[subject], "egress": "pages", "checkpoint_every": 2}
    expected = result_of(Faults(), "buffer", **arguments)
    for at in range(1, calls_of("buffer", **arguments) + 1):
        check(expected, Faults(at=at, how="after"), "buffer", **arguments)
    for tick in range(1, 30):
        check(expected, Faults(tick=tick), "buffer", **arguments)


@pytest.mark.slow
@pytest.mark.parametrize("egress", ["pages", "ledger", "table"])
def test_second_death_at_any_call_of_a_recovery_loses_and_repeats_nothing(egress: str) -> None:
    expected = result_of(Faults(), egress=egress)
    twice = 0
    for at in range(1, calls_of(egress=egress) + 1, 3):
        for second in range(1, 30):
            twice += check(expected, Faults(at=at, how="after", second=second), "scan", egress=egress).deaths == 2
    assert twice > 100


@pytest.mark.slow
@pytest.mark.parametrize("how", ["fails", "lies"])
@pytest.mark.parametrize("egress", ["pages", "ledger", "table"])
def test_death_after_a_call_that_failed_loses_and_repeats_nothing(how: str, egress: str) -> None:
    expected = result_of(Faults(), egress=egress, checkpoint_every=1)
    for at in range(1, calls_of(egress=egress, checkpoint_every=1) + 1):
        for second in range(1, 12):
            check(expected, Faults(at=at, how=how, second=second), "scan", egress=egress, checkpoint_every=1)


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_death_at_any_call_with_any_query_loses_and_repeats_nothing(query: str) -> None:
    for how in ("before", "after", "lies"):
        expected = result_of(Faults(), query, egress="ledger")
        for at in range(1, calls_of(query, egress="ledger") + 1):
            check(expected, Faults(at=at, how=how), query, egress="ledger")
