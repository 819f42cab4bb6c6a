from collections.abc import Callable
from types import TracebackType, UnionType
from typing import Any, TypeVar, final, overload

from typing_extensions import Buffer

from rs_core.state_codec import StateKind
from rs_core.state_limits import StateLimits

__all__ = ["RecordInput", "StateReader"]

_T = TypeVar("_T")

@final
class RecordInput:
    def __new__(
        cls,
        source: Buffer,
        *,
        measure_header: Callable[[bytes], int],
        footer: bytes,
        kinds: dict[str, StateKind],
        limits: StateLimits,
    ) -> RecordInput: ...
    @property
    def is_at_end(self) -> bool: ...
    def create(self, name: str, path: object) -> StateReader: ...

@final
class StateReader:
    @property
    def name(self) -> str | None: ...
    @property
    def version(self) -> tuple[int, int, int, int] | None: ...
    @property
    def is_present(self) -> bool: ...
    # With the next one alone, `read(list)` is for pyright a list of elements that it does not know.
    @overload
    def read(self, expected: type[list[Any]], /) -> list[Any]: ...
    @overload
    def read(self, expected: type[_T], /) -> _T: ...
    @overload
    def read(self, expected: UnionType | tuple[type, ...] | None = None, /) -> Any: ...
    @overload
    def try_read(self, expected: type[_T], /) -> tuple[bool, _T | None]: ...
    @overload
    def try_read(self, expected: UnionType | tuple[type, ...] | None = None, /) -> tuple[bool, Any]: ...
    def create_child(self) -> StateReader: ...
    def reset(self) -> None: ...
    def dispose(self) -> None: ...
    def __enter__(self) -> StateReader: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...
