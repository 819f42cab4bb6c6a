"""Operators written in Python that end the stream in on_start, before anything flows."""

from typing import Any

import pytest

from reactivestreams import Stream
from rs_core.python_stage import PythonStage
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
