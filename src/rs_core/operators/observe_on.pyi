from typing import Any, Protocol

from rs_core.stream.queue_stage import QueueStage

class _Scheduler(Protocol):
    def schedule(self, task: Any, /) -> object: ...

class ObserveOnStage(QueueStage):
    def __init__(self, scheduler: _Scheduler | None, prefetch: int, replenish_at: int = 0) -> None: ...
