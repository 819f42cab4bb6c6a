from collections.abc import Callable
from typing import Any, final

@final
class Clock:
    def __init__(self, find_scheduler: Callable[[Any], Any]) -> None: ...
