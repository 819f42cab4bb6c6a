import enum
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Protocol, final

from rs_core.queues.overflow_policy import OverflowPolicy
from rs_core.sources.emitter import EmitterSource

__all__ = ["OfferResult", "SubjectCore"]

MOST_WAITING: int

class OfferResult(enum.Enum):
    ACCEPTED = "accepted"
    NO_SUBSCRIBER = "no subscriber"
    NO_DEMAND = "no demand"
    TERMINATED = "terminated"
    @property
    def is_accepted(self) -> bool: ...

class _Policy(Protocol):
    @property
    def capacity(self) -> int: ...
    @property
    def on_overflow(self) -> OverflowPolicy: ...
    @property
    def is_lockstep(self) -> bool: ...
    @property
    def is_ahead(self) -> bool: ...
    @property
    def is_lossy(self) -> bool: ...
    @property
    def drops_for_slow(self) -> bool: ...

class _Clock(Protocol):
    @property
    def now(self) -> datetime: ...

class _Upstream(Protocol):
    def request(self, n: int, /) -> object: ...
    def cancel(self) -> object: ...

@final
class SubjectCore:
    def __new__(
        cls,
        label: str,
        policy: _Policy,
        *,
        is_shared: bool = True,
        replay_limit: int = 0,
        max_age: timedelta | None = None,
        scheduler: _Clock | None = None,
        remembers_end: bool = True,
        auto_cancel: bool = False,
        delay_error: bool = True,
    ) -> SubjectCore: ...
    @property
    def capacity(self) -> int: ...
    @property
    def on_overflow(self) -> OverflowPolicy: ...
    def accept_element(self, element: Any) -> bool: ...
    def offer(self, element: Any) -> OfferResult: ...
    def accept_end(self, error: Exception | None) -> bool: ...
    def accept_subscription(self, subscription: _Upstream) -> None: ...
    @property
    def subscriber_count(self) -> int: ...
    def seal(self, refuse: Callable[[], Exception], on_empty: Callable[[], object]) -> None: ...
    def dispose(self, refuse: Callable[[], Exception]) -> None: ...

@final
class Signal: ...

@final
class SourcePlace: ...

@final
class Admission: ...

@final
class DeferredCall: ...

@final
class Upstream:
    def __init__(self, origin: str) -> None: ...

@final
class SubscriberRegistry:
    def __init__(
        self, capacity: int, on_overflow: OverflowPolicy, remembers_end: bool, is_shared: bool, replay_limit: int
    ) -> None: ...
    @property
    def most_waiting(self) -> int: ...

@final
class SubjectSource(EmitterSource):
    def __init__(self, core: SubjectCore) -> None: ...
    @property
    def is_loaded(self) -> bool: ...
