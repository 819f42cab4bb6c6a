from collections.abc import Awaitable, Callable
from typing import Any, final

from rs_core.stream.queue_stage import QueueStage

@final
class AsyncMapStage(QueueStage):
    def __init__(
        self,
        function: Callable[[Any], Awaitable[Any]],
        concurrency: int,
        is_ordered: bool,
        find_tasks: Callable[[], Any],
    ) -> None: ...
