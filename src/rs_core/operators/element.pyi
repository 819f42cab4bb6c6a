from collections.abc import Callable
from typing import Any, final

from rs_core.stream.subscription import Stage

@final
class MapStage(Stage):
    def __init__(self, function: Callable[[Any], Any]) -> None: ...

@final
class StarMapStage(Stage):
    def __init__(self, function: Callable[..., Any]) -> None: ...

@final
class FilterStage(Stage):
    def __init__(self, predicate: Callable[[Any], object]) -> None: ...

@final
class DoStage(Stage):
    def __init__(
        self,
        on_next: Callable[[Any], object] | None,
        on_error: Callable[[Exception], object] | None,
        on_complete: Callable[[], object] | None,
    ) -> None: ...
