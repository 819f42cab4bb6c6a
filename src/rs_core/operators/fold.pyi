from collections.abc import Callable
from typing import Any, final

from rs_core.stream.subscription import Stage

@final
class ScanStage(Stage):
    def __init__(self, function: Callable[[Any, Any], Any], has_seed: bool, seed: Any) -> None: ...

@final
class EnumerateStage(Stage):
    def __init__(self, start: int) -> None: ...
