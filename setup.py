"""Finds the .pyx files, holds the directive table and the build profiles; all else is in pyproject.toml."""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = Path(__file__).resolve().parent
SOURCES = Path("src/rs_core")

DIRECTIVES = {
    "language_level": 3,
    "binding": True,
    "embedsignature": True,
    "embedsignature.format": "python",
    "freethreading_compatible": True,
    "auto_pickle": False,
    "show_performance_hints": True,
}

# Directives, compiler flags and linker flags of each profile (RS_BUILD=<profile>).
PROFILES = {
    "release": ({}, ["-O3", "-g0"], []),
    "debug": ({"nonecheck": True, "initializedcheck": True}, ["-O0", "-g3", "-UNDEBUG"], []),
    "trace": (
        {"nonecheck": True, "initializedcheck": True, "linetrace": True},
        ["-O0", "-g3", "-UNDEBUG", "-DCYTHON_TRACE_NOGIL=1", "-DCYTHON_USE_SYS_MONITORING=0"],
        [],
    ),
    "asan": ({}, ["-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"], ["-fsanitize=address,undefined"]),
    "tsan": ({}, ["-O2", "-g", "-fsanitize=thread"], ["-fsanitize=thread"]),
}
# What MSVC calls the same; it has the release and the debug profile only.
MSVC_PROFILES = {"release": ["/O2"], "debug": ["/Od", "/Zi"]}


def flags(profile: str) -> tuple[dict[str, object], list[str], list[str]]:
    """Return the extra directives, compiler flags and linker flags of a build profile."""
    if profile not in PROFILES:
        raise SystemExit(f"RS_BUILD={profile!r} is no build profile; take one of {', '.join(PROFILES)}")
    directives, compile_flags, link_flags = PROFILES[profile]
    if sys.platform == "win32":
        if profile not in MSVC_PROFILES:
            raise SystemExit(f"RS_BUILD={profile!r} needs GCC or Clang; on Windows take one of {', '.join(MSVC_PROFILES)}")
        return directives, ["/std:c++17", *MSVC_PROFILES[profile]], []
    return directives, ["-std=c++17", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti", *compile_flags], link_flags


def extensions(compile_flags: list[str], link_flags: list[str]) -> list[Extension]:
    """Return one extension for each .pyx file of the core."""
    return [
        Extension(
            f"rs_core.{source.stem}",
            [str(source)],
            language="c++",
            include_dirs=[str(SOURCES)],
            define_macros=[("RS_BUILD_PROFILE", profile)],
            depends=sorted(str(header) for header in SOURCES.glob("*.h")),
            extra_compile_args=compile_flags,
            extra_link_args=link_flags,
        )
        for source in sorted(SOURCES.glob("*.pyx"))
    ]


os.chdir(HERE)
profile = os.environ.get("RS_BUILD", "release")
extra_directives, compile_flags, link_flags = flags(profile)
setup(
    ext_modules=cythonize(
        extensions(compile_flags, link_flags),
        build_dir=f"build/{profile}/cython",
        include_path=["src"],
        compiler_directives={**DIRECTIVES, **extra_directives},
        nthreads=0,
    ),
)
