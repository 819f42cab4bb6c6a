from typing import Any, final

from rs_core.scheduling.task_lane import Lane
from rs_core.scheduling.task_tree import TreeNode

__all__ = ["CallerLane"]

@final
class CallerLane(Lane):
    def run_now(self, node: TreeNode, task: Any, capacity: int, /) -> int: ...
    def run_parked(self, node: TreeNode, with_children: bool, /) -> None: ...
