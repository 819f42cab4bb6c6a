"""Operators written in Python at their start: what ends the stream there, and what is not started at all."""

from typing import Any

import pytest

from reactivestreams import Stream
from rs_core.operators.python_operator import PythonStage
from tests.contracts.saved_state import save, start
from tests.rs_core.callback_points import LAYOUTS
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of


class EndsAtStart(PythonStage):
    name = "test/ends_at_start"

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def on_start(self) -> None:
        if self.error is None:
            self.complete()
        else:
            self.fail(self.error)

    def on_next(self, element: Any) -> None:
        raise AssertionError("nothing may come after the end")


class EndsAtStartWithOwnDemand(EndsAtStart):
    name = "test/ends_at_start_with_own_demand"
    demand = "own"


@pytest.mark.parametrize("demand", [None, 1])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("stage", [EndsAtStart, EndsAtStartWithOwnDemand])
@pytest.mark.parametrize("error", [None, ValueError("not today")])
def test_operator_that_ends_the_stream_in_on_start_reads_nothing(
    error: Exception | None, stage: type[EndsAtStart], layout: str, demand: int | None
) -> None:
    source = CountedElements(3)
    subscriber = RecordingSubscriber(demand=demand)
    LAYOUTS[layout](Stream.from_iterable(source), lambda stream: stream.lift(stage, error)).subscribe(subscriber)
    end = ("on_complete",) if error is None else ("on_error", error)
    assert subscriber.signals == [("on_subscribe",), end]
    assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
    assert source.reads == 0


class Noting(PythonStage):
    name = "test/noting"

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def on_start(self) -> None:
        self.seen.append("start")

    def on_next(self, element: Any) -> None:
        self.emit(element)

    def on_dispose(self) -> None:
        self.seen.append("dispose")


class NotingWithOwnDemand(Noting):
    name = "test/noting_with_own_demand"
    demand = "own"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("stage", [Noting, NotingWithOwnDemand])
@pytest.mark.parametrize("phases", [0, 1, 2])
def test_operator_that_was_never_started_is_not_disposed_of(phases: int, stage: type[Noting], layout: str) -> None:
    seen: list[str] = []
    handle = LAYOUTS[layout](Stream.range(3), lambda stream: stream.lift(stage, seen)).bind(RecordingSubscriber())
    if phases > 0:
        for node in nodes_of(handle):
            node.subscribe()
    if phases > 1:
        for node in nodes_of(handle):
            node.set_context(None)
    handle.cancel()
    handle.initialize()
    assert seen == []


@pytest.mark.parametrize("stage", [Noting, NotingWithOwnDemand])
def test_operator_that_was_disposed_in_its_saved_state_is_neither_started_nor_disposed_of(stage: type[Noting]) -> None:
    seen: list[str] = []
    stream: Stream[Any] = Stream.range(3).lift(stage, seen)
    before = stream.bind(RecordingSubscriber(demand=None))
    before.initialize()
    before.cancel()
    state = save(before)
    assert seen == ["start", "dispose"]
    start(stream.bind(RecordingSubscriber(demand=None)), state)
    assert seen == ["start", "dispose"]
