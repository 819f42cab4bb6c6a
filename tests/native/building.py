"""Compiles .pyx harnesses in a process of its own: python -m tests.native.building ORDER, which is JSON.

A process of its own, since a test may run with the runtime of a sanitizer, under which Cython and the compiler get
slow. So nothing of the core is imported here.
"""

import json
import os
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.commands import output_of

ROOT = Path(__file__).resolve().parents[2]

# Harnesses are built for the same sanitizer as the core; else races in functions that were inlined here stay unseen.
SANITIZER_FLAGS = {"asan": ["-fsanitize=address,undefined"], "tsan": ["-fsanitize=thread"]}

COMPILE_SECONDS = 600
"""How long one call may take: more than the largest takes on a machine that others use too."""

# What makes this interpreter one that a sanitizer watches.
WATCHING = {"LD_PRELOAD", "PYTHONMALLOC"}


def build_harnesses(
    sources: Iterable[Path],
    folder: Path,
    *,
    core: Path,
    macros: Iterable[tuple[str, str | None]] = (),
    optimize: bool = False,
) -> list[Path]:
    """Compile each source into the folder, against the .pxd files and headers of the core; return the binaries."""
    order: dict[str, Any] = {
        "sources": [str(source) for source in sources],
        "folder": str(folder),
        "core": str(core),
        "macros": list(macros),
        "optimize": optimize,
    }
    output_of(
        [sys.executable, "-m", "tests.native.building", json.dumps(order)],
        cwd=ROOT,
        environment={name: value for name, value in os.environ.items() if name not in WATCHING},
        timeout_seconds=COMPILE_SECONDS,
    )
    return [folder / f"{Path(source).stem}{sysconfig.get_config_var('EXT_SUFFIX')}" for source in order["sources"]]


def _build(order: dict[str, Any]) -> None:
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.command.build_ext import build_ext

    folder, core, optimize = Path(order["folder"]), Path(order["core"]), order["optimize"]
    if sys.platform == "win32":
        compile_flags, link_flags = ["/std:c++17", "/O2" if optimize else "/Od"], []
    else:
        link_flags = SANITIZER_FLAGS.get(os.environ.get("RS_TEST_PROFILE", ""), [])
        # What a sanitizer reports names lines.
        compile_flags = ["-std=c++17", "-O3" if optimize else "-O1", "-g1" if link_flags else "-g0", *link_flags]
    extensions = [
        Extension(
            Path(source).stem,
            [source],
            include_dirs=[str(core)],
            define_macros=[(name, value) for name, value in order["macros"]],
            language="c++",
            extra_compile_args=compile_flags,
            extra_link_args=link_flags,
        )
        for source in order["sources"]
    ]
    translated = cythonize(
        extensions,
        build_dir=str(folder / "cython"),
        include_path=[str(core.parent)],
        compiler_directives={"language_level": 3, "freethreading_compatible": True},
        quiet=True,
    )
    command = build_ext(Distribution({"name": "harnesses", "ext_modules": translated}))
    command.build_lib = str(folder)
    command.build_temp = str(folder / "objects")
    command.parallel = 2
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    _build(json.loads(sys.argv[1]))
