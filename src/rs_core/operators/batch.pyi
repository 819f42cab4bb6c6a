from collections.abc import Callable
from typing import Any, final

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description
from rs_core.stream.subscription import Stage

@final
class Windows:
    def __init__(self, size: int, step: int) -> None: ...

@final
class BufferStage(Stage):
    def __init__(self, count: int, skip: int) -> None: ...

@final
class WindowStage(Stage):
    def __init__(self, size: int, step: int) -> None: ...

@final
class PairStage(Stage): ...

@final
class OverlapStage(CombineStage):
    def __init__(self, prefetch: int, count: int, skip: int) -> None: ...

@final
class SplitStage(CombineStage):
    def __init__(self, prefetch: int, predicate: Callable[[Any, Any], object], max_elements: int) -> None: ...

@final
class BoundaryStage(CombineStage):
    def __init__(self, boundary: Description, prefetch: int, max_elements: int) -> None: ...
