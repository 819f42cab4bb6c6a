"""Streams that are inputs of each other's operators: how deep they may be nested."""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from reactivestreams import Stream, pipeline
from reactivestreams.errors import ArgumentError
from reactivestreams.state import load_tree, save_tree
from rs_core.stream.description import MAX_NESTING
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing
from tests.lifecycle.merging_node import Merging

DEEP = 10_000


def first(pair: tuple[Any, ...]) -> Any:
    return pair[0]


Around = Callable[[Stream[Any]], Stream[Any]]

AROUND: dict[str, Around] = {
    "merge_with": lambda inner: Stream.range(2).merge_with(inner),
    "zip_with": lambda inner: Stream.range(2).zip_with(inner).map(first),
    "zip_longest": lambda inner: Stream.range(2).zip_longest(inner).map(first),
    "combine_latest": lambda inner: Stream.range(2).combine_latest(inner).map(first),
    "with_latest_from": lambda inner: Stream.range(2).with_latest_from(inner).map(first),
    "concat_with": lambda inner: Stream.range(2).concat_with(inner),
    "start_with": lambda inner: inner.start_with(0),
    "switch_if_empty": lambda inner: Stream.empty().switch_if_empty(inner),
    "on_error_resume": lambda inner: Stream.error(OSError("x")).on_error_resume(inner),
    "merge": lambda inner: Stream.merge(Stream.range(2), inner),
    "zip": lambda inner: Stream.zip(Stream.range(2), inner).map(first),
    "concat": lambda inner: Stream.concat(Stream.range(2), inner),
    "amb": lambda inner: Stream.amb(Stream.never(), inner),
    "merge_with of from_publisher": lambda inner: Stream.range(2).merge_with(Stream.from_publisher(inner)),
}
FLAT = {"start_with"}  # the stream itself is no input


def nested(around: Around, depth: int) -> Stream[Any]:
    stream: Stream[Any] = Stream.range(2)
    for _ in range(depth):
        stream = around(stream)
    return stream


@pytest.mark.parametrize("name", [name for name in AROUND if name not in FLAT])
def test_streams_that_are_nested_too_deep_are_refused_when_they_are_built(name: str) -> None:
    assert nested(AROUND[name], MAX_NESTING).nesting == MAX_NESTING
    with pytest.raises(ArgumentError) as refused:
        nested(AROUND[name], DEEP)
    assert f"nested {MAX_NESTING + 1} deep as inputs of rx://" in str(refused.value)
    assert f"more than the {MAX_NESTING} allowed; give all of them to one operator" in str(refused.value)


def test_streams_beside_each_other_are_not_nested() -> None:
    stream = Stream.range(1)
    for _ in range(3 * MAX_NESTING):
        stream = Stream.from_publisher(stream.merge_with([1]).map(int))
    assert stream.nesting == 1
    assert Stream.range(1).merge_with(*[Stream.range(1)] * 3 * MAX_NESTING).nesting == 1
    assert nested(AROUND["start_with"], 3 * MAX_NESTING).nesting == 0


def test_nesting_of_a_pipeline_counts_behind_a_stream() -> None:
    deep = nested(AROUND["merge_with"], MAX_NESTING)
    with pytest.raises(ArgumentError, match="more than the"):
        Stream.range(1).through(pipeline().merge_with(deep))


def save_and_go_on(name: str) -> None:
    """Run, save, load, cancel and free a stream that is nested as deep as it may be."""
    stream = nested(AROUND[name], MAX_NESTING)
    expected = stream.to_list()
    before, after = RecordingSubscriber(), RecordingSubscriber(first_request=UNBOUNDED)
    handle = stream.bind(before)
    handle.initialize()
    before.request(1)
    state = save_tree(handle)
    handle.cancel()
    again = nested(AROUND[name], MAX_NESTING).bind(after)
    load_tree(again, state)
    again.initialize()
    assert len(before.elements) == 1
    assert (len(before.elements + after.elements), after.is_complete) == (len(expected), True)


def nest_operators_in_python(depth: str) -> None:
    """Nest operators of the user's own too deep: their subscriber is told."""
    stream: Stream[Any] = Stream.range(2)
    for _ in range(int(depth)):
        stream = Stream.from_publisher(Publishing(lambda output, inner=stream: Merging(output, inner)))
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    with recorded_drops():
        stream.subscribe(subscriber)
    assert isinstance(subscriber.error, RecursionError), subscriber.outcome


def run_in_a_thread(work: Callable[[str], None], argument: str, stack_bytes: int) -> None:
    """Run in a process of its own, whose death a stack overflow is, in a thread with a stack of a size."""
    program = f"from tests.stream.test_nesting import *; in_a_thread({work.__name__}, {argument!r}, {stack_bytes})"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=False)
    assert (ran.stdout, ran.returncode) == ("done\n", 0), ran.stderr


def in_a_thread(work: Callable[[str], None], argument: str, stack_bytes: int) -> None:
    """Do what the process is for."""
    threading.stack_size(stack_bytes)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(work, argument).result()
    print("done")


@pytest.mark.slow
@pytest.mark.parametrize("name", AROUND)
def test_streams_at_the_bound_run_in_a_small_stack_and_survive(name: str) -> None:
    run_in_a_thread(save_and_go_on, name, 512 * 1024)


@pytest.mark.slow
def test_operators_in_python_that_are_nested_too_deep_end_with_an_error() -> None:
    run_in_a_thread(nest_operators_in_python, str(DEEP), 8 * 1024 * 1024)
