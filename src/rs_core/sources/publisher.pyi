from typing import Any, Protocol

from typing_extensions import disjoint_base

from rs_core.stream.queue_stage import QueueStage

class _Publisher(Protocol):
    def subscribe(self, subscriber: Any, /) -> object: ...

@disjoint_base
class PublisherSource(QueueStage):
    def __init__(
        self, publisher: _Publisher | None, prefetch: int, is_bound: bool = False, skips: bool = False
    ) -> None: ...
