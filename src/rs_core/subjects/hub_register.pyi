from typing import final

from rs_core.queues.overflow_policy import OverflowPolicy
from rs_core.subjects.signal_queue import HubQueue

@final
class HubEntry: ...

@final
class HubRegister(HubQueue):
    def __init__(
        self, capacity: int, on_overflow: OverflowPolicy, remembers_end: bool, is_shared: bool, most_kept: int
    ) -> None: ...
