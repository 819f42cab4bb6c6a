from collections.abc import Callable
from datetime import timedelta
from typing import Any, final

from rs_core.multicaster import SubjectCore, SubjectSource

@final
class Connection:
    @property
    def is_active(self) -> bool: ...
    def cancel(self) -> None: ...
    def __enter__(self) -> Connection: ...
    def __exit__(self, *error: object) -> None: ...

@final
class Connector:
    def __init__(
        self,
        label: str,
        make: Callable[[], tuple[Any, SubjectCore]] | None,
        first: tuple[Any, SubjectCore],
        subscribe: Callable[[Any, Any], object],
        find_scheduler: Callable[[Any], Any],
    ) -> None: ...
    def connect(self, context: Any = None) -> Connection: ...

@final
class Entrance:
    def __init__(self, connector: Connector, threshold: int, is_counted: bool, grace: timedelta | None) -> None: ...

@final
class Grace:
    def execute(self, scheduler: Any = None) -> bool: ...
    def discard(self, error: BaseException) -> None: ...

@final
class SharedSource(SubjectSource):
    def __init__(self, entrance: Entrance, *_source: object) -> None: ...
