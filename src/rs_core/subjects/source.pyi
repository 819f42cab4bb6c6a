from typing import final

from typing_extensions import disjoint_base

from rs_core.queues.overflow_policy import OverflowPolicy
from rs_core.sources.emitter import EmitterSource

__all__ = ["SourceKeeper", "SourcePlace", "SubjectSource"]

@final
class SourcePlace: ...

@disjoint_base
class SourceKeeper:
    @property
    def capacity(self) -> int: ...
    @property
    def on_overflow(self) -> OverflowPolicy: ...

@final
class SubjectSource(EmitterSource):
    def __init__(self, keeper: SourceKeeper) -> None: ...
    @property
    def is_loaded(self) -> bool: ...
