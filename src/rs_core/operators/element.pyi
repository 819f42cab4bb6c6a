from collections.abc import Callable
from types import GenericAlias
from typing import Any, Generic, TypeVar, final

from rs_core.stream.subscription import Stage

_T_contra = TypeVar("_T_contra", contravariant=True)

@final
class MapStage(Stage):
    def __init__(self, function: Callable[[Any], Any]) -> None: ...

@final
class StarMapStage(Stage):
    def __init__(self, function: Callable[..., Any]) -> None: ...

@final
class MapNotNoneStage(Stage):
    def __init__(self, function: Callable[[Any], Any]) -> None: ...

@final
class FilterStage(Stage):
    def __init__(self, predicate: Callable[[Any], object]) -> None: ...

@final
class TypeStage(Stage):
    def __init__(self, kind: Any, refusal: Callable[[Any, Any], Exception] | None) -> None: ...

@final
class HandleSink(Generic[_T_contra]):
    def __class_getitem__(cls, element_type: object, /) -> GenericAlias: ...
    def emit(self, element: _T_contra, /) -> None: ...
    def complete(self) -> None: ...
    def fail(self, error: Exception, /) -> None: ...

@final
class HandleStage(Stage):
    def __init__(self, function: Callable[[Any, HandleSink[Any]], object]) -> None: ...

@final
class MapIndexedStage(Stage):
    def __init__(self, function: Callable[[Any, int], Any]) -> None: ...

@final
class FilterIndexedStage(Stage):
    def __init__(self, predicate: Callable[[Any, int], object]) -> None: ...

@final
class DoStage(Stage):
    def __init__(
        self,
        on_next: Callable[[Any], object] | None = None,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        on_subscribe: Callable[[], object] | None = None,
        on_request: Callable[[int], object] | None = None,
        on_cancel: Callable[[], object] | None = None,
        on_finally: Callable[[], object] | None = None,
    ) -> None: ...

@final
class PassedCount:
    def add(self, element: Any, /) -> None: ...
    @property
    def value(self) -> int: ...

@final
class DematerializeStage(Stage):
    def __init__(self, next_kind: type, error_kind: type, complete_kind: type) -> None: ...

@final
class OnErrorContinueStage(Stage):
    def __init__(self, function: Callable[[Exception, Any], object]) -> None: ...

@final
class MapErrorStage(Stage):
    def __init__(self, function: Callable[[Exception], Exception]) -> None: ...
