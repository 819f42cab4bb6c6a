"""Fewer runs of the garbage collector in workers."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["OBJECTS_A_COLLECTION", "fewer_collections", "freeze_heap"]

OBJECTS_A_COLLECTION = 200_000
"""New objects between two runs of the collector in `fewer_collections`; Python's default is 700."""

frozen: bool = False
"""Whether `freeze_heap` has frozen this process."""


def freeze_heap() -> None:
    """Exclude all objects of a Spark worker from garbage collection, at the first call inside a task.

    Rows that are created and freed make the collector run often, and each run visits the objects of PySpark, pandas and
    pyarrow: some hundred thousand that are never freed. That took a third of the time of plain functions over rows.
    The price: a cycle of objects that exists at this moment is never freed.
    """
    global frozen  # noqa: PLW0603 - one per process
    from pyspark import TaskContext

    if not frozen and TaskContext.get() is not None:
        frozen = True
        gc.freeze()


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Run the collector only every `OBJECTS_A_COLLECTION` new objects inside the block, for many live elements."""
    before = gc.get_threshold()
    if before[0]:  # 0 means that the collector is off
        gc.set_threshold(max(OBJECTS_A_COLLECTION, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
