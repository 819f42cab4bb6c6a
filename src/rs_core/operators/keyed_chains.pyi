from collections.abc import Callable, Hashable
from typing import Any, Protocol, final

from typing_extensions import disjoint_base

from rs_core.ends.subscriber import SubscriberStage
from rs_core.operators.python_operator import PythonStage

@final
class Chain:
    @property
    def handle(self) -> SubscriberStage: ...
    @property
    def inlet(self) -> Any: ...
    def __init__(self, handle: SubscriberStage) -> None: ...

@final
class Inlet:
    chain: Chain | None

    def subscribe(self, subscriber: Any) -> None: ...

@final
class Outlet:
    results: list[Any]
    is_complete: bool
    error: Exception | None

    def on_subscribe(self, subscription: Any) -> None: ...
    def on_next(self, element: Any) -> None: ...
    def on_error(self, error: Exception) -> None: ...
    def on_complete(self) -> None: ...

class _Keeper(Protocol):
    def opened(self, key: Any, /) -> Chain | None: ...
    def taken(self, key: Any, /) -> list[Any]: ...

@final
class LiveChains:
    changed: dict[Any, None] | None

    @property
    def live(self) -> dict[Any, Chain]: ...
    @property
    def inlet(self) -> Inlet: ...
    @property
    def outlet(self) -> Outlet: ...
    def feed(self, keeper: _Keeper, key: Hashable, element: Any) -> list[Any]: ...

@disjoint_base
class KeyedChainsStage(PythonStage[Any, Any]):
    wanted: int
    is_waiting: bool
    is_finishing: bool

    def set_chains(
        self, key_function: Callable[[Any], Hashable], keeper: _Keeper, chains: LiveChains, marker: type
    ) -> None: ...
    def proceed(self, is_direct: bool) -> None: ...
