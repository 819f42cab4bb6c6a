"""Builds each .pyx against the headers of the installed core."""

import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

import rs_core

NAMES = ("source", "count_byte", "line_starts", "shared_line_starts")

setup(
    ext_modules=cythonize(
        [
            Extension(
                f"native_lines.{name}",
                [f"native_lines/{name}.pyx"],
                language="c++",
                include_dirs=[rs_core.get_include()],
                extra_compile_args=["/std:c++17"] if sys.platform == "win32" else ["-std=c++17"],
            )
            for name in NAMES
        ],
        build_dir="build/cython",
        compiler_directives={"language_level": 3, "freethreading_compatible": True},
    )
)
