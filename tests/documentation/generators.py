"""The modules that write pages of the documentation; they lie beside it and import one another by their bare names."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"


def loaded(name: str) -> ModuleType:
    """Return a module of the folder of the documentation."""
    sys.path.insert(0, str(DOCS))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(DOCS))


class Application:
    """What an extension is given by Sphinx, as far as it needs it."""

    def __init__(self, srcdir: Path) -> None:
        self.srcdir = srcdir
        self._callback: Callable[[Any], None] | None = None

    def connect(self, event: str, callback: Callable[[Any], None]) -> None:
        assert event == "builder-inited"
        self._callback = callback

    def write(self) -> None:
        """Write the pages, as a build does."""
        assert self._callback is not None
        self._callback(self)
