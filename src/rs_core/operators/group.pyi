from collections.abc import Callable, Hashable
from datetime import timedelta
from typing import Any, final

from typing_extensions import disjoint_base

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.description import Description
from rs_core.stream.subscription import DemandOwner

@final
class Group:
    @property
    def key(self) -> Any: ...
    def source(self) -> GroupSource: ...
    def __del__(self) -> None: ...

@final
class GroupSource(DemandOwner):
    def __init__(self, group: Group) -> None: ...

@final
class GroupReferences:
    def place_of(self, value: object) -> tuple[Any, ...] | None: ...
    def require_written(self) -> None: ...
    def stream_at(self, content: object) -> Any: ...  # Any: the stream of a group, whose class is above this package
    def require_read(self) -> None: ...

@disjoint_base
class GroupsStage(CombineStage):
    dropped: int
    noun: str
    remedy: str

    def __init__(self, sources: tuple[Any, ...], prefetch: int, max_groups: int) -> None: ...

@final
class GroupByStage(GroupsStage):
    def __init__(
        self,
        prefetch: int,
        key_function: Callable[[Any], Hashable],
        until: Callable[[Any], Any] | None,
        described: Callable[[object, object], Any],
        max_groups: int,
    ) -> None: ...

@final
class WindowsStage(GroupsStage):
    def __init__(
        self,
        boundary: Description | None,
        prefetch: int,
        count: int,
        skip: int,
        span: timedelta | None,
        find_scheduler: Callable[[Any], Any] | None,
        max_groups: int,
        is_last: Callable[[Any], object] | None,
    ) -> None: ...

@final
class WindowToggleStage(GroupsStage):
    def __init__(
        self,
        openings: Description,
        prefetch: int,
        closing: Callable[[Any], Any],
        described: Callable[[object, object], Any],
        max_groups: int,
    ) -> None: ...
