from typing import Any, Final, TypeVar, final

from rs_core.queues.stable_heap import HeapElement

__all__ = ["ACTION_PRIORITY", "MOST_PRIORITY", "TreeNode", "WorkItem", "checked_task"]

ACTION_PRIORITY: Final = 1
MOST_PRIORITY: Final = 1000

_T = TypeVar("_T")

def checked_task(task: _T, /) -> _T: ...

@final
class WorkItem(HeapElement):
    @property
    def scheduler(self) -> Any: ...
    @property
    def task(self) -> Any: ...
    def cancel(self) -> bool: ...

@final
class TreeNode:
    @property
    def scheduler(self) -> Any: ...
    @property
    def queue(self) -> Any: ...
    @property
    def parent(self) -> TreeNode | None: ...
    @property
    def status_code(self) -> int: ...
    @property
    def is_yield_requested(self) -> bool: ...
