"""The collector of a worker: what was imported is frozen once, in tasks alone."""

import gc
from typing import Any

import pytest

from reactivestreams import pipeline
from reactivestreams.spark import apply, worker_heap
from reactivestreams.spark.worker_heap import OBJECTS_A_COLLECTION, fewer_collections, freeze_heap

pytestmark = pytest.mark.spark


def test_driver_is_left_alone() -> None:
    before = gc.get_freeze_count()

    freeze_heap()

    assert gc.get_freeze_count() == before
    assert not worker_heap.frozen


def test_worker_has_once_frozen_what_it_imported(spark: Any) -> None:
    def frozen_objects(_: Any) -> tuple[int, int]:
        import gc
        import os

        return os.getpid(), gc.get_freeze_count()

    counted = apply(pipeline().map(frozen_objects), spark.range(0, 20, 1, 1), schema="worker long, objects long")
    found: dict[int, list[int]] = {}
    for _ in range(4):
        worker, objects = counted.first()
        found.setdefault(worker, []).append(objects)

    assert min(min(counts) for counts in found.values()) > 10_000
    # To freeze again would add what the tasks between have made; objects that are no longer used leave.
    assert all(counts == sorted(counts, reverse=True) for counts in found.values())


def test_collections_are_fewer_for_a_while() -> None:
    before = gc.get_threshold()

    with fewer_collections():
        assert gc.get_threshold() == (OBJECTS_A_COLLECTION, *before[1:])

    assert gc.get_threshold() == before
