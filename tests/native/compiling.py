"""Compiles the .pyx harnesses of this folder as another project would, against the installed .pxd files; loads them."""

import importlib.util
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import rs_core
from tests.native.building import build_harnesses

HARNESSES = Path(__file__).resolve().parent


def installed_core() -> Path:
    """Return the folder of the package under test, with its .pxd files and headers."""
    return Path(next(iter(rs_core.__path__)))


def installed_modules() -> dict[str, Path]:
    """Return the .pxd files of the package under test by the names that are cimported, without the package's own."""
    core = installed_core()
    paths = sorted(path for path in core.rglob("*.pxd") if path.stem != "__init__")
    return {".".join(path.relative_to(core).with_suffix("").parts): path for path in paths}


def copy_headers(core: Path) -> None:
    """Copy what extensions are compiled against to another folder."""
    for path in installed_core().rglob("*"):
        if path.suffix in {".pxd", ".h"} or path.name == "__init__.py":
            copied = core / path.relative_to(installed_core())
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copied)


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
