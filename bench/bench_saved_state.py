"""What does it cost to save and to load a tree of operators? The baseline is pickle of the same values."""

import marshal
import pickle
from collections.abc import Callable
from typing import Any

from pytest_benchmark.fixture import BenchmarkFixture

from bench.bench_request import Holding
from reactivestreams import Stream
from reactivestreams.state import decode_value, encode_value, load_tree, save_tree, stateful_nodes

OPERATORS = 1000

Order = tuple[int, str, float, bool, None]


def orders(number: int) -> list[Order]:
    """The state of one operator, 1 KiB when saved: orders that it has received and not passed on."""
    return [(1000 * number + n, f"customer {n % 7:06d}", 1.25 * n, n % 2 == 0, None) for n in range(33)]


def values(operators: int = OPERATORS) -> list[list[Order]]:
    return [orders(number) for number in range(operators)]


def stream(operators: int = OPERATORS) -> Stream[Any]:
    """A source and operators, each of which has its state from the first element on."""

    def keep(state: list[Order]) -> Callable[[Any, Any], list[Order]]:
        return lambda before, element: state

    built: Stream[Any] = Stream.range(10)
    for state in values(operators - 1):
        built = built.scan(keep(state), None)
    return built


def running(operators: int = OPERATORS) -> Any:
    """The handle of a tree that waits for more demand."""
    handle = stream(operators).bind(Holding())
    handle.initialize()
    handle.request(1)
    return handle


def loading(operators: int = OPERATORS) -> Any:
    """The handle of a tree that is subscribed and not started: into it may be loaded any number of times."""
    handle = stream(operators).bind(Holding())
    for node, _ in stateful_nodes(handle):
        node.subscribe()
    return handle


def bench_saved_state__pickle_dumps(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does pickle need for the states of 1,000 operators?"""
    benchmark.extra_info["operations"] = OPERATORS
    benchmark(pickle.dumps, values())


def bench_saved_state__save_tree(benchmark: BenchmarkFixture) -> None:
    """What does a snapshot of 1,000 operators with 1 KiB of state each need?"""
    benchmark.extra_info["operations"] = OPERATORS
    benchmark(save_tree, running())


def bench_saved_state__pickle_loads(benchmark: BenchmarkFixture) -> None:
    """The baseline: what does pickle need to load the states of 1,000 operators?"""
    benchmark.extra_info["operations"] = OPERATORS
    benchmark(pickle.loads, pickle.dumps(values()))


def bench_saved_state__load_tree(benchmark: BenchmarkFixture) -> None:
    """What does loading the snapshot into a tree need?"""
    benchmark.extra_info["operations"] = OPERATORS
    benchmark(load_tree, loading(), save_tree(running()))


def bench_saved_state__marshal_dumps(benchmark: BenchmarkFixture) -> None:
    """What would it cost without checks, names, checksums and a promise to read it later?"""
    benchmark.extra_info["operations"] = OPERATORS
    benchmark(marshal.dumps, values())


def bench_saved_state__encode_value(benchmark: BenchmarkFixture) -> None:
    """What of saving is the encoding of values?"""
    benchmark.extra_info["operations"] = OPERATORS
    benchmark(encode_value, values())


def bench_saved_state__decode_value(benchmark: BenchmarkFixture) -> None:
    """What of loading is the decoding of values?"""
    benchmark.extra_info["operations"] = OPERATORS
    benchmark(decode_value, encode_value(values()))
