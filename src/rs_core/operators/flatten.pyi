from collections.abc import Callable
from typing import Any, final

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description

@final
class FlatMapStage(CombineStage):
    def __init__(
        self,
        function: Callable[[Any], Any],
        prefetch: int,
        concurrency: int,
        keeps_order: bool,
        described: Callable[[Any, Any], Description],
    ) -> None: ...

@final
class SwitchMapStage(CombineStage):
    def __init__(
        self,
        function: Callable[[Any], Any],
        prefetch: int,
        keeps_running: bool,
        on_drop: Callable[[Any], object] | None,
        described: Callable[[Any, Any], Description],
    ) -> None: ...
    @property
    def dropped(self) -> int: ...

@final
class ExpandStage(CombineStage):
    def __init__(
        self,
        function: Callable[[Any], Any],
        prefetch: int,
        concurrency: int,
        max_waiting: int,
        described: Callable[[Any, Any], Description],
    ) -> None: ...

@final
class DelayUntilStage(CombineStage):
    def __init__(
        self, function: Callable[[Any], object], prefetch: int, described: Callable[[object, object], Description]
    ) -> None: ...
