from typing_extensions import disjoint_base

from rs_core.stream.queue_stage import QueueStage

@disjoint_base
class HookedQueue(QueueStage):
    def __init__(self, *args: object, **kwargs: object) -> None: ...
