from typing import final

@final
class HubErrand: ...

@final
class HubUpstream:
    def __init__(self, origin: str) -> None: ...
