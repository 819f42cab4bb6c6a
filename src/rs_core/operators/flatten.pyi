from collections.abc import Callable, Iterable
from typing import Any, final

from rs_core.stream.queue_stage import QueueStage

@final
class FlatMapStage(QueueStage):
    def __init__(self, function: Callable[[Any], Iterable[Any]], prefetch: int) -> None: ...
