"""Fewer garbage collections while many elements are alive at once, which are looked at again and again otherwise."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["OBJECTS_A_COLLECTION", "fewer_collections"]

OBJECTS_A_COLLECTION = 200_000
"""After how many new objects the collector runs while a bucket is handled; Python's own number is 700."""


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Let the collector run every `OBJECTS_A_COLLECTION` new objects, and as before afterwards."""
    before = gc.get_threshold()
    if before[0]:  # 0 means that it does not run at all
        gc.set_threshold(max(OBJECTS_A_COLLECTION, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
