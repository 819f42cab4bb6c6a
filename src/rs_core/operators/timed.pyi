from collections.abc import Callable
from datetime import timedelta
from typing import Any, final

from typing_extensions import disjoint_base

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description
from rs_core.stream.subscription import Stage

@disjoint_base
class TimedStage(CombineStage):
    def __init__(self, prefetch: int, find_scheduler: Callable[[Any], Any]) -> None: ...

@final
class DelayStage(TimedStage):
    def __init__(self, prefetch: int, delay: timedelta, find_scheduler: Callable[[Any], Any]) -> None: ...

@disjoint_base
class LatestStage(TimedStage): ...

@final
class WindowedStage(LatestStage):
    def __init__(self, prefetch: int, span: timedelta, window: str, find_scheduler: Callable[[Any], Any]) -> None: ...

@final
class SampleStage(LatestStage):
    def __init__(self, prefetch: int, sampler: Description) -> None: ...

@final
class DebounceByStage(LatestStage):
    def __init__(
        self, prefetch: int, function: Callable[[Any], object], described: Callable[[object, object], Description]
    ) -> None: ...

@final
class TimeoutStage(TimedStage):
    def __init__(
        self,
        prefetch: int,
        first: timedelta | None,
        between: timedelta | None,
        fallback: Description | None,
        find_scheduler: Callable[[Any], Any],
        error: Callable[[str, timedelta], Exception],
    ) -> None: ...

@final
class BufferTimeoutStage(TimedStage):
    def __init__(self, size: int, span: timedelta, find_scheduler: Callable[[Any], Any]) -> None: ...

@final
class RateLimitStage(TimedStage):
    def __init__(self, tokens: int, span: timedelta, burst: int, find_scheduler: Callable[[Any], Any]) -> None: ...

@final
class ThrottleFirstStage(Stage):
    def __init__(self, span: timedelta, find_scheduler: Callable[[Any], Any]) -> None: ...

@final
class TimestampStage(Stage):
    def __init__(self, is_interval: bool, find_scheduler: Callable[[Any], Any]) -> None: ...
