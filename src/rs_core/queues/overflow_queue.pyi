from typing import final

@final
class OverflowQueue:
    @property
    def capacity(self) -> int: ...
