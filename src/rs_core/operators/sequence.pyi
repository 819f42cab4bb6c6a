from collections.abc import Callable
from typing import final

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
