from collections.abc import Callable
from typing import Any, final

from typing_extensions import disjoint_base

from rs_core.queues.overflow_policy import OverflowPolicy
from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description

@disjoint_base
class UnrequestedStage(CombineStage):
    def __init__(self, prefetch: int) -> None: ...

@final
class OverflowStage(UnrequestedStage):
    def __init__(
        self, prefetch: int, capacity: int, on_overflow: OverflowPolicy | None, function: Callable[..., Any] | None
    ) -> None: ...

@final
class BatchStage(UnrequestedStage):
    def __init__(self, prefetch: int, limit: int) -> None: ...

@final
class WeightStage(UnrequestedStage):
    def __init__(self, limit: int, weigh: Callable[[Any], int]) -> None: ...

@final
class PauseStage(CombineStage):
    def __init__(self, ahead: int, prefetch: int, pauser: Description) -> None: ...
