from typing import final

from rs_core.hub_queue import HubQueue
from rs_core.overflow_policy import OverflowPolicy

@final
class HubEntry: ...

@final
class HubRegister(HubQueue):
    def __init__(
        self, capacity: int, on_overflow: OverflowPolicy, remembers_end: bool, is_shared: bool, most_kept: int
    ) -> None: ...
