from collections.abc import Callable
from typing import Any, final

from typing_extensions import disjoint_base

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

@disjoint_base
class PredicateStage(CombineStage):
    def __init__(self, prefetch: int, predicate: Callable[..., object], max_elements: int) -> None: ...

@final
class SplitStage(PredicateStage): ...

@final
class MarkStage(PredicateStage):
    def __init__(
        self, prefetch: int, predicate: Callable[[Any], object], max_elements: int, is_dropped: bool
    ) -> None: ...

@final
class BoundaryStage(CombineStage):
    def __init__(self, boundary: Description, prefetch: int, max_elements: int) -> None: ...

@final
class ToggleStage(CombineStage):
    def __init__(
        self,
        openings: Description,
        prefetch: int,
        closing: Callable[[Any], Any],
        described: Callable[[object, object], Any],
        max_elements: int,
        max_lists: int,
    ) -> None: ...
