"""Runs a chain of very many operators in a thread with a small stack; prints a line for each thing that worked.

A program of its own, so that a stack overflow shows as its death and not as that of the test run:
    python -m tests.rs_core.deep_chains KIND OPERATORS
    python -m tests.rs_core.deep_chains deepest
"""

import faulthandler
import gc
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError
from reactivestreams.schedulers import ImmediateScheduler
from rs_core.operators.python_operator import PythonStage
from rs_core.stream.description import MAX_DEPTH
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import loaded_tree, nodes_of, saved_tree

STACK_BYTES = 256 * 1024
ELEMENTS = 4
HERE = ImmediateScheduler()


class PassOn(PythonStage):
    name = "test/pass_on"

    def on_next(self, element: Any) -> None:
        self.emit(element)


class Ask(PythonStage):
    name = "test/ask"
    demand = "own"
    prefetch = 2

    def on_request(self, n: int) -> None:
        self.request_upstream(n)

    def on_next(self, element: Any) -> None:
        self.emit(element)


Link = Callable[[Stream[Any]], Stream[Any]]
KINDS: dict[str, Link] = {
    "map": lambda stream: stream.map(int),
    "filter": lambda stream: stream.filter(lambda _: True),
    "do": lambda stream: stream.do(on_next=int, on_error=repr, on_complete=dict),
    "take": lambda stream: stream.take(100),
    "skip": lambda stream: stream.skip(0),
    "scan": lambda stream: stream.scan(lambda _, element: element, None),
    "keyed_scan": lambda stream: stream.key_by(lambda _: 0).scan(lambda _, element: element, None),
    "buffer_flat_map": lambda stream: stream.buffer(1).flat_map(lambda elements: elements, prefetch=2),
    "observe_on": lambda stream: stream.observe_on(HERE, prefetch=2),
    "lift": lambda stream: stream.lift(PassOn),
    "lift_own": lambda stream: stream.lift(Ask),
}


def chain(kind: str, operators: int, source: Stream[Any]) -> Stream[Any]:
    links = list(KINDS.values()) if kind == "mix" else [KINDS[kind]]
    stream = source
    position = 0
    while stream.depth <= operators:
        stream = links[position % len(links)](stream)
        position += 1
    return stream


def said(what: str) -> None:
    print(what, flush=True)


def run(kind: str, operators: int) -> None:
    stream = chain(kind, operators, Stream.range(ELEMENTS))
    said("assembled")
    assert stream.to_list() == list(range(ELEMENTS))
    assert list(stream) == list(range(ELEMENTS))
    said("ran")
    fails_half_way(kind, operators)
    said("failed")
    for demand in (1, 2, UNBOUNDED):
        cancelled_by_its_first_element(stream, demand)
    said("was cancelled")
    saved_and_loaded(stream)
    said("was saved and loaded")
    freed(stream)
    said("was freed")


def cancelled_by_its_first_element(stream: Stream[Any], demand: int) -> None:
    subscriber = RecordingSubscriber(demand=demand)
    subscriber.actions["on_next"] = subscriber.cancel
    stream.subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_next"]
    assert all(node.is_disposed for node in nodes_of(subscriber.subscription))


def fails_half_way(kind: str, operators: int) -> None:
    def fail(element: int) -> int:
        raise ValueError(element)

    upper = chain(kind, operators // 2, Stream.range(ELEMENTS)).map(fail)
    subscriber = RecordingSubscriber()
    stream = chain(kind, operators, upper)
    stream.subscribe(subscriber)
    assert subscriber.names == ["on_subscribe", "on_error"]
    assert len(subscriber.errors[0].__notes__) == 1


def saved_and_loaded(stream: Stream[Any]) -> None:
    before = RecordingSubscriber(demand=None)
    handle = stream.bind(before)
    handle.initialize()
    handle.request(2)
    records = saved_tree(handle)
    handle.cancel()
    after = RecordingSubscriber()
    for node in loaded_tree(stream.bind(after), records):
        node.start()
    assert before.elements + after.elements == list(range(ELEMENTS))
    assert after.is_complete


def freed(stream: Stream[Any]) -> None:
    cancelled = RecordingSubscriber(demand=2)
    stream.subscribe(cancelled)
    cancelled.subscription.cancel()
    abandoned = RecordingSubscriber(demand=None)
    stream.subscribe(abandoned)
    watched = [weakref.ref(nodes_of(subscriber.subscription)[-1]) for subscriber in (cancelled, abandoned)]
    gc.disable()
    del cancelled
    assert watched[0]() is None, "a cancelled tree has to be freed without the collector"
    gc.enable()
    del abandoned
    gc.collect()
    assert watched[1]() is None


def deepest() -> None:
    stream: Stream[int] = Stream.range(ELEMENTS)
    while stream.depth < MAX_DEPTH:
        stream = stream.map(int)
    with pytest.raises(ArgumentError, match=f"of {MAX_DEPTH + 1} operators is longer than the {MAX_DEPTH} allowed"):
        stream.map(int)
    said("was refused when too deep")
    assert stream.to_list() == list(range(ELEMENTS))
    said("ran")
    del stream
    said("was freed")


def main() -> None:
    faulthandler.enable()
    outcome: list[str] = []

    def work() -> None:
        if sys.argv[1] == "deepest":
            deepest()
        else:
            run(sys.argv[1], int(sys.argv[2]))
        outcome.append("done")

    threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    said(outcome[0] if outcome else "stopped")


if __name__ == "__main__":
    main()
