"""Windows of event time in an engine: a checkpoint writes those that have changed; a recovery goes on with all."""

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

import pytest

from reactivestreams import Stream, TimeWindow
from reactivestreams.engine import Engine
from reactivestreams.state import StateLimits
from tests.contracts.dropped_signals import recorded_drops
from tests.engine.hosted import Hosted
from tests.engine.test_keyed_tables import Queries

WINDOWS: dict[str, Callable[[Any], Any]] = {
    "tumbling count": lambda keyed: keyed.tumbling(10).count(),
    "tumbling list with updates": lambda keyed: keyed.tumbling(10, allowed_lateness=15).to_list(),
    "sliding reduce": lambda keyed: keyed.sliding(10, 5).reduce(lambda total, element: total + element[0], 0),
    "session aggregate": lambda keyed: keyed.session(4).aggregate(n="count", last=("last", itemgetter(0))),
}

CAME = [
    (3, "a"), (1, "b"), (12, "a"), (9, "a"), (8, "b"), (14, "b"), (23, "a"), (18, "b"), (31, "a"), (29, "a"),
    (27, "c"), (47, "b"), (44, "c"), (48, "a"), (60, "d"), (59, "a"), (61, "b"), (80, "a"), (81, "b"),
]  # fmt: skip


def windows(stream: Any, add: Callable[[Any], Any]) -> Any:
    return add(stream.with_timestamps(itemgetter(0), max_lateness=6).key_by(itemgetter(1)))


class WindowQueries(Queries):
    """Hosts one query with windows."""

    def __init__(self, add: Callable[[Any], Any], **arguments: Any) -> None:
        Hosted.__init__(self, **arguments)
        self.add = add
        self.registry.register("keyed")(lambda engine, source: windows(engine.stream(source), add))

    def define(self, engine: Engine) -> None:
        engine.define("in", "in")
        engine.define("out", "out")
        engine.define("keyed", "keyed", source="in", into="out")


@pytest.fixture
def queries(request: Any) -> Iterator[WindowQueries]:
    hosted = WindowQueries(WINDOWS[request.param])
    hosted.start()
    yield hosted
    hosted.engine.unload()


@pytest.mark.parametrize("queries", WINDOWS, indirect=True)
def test_query_that_is_recovered_after_each_element_has_the_windows_of_the_thread(queries: WindowQueries) -> None:
    for place, element in enumerate(CAME):
        queries.push(element)
        queries.engine.checkpoint("full" if place % 7 == 6 else "differential")
        queries.again()
    queries.engine.checkpoint()
    # In the engine the input goes on, so those that close at the end of an input are open still.
    expected = windows(Stream.from_iterable([*CAME, (10**6, "end")]), queries.add).to_list()
    shown = [window for window in expected if window.end <= 75 and window.key != "end"]
    assert queries.rows == shown
    assert all(type(row) is TimeWindow for row in queries.rows)


@pytest.mark.parametrize("queries", ["tumbling count"], indirect=True)
def test_checkpoint_writes_the_windows_that_have_changed(queries: WindowQueries) -> None:
    queries.push((1, "a"), (2, "b"), (11, "a"))
    assert (len(queries.checkpoint().rows), queries.rows_of_table()) == (3, 3)
    queries.push((3, "b"))
    written = queries.checkpoint()
    assert (len(written.rows), written.is_whole) == (1, False)
    queries.push((17, "c"))  # the watermark is 11: the first two are over
    written = queries.checkpoint()
    assert (len(written.rows), len(written.deleted), queries.rows_of_table()) == (1, 2, 2)
    assert queries.checkpoint().rows == {}
    queries.again()
    queries.push((12, "c"), (40, "a"))
    queries.engine.checkpoint()
    assert queries.rows == [
        TimeWindow("a", 0.0, 10.0, 1),
        TimeWindow("b", 0.0, 10.0, 2),
        TimeWindow("a", 10.0, 20.0, 1),
        TimeWindow("c", 10.0, 20.0, 2),
    ]


@pytest.mark.parametrize("queries", ["session aggregate"], indirect=True)
def test_sessions_that_were_joined_have_one_row(queries: WindowQueries) -> None:
    queries.push((1, "a"), (7, "a"))
    assert len(queries.checkpoint().rows) == 2
    queries.push((4, "a"))
    written = queries.checkpoint()
    assert (len(written.rows), len(written.deleted), queries.rows_of_table()) == (1, 1, 1)
    queries.again()
    queries.push((30, "b"))
    queries.engine.checkpoint()
    assert queries.rows == [TimeWindow("a", 1.0, 11.0, {"n": 3, "last": 4})]


def test_more_windows_than_values_of_a_record_are_stored() -> None:
    queries = WindowQueries(WINDOWS["tumbling count"], limits=StateLimits(max_values=60))
    queries.start()
    queries.push(*((1, f"key {number}") for number in range(200)))
    assert len(queries.checkpoint().rows) == 200
    queries.again()
    queries.push((2, "key 7"))
    assert len(queries.checkpoint().rows) == 1
    queries.engine.unload()


@pytest.mark.parametrize("queries", ["tumbling count"], indirect=True)
def test_late_element_is_told_after_a_recovery(queries: WindowQueries) -> None:
    queries.push((1, "a"), (30, "a"))
    queries.engine.checkpoint()
    queries.again()
    with recorded_drops() as drops:
        queries.push((5, "a"))
    assert [element for _, element, _ in drops] == [(5, "a")]
