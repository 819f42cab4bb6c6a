"""The tasks by csp, whose elements are ticks of a clock; those of a task come from one list, a microsecond apart."""

import threading
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import csp

from bench.peers.tasks import MAPS, add, four_times, increment, is_odd

PACKAGE = "csp"
AHEAD = "pushes from another thread"
SLOWNESS = 10

START = datetime(2020, 1, 1)  # noqa: DTZ001 - csp takes times without a zone


@cache
def points(n: int) -> list[tuple[timedelta, int]]:
    """Return the elements with their times; making them is not part of a task."""
    return [(timedelta(microseconds=number), number) for number in range(n)]


def last(made: Callable[[], Any]) -> Any:
    def graph() -> None:
        csp.add_graph_output("last", made(), tick_count=1)

    return csp.run(graph, starttime=START, endtime=timedelta(days=1), realtime=False)["last"][-1][1]


def numbers(n: int) -> Any:
    return csp.curve(int, points(n))


@csp.node  # noqa: RET503 - it returns when there is something to send
def folded(numbers: csp.ts[int]) -> csp.ts[int]:
    with csp.state():
        s_total = 0
    if csp.ticked(numbers):
        s_total = add(s_total, numbers)
        return s_total  # noqa: RET504 - csp reads the source


def map_filter_reduce(n: int) -> Any:
    def made() -> Any:
        mapped = csp.apply(numbers(n), increment, int)
        return folded(csp.filter(csp.apply(mapped, lambda number: bool(is_odd(number)), bool), mapped))

    return last(made)


def ten_maps(n: int) -> Any:
    def made() -> Any:
        mapped = numbers(n)
        for _ in range(MAPS):
            mapped = csp.apply(mapped, increment, int)
        return mapped

    return last(made)


def flat_map_tuples(n: int) -> Any:
    return last(lambda: csp.unroll(csp.apply(numbers(n // 4), lambda number: [*four_times(number)], list[int])))


def zip_two(n: int) -> Any:
    return tuple(last(lambda: csp.collect([numbers(n), numbers(n)])))


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    adapter = csp.GenericPushAdapter(bytes)

    def produce() -> None:
        adapter.wait_for_start()
        for element in elements:
            adapter.push_tick(element)
        adapter.push_tick(b"")

    @csp.node  # noqa: RET503 - as above
    def consumed(element: csp.ts[bytes]) -> csp.ts[bool]:
        if csp.ticked(element):
            if not element:
                csp.stop_engine()
            else:
                consume(element)
            return True

    def graph() -> None:
        csp.add_graph_output("done", consumed(adapter.out()), tick_count=1)

    producer = threading.Thread(target=produce)
    producer.start()
    csp.run(graph, starttime=datetime.utcnow(), endtime=timedelta(minutes=5), realtime=True)  # noqa: DTZ003
    producer.join()
