from typing import final

from rs_core.stream.subscription import Stage

@final
class BufferStage(Stage):
    def __init__(self, count: int) -> None: ...
