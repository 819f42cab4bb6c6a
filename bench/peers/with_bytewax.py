"""The tasks by bytewax, in its worker of one thread, which reads a thousand elements at a time."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import bytewax.operators as op
import bytewax.operators.windowing as windowing
from bytewax.dataflow import Dataflow
from bytewax.testing import TestingSink, TestingSource, run_main

from bench.peers.tasks import CHUNK, LATENESS, MAPS, add, four_times, increment, inputs, is_odd, named_key_of, second_of

PACKAGE = "bytewax"
AHEAD = "reads batches of 1000"
SLOWNESS = 2

BATCH = 1000

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def outputs(elements: Iterable[Any], made: Callable[[Any], Any]) -> list[Any]:
    """Run a flow with one input."""
    return run(lambda flow: made(op.input("numbers", flow, TestingSource(elements, batch_size=BATCH))))


def run(made: Callable[[Dataflow], Any]) -> list[Any]:
    """Run a flow; return all that comes out."""
    came: list[Any] = []
    flow = Dataflow("flow")
    op.output("output", made(flow), TestingSink(came))
    run_main(flow)
    return came


def keyed(numbers: Any, key: Callable[[int], str]) -> Any:
    return op.key_on("key", numbers, key)


def map_filter_reduce(n: int) -> Any:
    def made(numbers: Any) -> Any:
        odd = op.filter("filter", op.map("map", numbers, increment), lambda number: bool(is_odd(number)))
        return op.reduce_final("reduce", keyed(odd, lambda _: "all"), add)

    return outputs(range(n), made)[-1][1]


def ten_maps(n: int) -> Any:
    def made(numbers: Any) -> Any:
        for step in range(MAPS):
            numbers = op.map(f"map_{step}", numbers, increment)
        return numbers

    return outputs(range(n), made)[-1]


def flat_map_tuples(n: int) -> Any:
    return outputs(range(n // 4), lambda numbers: op.flat_map("flat_map", numbers, four_times))[-1]


def buffer_sum(n: int) -> Any:
    def made(numbers: Any) -> Any:
        lists = op.collect("collect", keyed(numbers, lambda _: "all"), timedelta(days=1), CHUNK)
        return op.reduce_final("reduce", op.map_value("len", lists, len), add)

    return outputs(range(n), made)[-1][1]


def keyed_count(n: int) -> Any:
    counts = outputs(range(n), lambda numbers: op.count_final("count", numbers, named_key_of))
    return {int(key): count for key, count in counts}


def keyed_windows(n: int) -> Any:
    clock = windowing.EventClock(
        lambda number: EPOCH + timedelta(seconds=second_of(number)), timedelta(seconds=LATENESS)
    )
    seconds = windowing.TumblingWindower(align_to=EPOCH, length=timedelta(seconds=1))

    def made(numbers: Any) -> Any:
        return windowing.count_window("count", numbers, clock, seconds, named_key_of).down

    return {(int(key), second): count for key, (second, count) in outputs(range(n), made)}


def keyed_scan(n: int) -> Any:
    def following(total: int | None, number: int) -> tuple[int, int]:
        result = add(total or 0, number)
        return result, result

    totals = outputs(range(n), lambda x: op.stateful_map("scan", keyed(x, named_key_of), following))
    return dict(totals)[named_key_of(n - 1)]  # of a batch, the elements of one key come out after those of another


def keyed_reduce(n: int) -> Any:
    totals = outputs(range(n), lambda numbers: op.reduce_final("reduce", keyed(numbers, named_key_of), add))
    return {int(key): total for key, total in totals}


def merge_four(n: int) -> Any:
    def made(flow: Dataflow) -> Any:
        return op.merge(
            "merge",
            *(
                op.input(f"input_{place}", flow, TestingSource(numbers, batch_size=BATCH))
                for place, numbers in enumerate(inputs(n))
            ),
        )

    return run(made)[-1]


def run_ahead(elements: Iterable[bytes], consume: Callable[[bytes], None]) -> None:
    outputs(elements, lambda numbers: op.map("consume", numbers, consume))
