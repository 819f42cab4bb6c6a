from collections.abc import Callable
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, Protocol, final

from typing_extensions import disjoint_base

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description
from rs_core.stream.subscription import DemandOwner

class Successor(Enum):
    INPUT_ABOVE = "the input above, again or in its turn"
    END = "the end or the error of that input"

@disjoint_base
class SequenceStage(CombineStage):
    def __init__(
        self,
        prefetch: int,
        successor: Callable[[int, int, Exception | None], Description | Successor],
        first: Description | None = None,
        ignores_first: bool = False,
    ) -> None: ...

class _Run(Protocol):
    needs_clock: bool
    def start(self, now: datetime) -> None: ...
    def decide(self, failed: int, passed: int, error: Exception, now: datetime | None) -> timedelta | None: ...
    def save(self) -> list[Any]: ...
    def restore(self, values: list[Any]) -> None: ...

@final
class MaterializeStage(SequenceStage):
    def __init__(
        self,
        prefetch: int,
        successor: Callable[[int, int, Exception | None], Description | Successor],
        kind: type,
        field: str,
    ) -> None: ...

class DelaySubscriptionStage(SequenceStage):
    def __init__(self, prefetch: int, first: Description) -> None: ...

@final
class SubscribeOnStage(DelaySubscriptionStage):
    def __init__(
        self, prefetch: int, first: Description, scheduler: object, context_on: Callable[[Any, Any], Any]
    ) -> None: ...

@final
class RetryStage(SequenceStage):
    def __init__(self, prefetch: int, run: _Run, find_scheduler: Callable[[Any], Any]) -> None: ...

@final
class Feed: ...

@final
class FeedStage(DemandOwner):
    def __init__(self, feed: Feed) -> None: ...

@final
class AgainWhenStage(CombineStage):
    def __init__(
        self, prefetch: int, control: Callable[[type[Description], Feed], Description], is_after_errors: bool
    ) -> None: ...

class _Resource(Protocol):
    def open(self) -> Description: ...
    def close(self, error: Exception | None, /) -> bool: ...

@final
class UsingStage(CombineStage):
    def __init__(self, prefetch: int, resource: _Resource, failed: Callable[[Exception], Description]) -> None: ...

@final
class IntersperseStage(CombineStage):
    def __init__(self, prefetch: int, separator: Any) -> None: ...

@final
class CycleStage(CombineStage):
    def __init__(self, prefetch: int, times: int, max_elements: int) -> None: ...
