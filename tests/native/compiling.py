"""Compiles the .pyx harnesses of this folder as another project would: against the installed .pxd files."""

import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import rs_core

HARNESSES = Path(__file__).resolve().parent

# Harnesses are built for the same sanitizer as the core; else races in functions that were inlined here stay unseen.
SANITIZER_FLAGS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}


def installed_core() -> Path:
    """Return the folder of the package under test, with its .pxd files and headers."""
    return Path(next(iter(rs_core.__path__)))


def compile_harnesses(sources: Iterable[Path], folder: Path, *, optimize: bool = False) -> list[ModuleType]:
    """Compile each source into the folder and return the imported modules."""
    return [load(path) for path in build_harnesses(sources, folder, optimize=optimize)]


def build_harnesses(
    sources: Iterable[Path],
    folder: Path,
    *,
    core: Path | None = None,
    macros: Iterable[tuple[str, str | None]] = (),
    optimize: bool = False,
) -> list[Path]:
    """Compile each source into the folder, against a copy of the core where one is given; return the binaries."""
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    if sys.platform == "win32":
        compile_flags, link_flags = ["/std:c++17", "/O2" if optimize else "/Od"], []
    else:
        link_flags = SANITIZER_FLAGS.get(os.environ.get("RS_TEST_PROFILE", ""), [])
        # What a sanitizer reports names lines.
        compile_flags = ["-std=c++17", "-O3" if optimize else "-O1", "-g1" if link_flags else "-g0", *link_flags]
    extensions = [
        Extension(
            source.stem,
            [str(source)],
            include_dirs=[str(core or installed_core())],
            define_macros=list(macros),
            language="c++",
            extra_compile_args=compile_flags,
            extra_link_args=link_flags,
        )
        for source in sources
    ]
    translated = cythonize(
        extensions,
        build_dir=str(folder / "cython"),
        include_path=[str((core or installed_core()).parent)],
        compiler_directives={"language_level": 3, "freethreading_compatible": True},
        quiet=True,
    )
    command = build_ext(Distribution({"name": "harnesses", "ext_modules": translated}))
    command.build_lib = str(folder)
    command.build_temp = str(folder / "objects")
    command.parallel = 2
    command.ensure_finalized()
    with _without_preloading():
        command.run()
    return [Path(command.get_ext_fullpath(extension.name)) for extension in translated]


@contextmanager
def _without_preloading() -> Iterator[None]:
    """Keep the sanitizer's runtime, which this interpreter was started with, away from the compiler: it gets slow."""
    preloaded = os.environ.pop("LD_PRELOAD", None)
    try:
        yield
    finally:
        if preloaded is not None:
            os.environ["LD_PRELOAD"] = preloaded


def load(path: Path) -> ModuleType:
    """Import a compiled harness."""
    name = path.name.partition(".")[0]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, f"{path} is no extension module"
    assert spec.loader is not None, f"{path} is no extension module"
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
