from typing import final

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.subscription import Stage

@final
class BufferStage(Stage):
    def __init__(self, count: int, skip: int) -> None: ...

@final
class WindowStage(Stage):
    def __init__(self, size: int, step: int) -> None: ...

@final
class OverlapStage(CombineStage):
    def __init__(self, prefetch: int, count: int, skip: int) -> None: ...
