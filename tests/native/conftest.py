from pathlib import Path
from types import ModuleType

import pytest

from tests.native.compiling import HARNESSES, compile_harnesses


@pytest.fixture(scope="session")
def harnesses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ModuleType]:
    """The compiled harnesses of this folder by name."""
    pytest.importorskip("Cython", reason="the harnesses are compiled by Cython, which the group dev installs")
    folder: Path = tmp_path_factory.mktemp("harnesses")
    return {module.__name__: module for module in compile_harnesses(sorted(HARNESSES.glob("*.pyx")), folder)}
