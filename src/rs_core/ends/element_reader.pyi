from collections.abc import Callable
from types import GenericAlias
from typing import Any, Generic, TypeVar, final

from rs_core.stream.description import Description
from rs_core.sync.turns import LoopTurns

_T = TypeVar("_T")
_N = TypeVar("_N")

@final
class ElementReader(Generic[_T]):
    def __init__(
        self,
        source: Description,
        on_news: Callable[[], object],
        prefetch: int | None = None,
        *,
        turns: LoopTurns | None = None,
        default_prefetch: int = 128,
        context: Any = None,
    ) -> None: ...
    def __class_getitem__(cls, item: object, /) -> GenericAlias: ...
    def take(self, nothing: _N, /) -> _T | _N: ...
    def must_wait(self) -> bool: ...
    def close(self) -> None: ...
    def __del__(self) -> None: ...
