from typing import final

from rs_core.publisher_source import PublisherSource
from rs_core.stage import Stage

@final
class HookSource(PublisherSource): ...

@final
class HookEnd(Stage): ...
