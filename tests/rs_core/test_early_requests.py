"""Requests and cancellations that come before the tree of a subscription exists."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import InvalidRequestError, InvalidRequestTypeError


class Recorder:
    def __init__(self) -> None:
        self.signals: list[Any] = []

    def on_subscribe(self, subscription: Any) -> None:
        self.signals.append("on_subscribe")

    def on_next(self, element: int) -> None:
        self.signals.append(element)

    def on_error(self, error: Exception) -> None:
        self.signals.append(type(error))

    def on_complete(self) -> None:
        self.signals.append("on_complete")


def test_requests_before_the_tree_exists_add_up() -> None:
    recorder = Recorder()
    handle = Stream.range(9).map(lambda element: element).bind(recorder)
    handle.request(2)
    handle.request(1)
    assert recorder.signals == []
    handle.initialize()
    assert recorder.signals == ["on_subscribe", 0, 1, 2]
    handle.request(1)
    assert recorder.signals == ["on_subscribe", 0, 1, 2, 3]


def test_request_before_the_tree_exists_counts_for_a_host_that_runs_the_phases_by_itself() -> None:
    recorder = Recorder()
    handle = Stream.range(9).map(lambda element: element).bind(recorder)
    handle.request(1)
    node: Any = handle
    nodes = []
    while node is not None:
        node.subscribe()
        nodes.append(node)
        node = node.inputs[0] if node.inputs else None
    handle.request(1)
    for node in nodes:
        node.start()
    assert recorder.signals == ["on_subscribe", 0, 1]


@pytest.mark.parametrize(("n", "error"), [(0, InvalidRequestError), ("3", InvalidRequestTypeError)])
def test_illegal_request_before_the_tree_exists_is_signalled_after_on_subscribe(n: Any, error: type) -> None:
    recorder = Recorder()
    handle = Stream.range(9).bind(recorder)
    handle.request(n)
    handle.initialize()
    assert recorder.signals == ["on_subscribe", error]


def test_cancel_before_the_tree_exists_leaves_the_subscriber_alone_and_the_source_unread() -> None:
    recorder = Recorder()
    read: list[int] = []
    handle = Stream.from_iterable(range(3)).do(read.append).bind(recorder)
    handle.request(5)
    handle.cancel()
    handle.initialize()
    assert (recorder.signals, read) == ([], [])
    assert handle.inputs[0].inputs[0].is_disposed
