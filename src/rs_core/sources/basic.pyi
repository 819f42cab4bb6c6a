from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, SupportsIndex, TypeVar, final

from rs_core.stream.description import Description
from rs_core.stream.subscription import DemandOwner, Stage

_T_co = TypeVar("_T_co", covariant=True)

def int64_range(start: SupportsIndex, stop: SupportsIndex | None, step: SupportsIndex, /) -> range | None: ...

@final
class OneShot(Generic[_T_co]):
    def __init__(self, iterator: Iterator[_T_co]) -> None: ...
    @property
    def iterator(self) -> Iterator[_T_co]: ...

@final
class RangeSource(DemandOwner):
    def __init__(self, values: range) -> None: ...

@final
class IterableSource(DemandOwner):
    def __init__(self, iterable: Iterable[Any] | OneShot[Any], skips: bool = True) -> None: ...

@final
class UnfoldSource(DemandOwner):
    def __init__(self, seed: Any, step: Callable[[Any], tuple[Any, Any] | None]) -> None: ...

@final
class RepeatSource(DemandOwner):
    def __init__(self, value: Any, times: int | None) -> None: ...

@final
class CallableSource(DemandOwner):
    def __init__(self, function: Callable[[], Any]) -> None: ...

@final
class DeferStage(Stage):
    def __init__(self, factory: Callable[[], Description], failed: Callable[[Exception], Description]) -> None: ...

@final
class EmptySource(DemandOwner): ...

@final
class GivenError:
    def __init__(self, error: Exception) -> None: ...
    @property
    def error(self) -> Exception: ...

@final
class ErrorSource(DemandOwner):
    def __init__(self, given: GivenError) -> None: ...

@final
class NeverSource(DemandOwner): ...
