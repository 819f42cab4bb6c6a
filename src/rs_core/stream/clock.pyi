from collections.abc import Callable
from datetime import datetime
from typing import Any, final

def utc_now() -> datetime: ...

@final
class Clock:
    def __init__(self, find_scheduler: Callable[[Any], Any]) -> None: ...
    def inspect(self, facts: dict[str, Any]) -> dict[str, Any]: ...
