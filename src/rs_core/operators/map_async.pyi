from collections.abc import Callable
from typing import Any, final

from typing_extensions import disjoint_base

from rs_core.stream.queue_stage import QueueStage

@disjoint_base
class CallingStage(QueueStage):
    def __init__(
        self,
        function: Callable[[Any], Any],
        concurrency: int,
        is_ordered: bool,
        find_tasks: Callable[[], Any],
        chunk: int = 1,
    ) -> None: ...

@final
class AsyncMapStage(CallingStage): ...

@final
class ExecutorMapStage(CallingStage):
    def __init__(
        self,
        function: Callable[[Any], Any],
        concurrency: int,
        is_ordered: bool,
        find_tasks: Callable[[], Any],
        chunk: int,
        find_scheduler: Callable[[Any], Any],
    ) -> None: ...
