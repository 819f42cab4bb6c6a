from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, final

from rs_core.stream.subscription import DemandOwner

@final
class TimerSource(DemandOwner):
    def __init__(
        self,
        first: timedelta | datetime,
        period: timedelta | None,
        unrequested: str,
        find_scheduler: Callable[[Any], Any],
    ) -> None: ...
