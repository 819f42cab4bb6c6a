from collections.abc import Callable
from types import GenericAlias
from typing import Any, Generic, TypeVar, final

from typing_extensions import disjoint_base

from rs_core.queues.overflow_policy import EmitResult, OverflowPolicy
from rs_core.stream.subscription import DemandOwner

_T_contra = TypeVar("_T_contra", contravariant=True)

@disjoint_base
class EmitterSource(DemandOwner):
    def __init__(
        self,
        callback: Callable[[StreamEmitter[Any]], object],
        on_overflow: OverflowPolicy | str,
        capacity: int,
        block_timeout_seconds: float,
    ) -> None: ...

@final
class StreamEmitter(Generic[_T_contra]):
    def __new__(cls, source: EmitterSource) -> StreamEmitter[_T_contra]: ...
    def __class_getitem__(cls, element_type: object, /) -> GenericAlias: ...
    def emit(self, element: _T_contra, /) -> EmitResult: ...
    async def emit_async(self, element: _T_contra, /) -> EmitResult: ...
    def complete(self) -> bool: ...
    def fail(self, error: Exception, /) -> bool: ...
    def on_dispose(self, function: Callable[[], object], /) -> None: ...
    @property
    def is_cancelled(self) -> bool: ...
    @property
    def demand(self) -> int: ...
