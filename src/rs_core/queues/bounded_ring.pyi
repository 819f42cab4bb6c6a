import enum
from collections.abc import Callable
from types import GenericAlias
from typing import Final, Generic, SupportsIndex, TypeVar

from typing_extensions import disjoint_base

__all__ = ["EMPTY", "MAX_CAPACITY_ELEMENTS", "BoundedRing", "Empty"]

_T = TypeVar("_T")

MAX_CAPACITY_ELEMENTS: Final = 16777216

class Empty(enum.Enum):
    EMPTY = "empty"

EMPTY: Final = Empty.EMPTY

@disjoint_base
class BoundedRing(Generic[_T]):
    def __class_getitem__(cls, element_type: object, /) -> GenericAlias: ...
    def drain(self, limit: SupportsIndex | None = None) -> list[_T]: ...
    def drain_to(self, receiver: Callable[[_T], object], /, *, limit: SupportsIndex | None = None) -> int: ...
    @property
    def capacity(self) -> int: ...
    @property
    def is_empty(self) -> bool: ...
    @property
    def is_full(self) -> bool: ...
    def __len__(self) -> int: ...
    def __sizeof__(self) -> int: ...
