from typing import Any, Final, Self, final

from typing_extensions import disjoint_base

from rs_core.queues.stable_heap import HeapElement

__all__ = ["AGING_TURNS", "PendingPause", "TaskQueues"]

AGING_TURNS: Final = 1024

@final
class PendingPause:
    @property
    def remaining(self) -> int: ...
    def holds_this_thread(self) -> bool: ...

@disjoint_base
class TaskQueues(HeapElement):
    def __new__(cls, *args: Any, **options: Any) -> Self: ...
    @property
    def width(self) -> int: ...
