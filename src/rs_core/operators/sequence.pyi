from collections.abc import Callable
from typing import Any, Protocol, final

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description

@final
class SequenceStage(CombineStage):
    def __init__(
        self,
        prefetch: int,
        successor: Callable[[int, int, Exception | None], Description | bool | None],
        first: Description | None = None,
    ) -> None: ...

class _Resource(Protocol):
    def open(self) -> Description: ...
    def close(self, error: Exception | None, /) -> bool: ...

@final
class UsingStage(CombineStage):
    def __init__(self, prefetch: int, resource: _Resource, failed: Callable[[Exception], Description]) -> None: ...

@final
class IntersperseStage(CombineStage):
    def __init__(self, prefetch: int, separator: Any) -> None: ...

@final
class CycleStage(CombineStage):
    def __init__(self, prefetch: int, times: int, max_elements: int) -> None: ...
