from collections.abc import Callable
from typing import Any, Generic, TypeVar, final

from typing_extensions import disjoint_base

from rs_core.stream.description import Description
from rs_core.stream.subscription import Stage

_T = TypeVar("_T")

@disjoint_base
class BlockingEnd(Stage, Generic[_T]):
    def wait(self, context: Any = None, *, timeout_seconds: float | None = None) -> _T: ...

@final
class RunEnd(BlockingEnd[None]):
    def __init__(self, source: Description, prefetch: int | None = None) -> None: ...

@final
class ForEachEnd(BlockingEnd[None]):
    def __init__(self, source: Description, function: Callable[[Any], object], prefetch: int | None = None) -> None: ...

@final
class ListEnd(BlockingEnd[list[_T]]):
    def __init__(self, source: Description) -> None: ...

@final
class FirstEnd(BlockingEnd[_T | None]):
    def __init__(self, source: Description, method: str = "first") -> None: ...
    @property
    def is_empty(self) -> bool: ...

@final
class ReduceEnd(BlockingEnd[_T]):
    def __init__(self, source: Description, function: Callable[[_T, Any], _T], seed: _T) -> None: ...
