from typing import Any, final

from rs_core.operators.python_operator import PythonStage
from rs_core.sources.publisher import PublisherSource

@final
class ProcessorStage(PythonStage[Any, Any]):
    def __init__(self, source: PublisherSource, prefetch: int, capacity: int, label: str) -> None: ...
