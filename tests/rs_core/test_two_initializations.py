"""A tree that is initialized while it is initialized: refused, else elements would come before operators start."""

import threading
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError
from rs_core.operators.python_operator import PythonStage
from tests.rs_core.recording_subscriber import RecordingSubscriber

WAIT_SECONDS = 30


class Starting(PythonStage):
    name = "test/starting"

    def __init__(self, act: Any) -> None:
        self.act = act
        self.has_started = False

    def on_start(self) -> None:
        self.act()
        self.has_started = True

    def on_next(self, element: Any) -> None:
        assert self.has_started
        self.emit(element)


SAYS = r"^initialize\(\) of <subscription of .*> was called while another call of it is running, .*; call it once"


def test_second_thread_that_initializes_is_refused() -> None:
    starts, goes_on = threading.Event(), threading.Event()
    subscriber = RecordingSubscriber(demand=100)
    stream = Stream.range(3).lift(Starting, lambda: (starts.set(), goes_on.wait(WAIT_SECONDS)))
    handle = stream.bind(subscriber)
    first = threading.Thread(target=handle.initialize)
    first.start()
    assert starts.wait(WAIT_SECONDS)
    with pytest.raises(StateError, match=SAYS):
        handle.initialize()
    assert subscriber.signals == [("on_subscribe",)]
    goes_on.set()
    first.join(WAIT_SECONDS)
    assert subscriber.elements == [0, 1, 2]


def test_initialize_inside_of_a_hook_is_refused() -> None:
    handles: list[Any] = []
    refusals: list[str] = []

    def initialize() -> None:
        with pytest.raises(StateError, match=SAYS) as refused:
            handles[0].initialize()
        refusals.append(str(refused.value))

    subscriber = RecordingSubscriber(demand=100)
    handles.append(Stream.range(3).lift(Starting, initialize).bind(subscriber))
    handles[0].initialize()
    assert (len(refusals), subscriber.elements) == (1, [0, 1, 2])


def test_initialize_after_another_one_does_nothing() -> None:
    subscriber = RecordingSubscriber(demand=100)
    handle = Stream.range(3).lift(Starting, int).bind(subscriber)
    handle.initialize()
    handle.initialize()
    assert subscriber.elements == [0, 1, 2]
