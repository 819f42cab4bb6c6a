"""What is measured without Python: the loops of the native tests, compiled with optimization."""

from pathlib import Path
from types import ModuleType

from tests.native.compiling import HARNESSES, compile_harnesses


def native_harness(folder: Path) -> ModuleType:
    """Compile the harness into the folder and return it."""
    (module,) = compile_harnesses([HARNESSES / "two_threads.pyx"], folder, optimize=True)
    return module
