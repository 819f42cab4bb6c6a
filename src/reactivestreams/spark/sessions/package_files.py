"""The files of this distribution that executors need, from this installation or a wheel for another platform."""

import sys
import zipfile
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import reactivestreams
import rs_core
from reactivestreams.errors import ArgumentError
from reactivestreams.spark.errors import PackageError

__all__ = ["PACKAGES", "compiled_suffixes", "installed_files", "wheel_files"]

PACKAGES = ("reactivestreams", "rs_core")

SOURCES_OF_THE_CORE = (".c", ".cpp", ".h", ".pxd", ".pyi", ".pyx", ".pyc")
"""Suffixes of files that only builds and type checkers need."""

COMPILED = (".so", ".pyd")


def installed_files() -> dict[str, bytes]:
    """Return the files of the installed packages, by their name in an archive.

    Raises:
        PackageError: The core is not compiled for this interpreter.
    """
    found: dict[str, bytes] = {}
    for package in (reactivestreams, rs_core):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*")):
            if path.is_file() and is_needed(path.name) and "__pycache__" not in path.parts:
                found[f"{package.__name__}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    # Each module with Python names has a stub, which exists even if the module was not compiled.
    core = Path(rs_core.__path__[0])
    stubs = {path.relative_to(core).with_suffix("").as_posix() for path in core.rglob("*.pyi")} - {"__init__"}
    missing = sorted(stubs - {name.partition("/")[2].partition(".")[0] for name in compiled(found)})
    if missing:
        raise PackageError(
            f"the core is not compiled for this interpreter, {sys.implementation.cache_tag} on {sys.platform}: it has "
            f"no {', '.join(missing[:3])}{' ...' if len(missing) > 3 else ''}; install a wheel of "
            "reactive-streams-core, in a checkout run python setup.py build_ext --inplace, or pass package(wheel=...)"
        )
    return found


def is_needed(name: str) -> bool:
    """Return whether executors with this interpreter need a file."""
    if name.endswith(COMPILED):
        # The whole suffix, because the suffixes of all interpreters end in `.so`.
        return "." + name.partition(".")[2] in EXTENSION_SUFFIXES
    return not name.endswith(SOURCES_OF_THE_CORE)


def wheel_files(wheel: Path) -> dict[str, bytes]:
    """Return the files of a wheel of this distribution, by their name in an archive.

    Raises:
        ArgumentError: The file is not a wheel of this distribution, or of another version.
    """
    try:
        with zipfile.ZipFile(wheel) as file:
            names = [name for name in file.namelist() if not name.endswith("/")]
            found = {
                name: file.read(name)
                for name in names
                if name.partition("/")[0] in PACKAGES and not name.endswith(SOURCES_OF_THE_CORE)
            }
    except (OSError, zipfile.BadZipFile) as error:
        raise ArgumentError(f"wheel {str(wheel)!r} cannot be read: {error}; pass the path of a .whl file") from error
    if not compiled(found) or "reactivestreams/__init__.py" not in found:
        raise ArgumentError(
            f"wheel {wheel.name!r} does not contain reactivestreams and a compiled rs_core; pass a wheel of "
            "reactive-streams-core for the executors' Python and platform"
        )
    version = next(
        (name.partition("-")[2].removesuffix(".dist-info/METADATA") for name in names if is_metadata(name)), "?"
    )
    if version != reactivestreams.__version__:
        raise ArgumentError(
            f"wheel {wheel.name!r} has version {version}, but this process has {reactivestreams.__version__}; both "
            "must have the same version"
        )
    return found


def is_metadata(name: str) -> bool:
    """Return whether a member of a wheel is its METADATA file."""
    return name.endswith(".dist-info/METADATA")


def compiled(names: Iterable[str]) -> list[str]:
    """Return the names of the core's compiled modules."""
    return [name for name in names if name.startswith("rs_core/") and name.endswith(COMPILED)]


def compiled_suffixes(names: Iterable[str]) -> set[str]:
    """Return the suffixes of compiled modules, such as `.cpython-311-darwin.so`: interpreter and platform."""
    return {"." + name.rpartition("/")[2].partition(".")[2] for name in compiled(names)}
