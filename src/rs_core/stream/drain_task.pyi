from typing import Any

from typing_extensions import disjoint_base

from rs_core.stream.stage import Stage

@disjoint_base
class DrainTask(Stage):
    def execute(self, scheduler: Any = None) -> bool: ...
    def discard(self, error: BaseException) -> None: ...
