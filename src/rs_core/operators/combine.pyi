from collections.abc import Callable
from typing import Any, final

from typing_extensions import disjoint_base

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description

@final
class MergeStage(CombineStage): ...

@disjoint_base
class ZipStage(CombineStage):
    def __init__(
        self, sources: tuple[Description, ...], prefetch: int, goes_on: bool = False, filling: Any = None
    ) -> None: ...

@final
class CompressStage(ZipStage): ...

@final
class MergeSortedStage(CombineStage):
    def __init__(
        self, sources: tuple[Description, ...], prefetch: int, key: Callable[[Any], Any] | None = None
    ) -> None: ...

@final
class LatestStage(CombineStage):
    def __init__(
        self, sources: tuple[Description, ...], prefetch: int, leads: bool = False, waits: bool = False
    ) -> None: ...

@final
class AmbStage(CombineStage):
    def __init__(self, sources: tuple[Description, ...], prefetch: int) -> None: ...

@final
class GateStage(CombineStage):
    def __init__(self, trigger: Description, prefetch: int, opens: bool) -> None: ...
