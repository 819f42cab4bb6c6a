"""How many elements a factory has: never more are read than a plan may take, and a plan never waits beyond its time."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from reactivestreams.spark import PipelineError
from reactivestreams.spark.bridge.offset_tracker import OffsetTracker
from tests.spark.stream_cases import Counted, CountedBatches

pytestmark = pytest.mark.spark

SOON = 10.0
BRIEFLY = 0.5


@pytest.fixture
def counted() -> Iterator[Any]:
    """Return `OffsetTracker`; the threads of what it makes end with the test."""
    made: list[OffsetTracker] = []

    def make(factory: Any, form: str = "rows") -> OffsetTracker:
        made.append(OffsetTracker(factory, form=form))
        return made[-1]

    yield make
    for one in made:
        one.stop()
    deadline = time.monotonic() + SOON
    while time.monotonic() < deadline and names():
        time.sleep(0.005)
    assert names() == []


def names() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("reactivestreams-count")]


def test_plan_goes_as_far_as_it_may_and_reads_no_further(counted: Any) -> None:
    read: list[int] = []

    def factory(offset: int) -> Iterator[int]:
        for number in range(offset, 100):
            read.append(number)
            yield number

    elements = counted(factory)

    assert [elements.plan(start, 10, SOON) for start in (0, 10, 20)] == [10, 20, 30]
    assert len(read) == 30


def test_plan_after_a_restart_begins_at_its_offset(counted: Any) -> None:
    assert counted(Counted(25)).plan(20, 10, SOON) == 25


def test_plan_that_goes_back_reads_anew(counted: Any) -> None:
    elements = counted(Counted(25))
    elements.plan(0, 10, SOON)
    elements.plan(10, 10, SOON)

    assert elements.plan(5, 10, SOON) == 15


def test_plan_may_take_less_than_was_counted(counted: Any) -> None:
    elements = counted(Counted(25))
    elements.plan(0, 20, SOON)

    assert [elements.plan(4, 3, SOON), elements.plan(7, 100, SOON)] == [7, 25]


def test_batches_count_by_their_rows_and_are_never_cut(counted: Any) -> None:
    elements = counted(CountedBatches(5, 4), "batches")

    assert [elements.plan(0, 10, SOON), elements.plan(2, 3, SOON), elements.plan(3, 100, SOON)] == [2, 3, 5]


def test_silent_factory_gives_what_there_is_in_time(counted: Any) -> None:
    more = threading.Event()

    def factory(offset: int) -> Iterator[int]:
        yield from range(offset, 3)
        more.wait(SOON)
        yield 3

    elements = counted(factory)

    assert elements.plan(0, 10, BRIEFLY) == 3
    assert elements.plan(3, 10, BRIEFLY) == 3
    more.set()
    assert elements.plan(3, 1, SOON) == 4


def test_end_is_asked_again_unless_it_is_final(counted: Any) -> None:
    asked: list[int] = []
    rows = 3

    def factory(offset: int) -> range:
        asked.append(offset)
        return range(offset, rows)

    elements = counted(factory)
    elements.plan(0, 10, SOON, is_final=True)
    assert (elements.plan(3, 10, SOON, is_final=True), asked) == (3, [0])

    rows = 5
    assert elements.plan(3, 10, SOON) == 5
    assert asked == [0, 3]


def test_failure_comes_after_the_elements_before_it_and_is_tried_again(counted: Any) -> None:
    healthy = False

    def factory(offset: int) -> Iterator[int]:
        for number in range(offset, 9):
            if number == 4 and not healthy:
                raise OSError("the disk is away")
            yield number

    elements = counted(factory)

    assert elements.plan(0, 10, SOON) == 4
    with pytest.raises(PipelineError, match="failed at element 4 of the stream: OSError: the disk is away"):
        elements.plan(4, 10, SOON)
    healthy = True
    assert elements.plan(4, 10, SOON) == 9


def test_factory_that_raises_when_it_is_called_fails_the_plan(counted: Any) -> None:
    with pytest.raises(PipelineError, match="element 7 of the stream: ZeroDivisionError"):
        counted(lambda offset: 1 // 0).plan(7, 10, SOON)


def test_counts_of_many_small_plans_add_up(counted: Any) -> None:
    elements = counted(Counted(20_000))
    start = 0
    while True:
        end = elements.plan(start, 333, SOON, is_final=True)
        assert end - start <= 333
        if end == start:
            break
        start = end

    assert start == 20_000
