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
