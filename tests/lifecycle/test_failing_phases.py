"""Nodes whose hooks raise before anything flows: who is told, and what is disposed."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream
from reactivestreams.lifecycle import DefaultOperatorContext
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing
from tests.lifecycle.noting_node import Noting

CONTEXT = DefaultOperatorContext("rx://query", ImmediateScheduler())


def failing_in(hook: str, error: BaseException) -> Noting:
    def fail() -> None:
        raise error

    return Noting(actions={hook: fail})


SHAPES: dict[str, Callable[[Noting], Any]] = {
    "the node of a source": lambda node: node,
    "an input of that node": Noting,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("hook", ["bind_inputs", "on_context", "on_start"])
def test_exception_of_a_node_that_begins_becomes_the_error_of_the_stream(hook: str, shape: str) -> None:
    error = LookupError(hook)
    node = failing_in(hook, error)
    root = SHAPES[shape](node)
    subscriber = RecordingSubscriber(first_request=1)
    handle = Stream.from_publisher(Publishing(lambda _: root)).map(str).bind(subscriber)
    handle.initialize(CONTEXT)
    assert (subscriber.error, subscriber.faults, subscriber.subscription is None) == (error, [], False)
    assert (root.is_disposed, node.is_disposed) == (True, True)
    assert ("on_start" in node.log) == (hook == "on_start")  # nothing is started that could not be prepared


@pytest.mark.parametrize("hook", ["bind_inputs", "on_context"])
@pytest.mark.parametrize("shape", SHAPES)
def test_publisher_whose_nodes_cannot_begin_tells_its_subscriber(hook: str, shape: str) -> None:
    error = LookupError(hook)
    node = failing_in(hook, error)
    root = SHAPES[shape](node)
    subscriber = RecordingSubscriber(first_request=1)
    Publishing(lambda _: root).subscribe(subscriber)
    assert (subscriber.error, subscriber.faults, subscriber.subscription is None) == (error, [], False)
    assert (root.is_disposed, node.is_disposed, "on_start" in node.log) == (True, True, False)


@pytest.mark.parametrize(
    ("hook", "error"), [("bind_inputs", KeyboardInterrupt()), ("on_start", LookupError("no"))], ids=["early", "late"]
)
def test_what_a_publisher_cannot_signal_is_raised_and_the_nodes_are_disposed(hook: str, error: BaseException) -> None:
    node = failing_in(hook, error)
    subscriber = RecordingSubscriber(first_request=1)
    with pytest.raises(type(error)):
        Publishing(lambda _: node).subscribe(subscriber)
    assert (subscriber.subscription, node.is_disposed) == (None, True)
