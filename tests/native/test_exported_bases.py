"""The bases for library authors are subclassed in Cython by another project."""

from types import ModuleType
from typing import Any

import pytest

from reactivestreams import Stream
from tests.contracts.manual_scheduler import ManualScheduler


@pytest.fixture
def bases(harnesses: dict[str, ModuleType]) -> Any:
    return harnesses["exported_bases"]


def test_processor_written_in_cython_works(bases: Any) -> None:
    processor = bases.Repeating(3)
    Stream.range(4).subscribe(processor)
    assert Stream.from_publisher(processor).to_list() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_processor_written_in_cython_can_be_subclassed_in_python(bases: Any) -> None:
    class Once(bases.Repeating):  # type: ignore[misc]
        def hook_on_complete(self) -> None:
            self.emit("end")

    processor = Once(1)
    Stream.range(2).subscribe(processor)
    assert Stream.from_publisher(processor).to_list() == [0, 1, "end"]


def test_subscriber_written_in_cython_works(bases: Any) -> None:
    subscriber = bases.Adding()
    Stream.range(101).subscribe(subscriber)
    assert subscriber.total == 5050


def test_asynchronous_subscriber_written_in_cython_works(bases: Any) -> None:
    scheduler = ManualScheduler()
    subscriber = bases.AddingAsynchronously(scheduler=scheduler)
    Stream.range(101).subscribe(subscriber)
    assert (subscriber.total, scheduler.waiting) == (0, 1)
    scheduler.run_waiting()
    assert (subscriber.total, subscriber.is_complete) == (5050, True)
