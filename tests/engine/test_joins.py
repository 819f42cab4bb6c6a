"""Joins by key and event time in an engine: a recovery goes on with what both sides hold."""

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.engine import Engine
from tests.engine.hosted import Hosted
from tests.engine.test_keyed_tables import Queries

CAME = [
    (3, "a", "shown"), (1, "b", "shown"), (2, "b", "clicked"), (12, "a", "shown"), (9, "a", "clicked"),
    (8, "b", "clicked"), (14, "b", "shown"), (13, "a", "clicked"), (17, "b", "clicked"), (23, "a", "shown"),
    (31, "a", "clicked"), (29, "a", "clicked"), (47, "b", "shown"), (44, "c", "shown"), (48, "c", "clicked"),
    (80, "a", "shown"), (81, "a", "clicked"),
]  # fmt: skip


def side(stream: Any, kind: str) -> Any:
    of_kind = stream.filter(lambda element: element[2] == kind)
    return of_kind.with_timestamps(itemgetter(0), max_lateness=6).key_by(itemgetter(1))


def joined(stream: Any, method: str) -> Any:
    return getattr(side(stream, "shown"), method)(side(stream, "clicked"), within=(0, 8))


class JoinQueries(Queries):
    """Hosts one query, of which both inputs are the same stream."""

    def __init__(self, method: str) -> None:
        Hosted.__init__(self)
        self.registry.register("keyed")(lambda engine, source: joined(engine.stream(source), method))

    def define(self, engine: Engine) -> None:
        engine.define("in", "in")
        engine.define("out", "out")
        engine.define("keyed", "keyed", source="in", into="out")


@pytest.fixture
def queries(request: Any) -> Iterator[JoinQueries]:
    hosted = JoinQueries(request.param)
    hosted.start()
    yield hosted
    hosted.engine.unload()


@pytest.mark.parametrize(("queries", "method"), [("join", "join"), ("group_join", "group_join")], indirect=["queries"])
def test_query_that_is_recovered_after_each_element_has_the_results_of_the_thread(
    queries: JoinQueries, method: str
) -> None:
    for place, element in enumerate(CAME):
        queries.push(element)
        queries.engine.checkpoint("full" if place % 7 == 6 else "differential")
        queries.again()
    queries.engine.checkpoint()
    expected = joined(Stream.from_iterable(CAME), method).to_list()
    if method == "join":
        assert sorted(queries.rows) == sorted(expected)
        assert len(expected) > 4
    else:
        # In the engine the input goes on, so the groups that the end of an input lets go are not there yet.
        assert queries.rows == [group for group in expected if group[0][0] < 73]
