from collections.abc import Callable, Hashable
from typing import Any, final

from rs_core.stream.combine_stage import CombineStage
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
class GroupByStage(CombineStage):
    dropped: int

    def __init__(
        self,
        prefetch: int,
        key_function: Callable[[Any], Hashable],
        until: Callable[[Any], Any] | None,
        described: Callable[[object, object], Any],
        max_groups: int,
        grouped: Callable[[type, Group], Any],
    ) -> None: ...
    def refuse_to_save(self) -> None: ...
