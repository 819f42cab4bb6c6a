from typing_extensions import disjoint_base

from rs_core.stream.subscription import DemandOwner

@disjoint_base
class QueueStage(DemandOwner):
    def __init__(self, prefetch: int) -> None: ...
