from typing import Any, Protocol

from typing_extensions import disjoint_base

from rs_core.stream.queue_stage import QueueStage

class _Scheduler(Protocol):
    def schedule(self, task: Any, /) -> object: ...

@disjoint_base
class ObserveOnStage(QueueStage):
    def __init__(self, scheduler: _Scheduler | None, prefetch: int, replenish_at: int = 0) -> None: ...
