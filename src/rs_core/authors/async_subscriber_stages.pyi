from typing import final

from rs_core.sources.publisher import PublisherSource
from rs_core.stream.subscription import Stage

@final
class HookSource(PublisherSource): ...

@final
class HookEnd(Stage): ...
