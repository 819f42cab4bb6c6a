"""Whenever the process dies, or a call fails, the results and states in the end are those of an uninterrupted run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.engine import Engine, FactoryRegistry, MemoryStore
from reactivestreams.subjects import BroadcastSubject, ReplaySubject, SimpleSubject, UnicastSubject, buffer, lockstep
from reactivestreams.testing.crash.faults import Faults
from reactivestreams.testing.crash.lives import EGRESS_STEPS, INGRESS_STEPS, STORE_STEPS, Lives, paced
from reactivestreams.testing.crash.reference_edges import Ledger, NumberedSource, Pages, Table, World

Query = Callable[[Stream[Any]], Stream[Any]]

COMPARED = ("between", "first", "second")  # how far the source was read after the query has ended is a matter of time

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
    "keyed count": lambda stream: stream.key_by(lambda n: n % 4).count(),
    "keyed through": lambda stream: stream.key_by(lambda n: n % 3).through(pipeline().buffer(2)),
    "flat_map": lambda stream: stream.concat_map(lambda n: Stream.from_iterable([n, -n], recovery="skips")),
    "window": lambda stream: stream.window(3).concat_map(lambda window: window.map(lambda n: (window.key, n))),
    "window with results": lambda stream: stream.window(4, 2).concat_map(
        lambda window: window.scan(lambda total, n: total + n, 0).take_last(1)
    ),
    "group_by": lambda stream: stream.group_by(lambda n: n % 3).flat_map(
        lambda group: group.scan(lambda total, n: total + n, 0).map(lambda total: (group.key, total))
    ),
    "merge of streams": lambda stream: stream.map(lambda n: [n, -n]).flat_map(Stream.from_iterable, concurrency=1),
    "throttle by streams": lambda stream: stream.debounce(Stream.just),
    "group_by_until": lambda stream: stream.group_by_until(lambda n: n // 4, lambda key: Stream.never()).flat_map(
        lambda group: group.scan(lambda total, n: total + n, 0)
    ),
    "start_with": lambda stream: stream.start_with(-2, -1),
    "sorted": lambda stream: stream.map(lambda n: n * 7 % 13).sorted(max_elements=20),
    "fails": lambda stream: stream.map(lambda n: 60 // (9 - n)),
    "merge": lambda stream: stream.merge_with(Stream.range(100, 105)),
    "zip": lambda stream: stream.zip_with(Stream.range(100, 110)),
}

IN_TURNS = {"group_by"}
"""Queries that run streams side by side: which of them goes first after a recovery is not saved."""

AT_PAUSES = {"throttle by streams"}
"""Queries that pass what a pause of the source follows; an ingress that fails and is tried again pauses."""

TIMELY = {"take", "take_while", "fails", "zip", "keyed through"} | IN_TURNS | AT_PAUSES
"""Queries whose states differ in how much they had read ahead, or requested and not got, which is a matter of time."""

SUBJECTS: dict[str, Callable[[], Any]] = {
    "lockstep": lambda: BroadcastSubject(policy=lockstep()),
    "error_slow": BroadcastSubject,
    "buffer": lambda: BroadcastSubject(policy=buffer(64)),
    "replay": lambda: ReplaySubject(3),
    "unicast": UnicastSubject,
    "simple": SimpleSubject,
}

# Every third place is tried quickly; what lies between them, in the other two slow tests.
THIRDS = pytest.mark.parametrize("first_place", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])

PLANS = {"differential": ["differential"], "full": ["full"], "both": ["full", "differential", "differential"]}


@dataclass(frozen=True)
class Result:
    """What came of a run: rows, states, tables, and how often the process died."""

    rows: list[Any]
    states: dict[str, bytes | None]
    tables: dict[str, list[tuple[int, bytes]]]
    deaths: int


def result_of(
    faults: Faults,
    query: str = "scan",
    *,
    egress: str = "table",
    kinds: Sequence[str] = PLANS["both"],
    make_subject: Callable[[], Any] = SUBJECTS["lockstep"],
    checkpoint_every: int = 3,
) -> Result:
    """Run engines over a world until its elements are through, whatever dies; return what came of it."""
    world = World(ELEMENTS)
    memory = MemoryStore()
    makers: dict[str, Callable[[], Any]] = {
        "pages": lambda: Pages(world),
        "ledger": lambda: Ledger(world),
        "table": Table,
    }

    def made_egress() -> Any:
        made = makers[egress]()
        return faults.watch(made, "egress", EGRESS_STEPS[made.kind])

    registry = FactoryRegistry()
    registry.register("source")(lambda engine: paced(faults.watch(NumberedSource(world), "ingress", INGRESS_STEPS), 2))
    registry.register("subject")(lambda engine: make_subject())
    registry.register("first")(lambda engine, source: QUERIES[query](engine.stream(source)))
    registry.register("second")(lambda engine, between: engine.stream(between).scan(appended, []).map(last))
    registry.register("egress")(lambda engine: made_egress())
    Lives(
        faults,
        registry,
        define,
        lambda: faults.watch(memory.after_crash(), "store", STORE_STEPS),
        "out",
        COMPARED,
        kinds=kinds,
        checkpoint_every=checkpoint_every,
    ).run()
    rows = {
        "pages": [row for batch in sorted(world.pages) for row in world.pages[batch]],
        "ledger": [row for batch in sorted(world.ledger) for row in world.ledger[batch]],
        "table": memory.tables.get("rows", []),
    }[egress]
    assert world.prepared == {}
    tables = {
        f"{each}: {name}": memory.read_table(each, name, -1, 99)
        for each in COMPARED
        for name in memory.table_sizes(each)
    }
    return Result(rows, {each: memory.state_of(each) for each in COMPARED}, tables, faults.deaths)


def define(engine: Engine) -> None:
    engine.define("source", "source")
    engine.define("between", "subject")
    engine.define("out", "egress")
    engine.define("second", "second", between="between", into="out")
    engine.define("first", "first", source="source", into="between")


def appended(seen: list[Any], element: Any) -> list[Any]:
    return [*seen, element][-3:]


def last(seen: list[Any]) -> tuple[int, Any]:
    return len(seen), seen[-1]


def calls_of(query: str = "scan", **arguments: Any) -> int:
    faults = Faults()
    result_of(faults, query, **arguments)
    return faults.calls


def check(expected: Result, faults: Faults, query: str, **arguments: Any) -> Result:
    described = f"{query} {arguments} call {faults.at} {faults.how}, tick {faults.tick}, second {faults.second}"
    actual = result_of(faults, query, **arguments)
    if query in IN_TURNS:
        assert sorted(row[1] for row in actual.rows) == sorted(row[1] for row in expected.rows), described
    elif query in AT_PAUSES:
        passed = [element for _, element in actual.rows]
        assert actual.rows == list(enumerate(passed, 1)), described
        assert passed == sorted(set(passed) & set(ELEMENTS)), described
        assert passed[-1] == ELEMENTS[-1], described
    else:
        assert actual.rows == expected.rows, described
    assert query in TIMELY or actual.states == expected.states, described
    assert query in TIMELY - {"keyed through"} or actual.tables == expected.tables, described
    return actual


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("egress", ["pages", "ledger", "table"])
@THIRDS
def test_death_at_any_tick_loses_and_repeats_nothing(query: str, egress: str, first_place: int) -> None:
    expected = result_of(Faults(), query, egress=egress)
    assert expected.rows
    for tick in range(first_place, 40, 3):
        check(expected, Faults(tick=tick), query, egress=egress)


@pytest.mark.parametrize("how", ["before", "after", "fails", "lies"])
@pytest.mark.parametrize("egress", ["pages", "ledger", "table"])
@pytest.mark.parametrize("plan", PLANS)
@THIRDS
def test_fault_in_any_call_of_store_source_and_egress_loses_and_repeats_nothing(
    how: str, egress: str, plan: str, first_place: int
) -> None:
    arguments: dict[str, Any] = {"egress": egress, "kinds": PLANS[plan]}
    expected = result_of(Faults(), **arguments)
    for at in range(first_place, calls_of(**arguments) + 1, 3):
        check(expected, Faults(at=at, how=how), "scan", **arguments)


@pytest.mark.parametrize("subject", SUBJECTS)
@THIRDS
def test_subject_of_any_kind_between_two_queries_loses_and_repeats_nothing(subject: str, first_place: int) -> None:
    arguments: dict[str, Any] = {"make_subject": SUBJECTS[subject], "egress": "pages", "checkpoint_every": 2}
    expected = result_of(Faults(), "buffer", **arguments)
    for at in range(first_place, calls_of("buffer", **arguments) + 1, 3):
        check(expected, Faults(at=at, how="after"), "buffer", **arguments)
    for tick in range(first_place, 30, 3):
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
