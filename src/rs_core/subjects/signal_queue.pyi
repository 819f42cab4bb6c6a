from typing import final

from typing_extensions import disjoint_base

from rs_core.queues.overflow_policy import OverflowPolicy

MOST_WAITING: int

@final
class HubSignal: ...

@disjoint_base
class HubQueue:
    def __init__(self, capacity: int, on_overflow: OverflowPolicy, remembers_end: bool) -> None: ...
    @property
    def most_waiting(self) -> int: ...
