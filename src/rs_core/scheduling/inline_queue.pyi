from typing import Any, final

from rs_core.scheduling.serial_queue import SerialQueue
from rs_core.scheduling.task_tree import TreeNode, WorkItem

__all__ = ["InlineQueue"]

@final
class InlineQueue(SerialQueue):
    def run_now(self, node: TreeNode, task: Any, capacity: int, /) -> WorkItem | int: ...
    def run_parked(self, node: TreeNode, with_children: bool, /) -> None: ...
