from typing import Any, final

from rs_core.operators.observe_on import ObserveOnStage
from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Assembly
from rs_core.stream.subscription import Stage

@final
class RailStage(ObserveOnStage):
    def __init__(self, scheduler: Any, prefetch: int) -> None: ...

@final
class ParallelStage(CombineStage):
    def __init__(
        self,
        rails: int,
        operators: tuple[tuple[Any, tuple[Any, ...], Assembly], ...],
        scheduler: Any,
        prefetch: int,
        rail_prefetch: int,
        keeps_order: bool,
    ) -> None: ...

def keeps_places(stage: Stage) -> bool: ...
