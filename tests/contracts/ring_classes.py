"""The rings that pass the same tests."""

from typing import Any

from rs_core.queues.mpsc_ring import MpscRing
from rs_core.queues.spsc_ring import SpscRing

Ring = SpscRing[Any] | MpscRing[Any]
RingClass = type[SpscRing[Any]] | type[MpscRing[Any]]

RING_CLASSES: list[RingClass] = [SpscRing, MpscRing]
