from typing import final

from rs_core.stream.subscription import Stage

@final
class TakeStage(Stage):
    def __init__(self, count: int) -> None: ...

@final
class SkipStage(Stage):
    def __init__(self, count: int) -> None: ...
