from typing import Any, Protocol, final

from rs_core.queue_stage import QueueStage

class _Publisher(Protocol):
    def subscribe(self, subscriber: Any, /) -> object: ...

@final
class PublisherSource(QueueStage):
    def __init__(self, publisher: _Publisher, prefetch: int) -> None: ...
