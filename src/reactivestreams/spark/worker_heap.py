"""How often the garbage collector of a worker looks at what it cannot free."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["OBJECTS_A_COLLECTION", "fewer_collections", "freeze_heap"]

OBJECTS_A_COLLECTION = 200_000
"""After how many new objects the collector runs in `fewer_collections`; Python's own number is 700."""

frozen: bool = False
"""Whether `freeze_heap` has done its work in this process."""


def freeze_heap() -> None:
    """Take what a worker of Spark has imported out of the collector's sight, at the first call inside a task.

    Rows that come and go make the collector go through everything again and again: PySpark, pandas and pyarrow are some
    hundred thousand objects, of which none is ever free. That took a third of the time of plain functions over rows.
    The price is that a cycle of objects that is alive at this moment is never freed.
    """
    global frozen  # noqa: PLW0603 - one a process
    from pyspark import TaskContext

    if not frozen and TaskContext.get() is not None:
        frozen = True
        gc.freeze()


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Let the collector run every `OBJECTS_A_COLLECTION` new objects, and as before afterwards.

    For many elements that are alive at once.
    """
    before = gc.get_threshold()
    if before[0]:  # 0 means that it does not run at all
        gc.set_threshold(max(OBJECTS_A_COLLECTION, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
