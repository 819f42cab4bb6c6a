from collections.abc import Callable, Hashable, Iterable
from typing import Any, final

from typing_extensions import disjoint_base

from rs_core.stream.subscription import Stage

@disjoint_base
class ResultStage(Stage): ...

@final
class CountStage(ResultStage): ...

@final
class SumStage(ResultStage):
    def __init__(self, start: Any) -> None: ...

@final
class AverageStage(ResultStage):
    def __init__(self, has_default: bool, default: Any) -> None: ...

@final
class ExtremeStage(ResultStage):
    def __init__(
        self, is_greatest: bool, key_function: Callable[[Any], Any] | None, has_default: bool, default: Any
    ) -> None: ...

@final
class ReduceStage(ResultStage):
    def __init__(self, function: Callable[[Any, Any], Any], has_seed: bool, seed: Any) -> None: ...

@final
class CollectStage(ResultStage):
    def __init__(
        self,
        supplier: Callable[[], Any],
        accumulator: Callable[[Any, Any], object],
        finisher: Callable[[Any], Any] | None,
    ) -> None: ...

@final
class ListStage(ResultStage):
    def __init__(self, max_elements: int) -> None: ...

@final
class SetStage(ResultStage):
    def __init__(self, max_elements: int) -> None: ...

@final
class DictStage(ResultStage):
    def __init__(
        self,
        key_function: Callable[[Any], Hashable],
        value_function: Callable[[Any], Any] | None,
        is_lookup: bool,
        max_elements: int,
    ) -> None: ...

@final
class MatchStage(ResultStage):
    def __init__(self, how: str, argument: Any, stops_at: bool, answer: bool) -> None: ...

@final
class EqualStage(ResultStage):
    def __init__(self, iterable: Iterable[Any]) -> None: ...

@final
class ElementAtStage(ResultStage):
    def __init__(self, position: int, has_default: bool, default: Any) -> None: ...

@final
class LastStage(ResultStage):
    def __init__(self, is_single: bool, has_default: bool, default: Any) -> None: ...
