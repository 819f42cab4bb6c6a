from collections.abc import Callable, Hashable
from typing import Any, Final, final

from rs_core.stream.combine_stage import CombineStage
from rs_core.stream.subscription import Stage

AGGREGATES: Final[tuple[str, ...]]

@final
class Keys:
    def __init__(
        self,
        function: Callable[[Any], Hashable],
        max_keys: int,
        kind: type,
        seed: Any = None,
        most: int = ...,
    ) -> None: ...

@final
class KeyedScanStage(Stage):
    def __init__(
        self, key_function: Callable[[Any], Hashable], function: Callable[[Any, Any], Any], seed: Any, max_keys: int
    ) -> None: ...

@final
class KeyedTakeStage(Stage):
    def __init__(self, key_function: Callable[[Any], Hashable], count: int, max_keys: int) -> None: ...

@final
class KeyedDistinctStage(Stage):
    def __init__(
        self,
        key_function: Callable[[Any], Hashable],
        selector: Callable[[Any], Hashable] | None,
        max_values: int,
        max_keys: int,
    ) -> None: ...

@final
class KeyedFoldStage(CombineStage):
    def __init__(
        self,
        prefetch: int,
        key_function: Callable[[Any], Hashable],
        function: Callable[[Any, Any], Any] | None,
        seed: Any,
        finisher: Callable[[Any, Any], Any] | None,
        max_keys: int,
    ) -> None: ...

@final
class KeyedBufferStage(CombineStage):
    def __init__(self, prefetch: int, key_function: Callable[[Any], Hashable], count: int, max_keys: int) -> None: ...

@final
class Aggregates:
    seed: tuple[Any, ...]

    def __init__(self, kinds: tuple[tuple[str, str, Callable[[Any], Any] | None], ...]) -> None: ...
    def __call__(self, accumulators: tuple[Any, ...], element: Any) -> tuple[Any, ...]: ...
    def merged(self, earlier: tuple[Any, ...], later: tuple[Any, ...]) -> tuple[Any, ...]: ...
    def result(self, accumulators: tuple[Any, ...]) -> dict[str, Any]: ...
    def record(self, key: Any, accumulators: tuple[Any, ...]) -> dict[str, Any]: ...
