from collections.abc import Callable
from typing import Any, final

from rs_core.stream.subscription import DemandOwner, Stage

@final
class TakeStage(Stage):
    def __init__(self, count: int) -> None: ...

@final
class SkipStage(Stage):
    def __init__(self, count: int) -> None: ...

@final
class TakeWhileStage(Stage):
    def __init__(self, predicate: Callable[[Any], object], passing: bool, inclusive: bool) -> None: ...

@final
class SkipWhileStage(Stage):
    def __init__(self, predicate: Callable[[Any], object], dropping: bool) -> None: ...

@final
class DistinctStage(Stage):
    def __init__(self, key_function: Callable[[Any], object] | None, max_keys: int) -> None: ...

@final
class DistinctUntilChangedStage(Stage):
    def __init__(
        self, key_function: Callable[[Any], object] | None, comparer: Callable[[Any, Any], object] | None
    ) -> None: ...

@final
class SkipLastStage(Stage):
    def __init__(self, count: int) -> None: ...

@final
class TakeLastStage(DemandOwner):
    def __init__(self, count: int) -> None: ...

@final
class IgnoreStage(Stage): ...
