from typing import Any, final

from typing_extensions import disjoint_base

from rs_core.stream.description import Description
from rs_core.stream.subscription import DemandOwner, Stage

@final
class InputPort(Stage):
    @property
    def name(self) -> str: ...

@disjoint_base
class CombineStage(DemandOwner):
    def __init__(self, sources: tuple[Description, ...], prefetch: int) -> None: ...
    @property
    def inputs(self) -> tuple[Any, ...]: ...
