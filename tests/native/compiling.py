"""Compiles the .pyx harnesses of this folder as another project would, against the installed .pxd files; loads them."""

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import rs_core
from tests.native.building import build_harnesses

HARNESSES = Path(__file__).resolve().parent


def installed_core() -> Path:
    """Return the folder of the package under test, with its .pxd files and headers."""
    return Path(next(iter(rs_core.__path__)))


def compile_harnesses(sources: Iterable[Path], folder: Path, *, optimize: bool = False) -> list[ModuleType]:
    """Compile each source into the folder and return the imported modules."""
    return [load(path) for path in build_harnesses(sources, folder, core=installed_core(), optimize=optimize)]


def load(path: Path) -> ModuleType:
    """Import a compiled harness."""
    name = path.name.partition(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, f"{path} is no extension module"
    assert spec.loader is not None, f"{path} is no extension module"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
