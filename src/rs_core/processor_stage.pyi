from typing import Any, final

from rs_core.publisher_source import PublisherSource
from rs_core.python_stage import PythonStage

@final
class ProcessorStage(PythonStage[Any, Any]):
    def __init__(self, source: PublisherSource, prefetch: int, capacity: int, label: str) -> None: ...
