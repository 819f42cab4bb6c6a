"""Finds the .pyx files, holds the directive table and the build profiles; all else is in pyproject.toml."""

import hashlib
import os
import re
import sys
from pathlib import Path

import Cython
from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # not there when the build is called from elsewhere

from ci.bill_of_materials import WheelWithBill  # noqa: E402
from ci.front_page import addresses, description  # noqa: E402

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

# Makes the words that the GIL guards atomic also where there is a GIL (gil_word.h), so that both forms are tested.
ATOMIC_WORDS = "-DRS_ATOMIC_WORDS"

# Has the words of who does one thing at a time note their transitions, while that is switched on (serial_word.h).
SERIAL_LOG = "-DRS_SERIAL_LOG"

# Calls of the interpreter go without the table for lazy linking: 3 % where all functions of a stream are compiled.
DIRECT_CALLS = ["-fno-plt"] if sys.platform == "linux" else []

# Directives, compiler flags and linker flags of each profile (RS_BUILD=<profile>).
PROFILES = {
    "release": ({}, ["-O3", "-g0", *DIRECT_CALLS], []),
    "debug": ({"nonecheck": True, "initializedcheck": True}, ["-O0", "-g3", "-UNDEBUG", ATOMIC_WORDS, SERIAL_LOG], []),
    "trace": (
        {"nonecheck": True, "initializedcheck": True, "linetrace": True},
        ["-O0", "-g3", "-UNDEBUG", "-DCYTHON_TRACE_NOGIL=1", "-DCYTHON_USE_SYS_MONITORING=0"],
        [],
    ),
    "asan": (
        {},
        ["-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"],
        ["-fsanitize=address,undefined"],
    ),
    "tsan": ({}, ["-O1", "-g1", "-fsanitize=thread", ATOMIC_WORDS], ["-fsanitize=thread"]),
}
# What MSVC calls the same; it has the release and the debug profile only.
MSVC_PROFILES = {"release": ["/O2"], "debug": ["/Od", "/Zi"]}

COMMON_FLAGS = ["-std=c++17", "-fvisibility=hidden", "-fno-exceptions", "-fno-rtti"]

# The core uses header-only C++; where the linker can, it is told to leave the C++ library out of what is loaded.
LINK_FLAGS = ["-Wl,--as-needed"] if sys.platform == "linux" else []


def flags(profile: str) -> tuple[dict[str, object], list[str], list[str]]:
    """Return the extra directives, compiler flags and linker flags of a build profile."""
    if profile not in PROFILES:
        raise SystemExit(f"RS_BUILD={profile!r} is no build profile; take one of {', '.join(PROFILES)}")
    directives, compile_flags, link_flags = PROFILES[profile]
    if sys.platform == "win32":
        if profile not in MSVC_PROFILES:
            raise SystemExit(
                f"RS_BUILD={profile!r} needs GCC or Clang; on Windows take one of {', '.join(MSVC_PROFILES)}"
            )
        return directives, ["/std:c++17", *MSVC_PROFILES[profile]], []
    return directives, [*COMMON_FLAGS, *compile_flags], [*LINK_FLAGS, *link_flags]


def extensions(profile: str, compile_flags: list[str], link_flags: list[str]) -> list[Extension]:
    """Return one extension for each .pyx file of the core."""
    return [
        Extension(
            ".".join(source.relative_to(SOURCES.parent).with_suffix("").parts),
            [source.as_posix()],
            language="c++",
            include_dirs=[SOURCES.as_posix()],
            define_macros=[("RS_BUILD_PROFILE", profile), ("RS_CORE_ITSELF", None)],
            depends=sorted(header.as_posix() for header in SOURCES.rglob("*.h")),
            extra_compile_args=compile_flags,
            extra_link_args=link_flags,
        )
        for source in sorted(SOURCES.rglob("*.pyx"))
    ]


def translation_folder(directives: dict[str, object]) -> str:
    """Return where .pyx files are translated with these directives; profiles that have the same share it."""
    key = repr((Cython.__version__, sorted(directives.items())))
    return f"build/cython/{hashlib.sha256(key.encode()).hexdigest()[:8]}"


def translated(profile: str) -> list[Extension]:
    """Translate every .pyx file to C++, below build/, and return the extensions to compile."""
    extra, compile_flags, link_flags = flags(profile)
    directives = {**DIRECTIVES, **extra}
    modules = cythonize(
        extensions(profile, compile_flags, link_flags),
        build_dir=translation_folder(directives),
        include_path=["src"],
        compiler_directives=directives,
        nthreads=os.cpu_count() or 1,
    )
    for module in modules:
        for source in module.sources:
            allow_missing_tracebacks(Path(source))
    return modules


def allow_missing_tracebacks(source: Path) -> None:
    """Let `return` leave `except ... as error` where no traceback could be made.

    Without memory for a traceback Cython's variable for it is NULL, and the way out drops a reference of it all the
    same.
    """
    before = source.read_text(encoding="utf-8")
    functions = re.split(r"(?<=^}\n)", before, flags=re.MULTILINE)
    for place, function in enumerate(functions):
        for traceback in set(re.findall(r"__Pyx_GetException\(&\w+, &\w+, &(__pyx_t_\d+)\)", function)):
            functions[place] = functions[place].replace(f"__Pyx_DECREF({traceback}); ", f"__Pyx_XDECREF({traceback}); ")
    after = "".join(functions)
    if after != before:
        source.write_text(after, encoding="utf-8")


def build(profile: str) -> None:
    """Translate, compile and install what the command line asks for."""
    setup(
        long_description=description((HERE / "README.md").read_text(encoding="utf-8")),
        long_description_content_type="text/markdown",
        project_urls=addresses(),
        ext_modules=translated(profile),
        cmdclass={"bdist_wheel": WheelWithBill},
        options={"build_ext": {"parallel": os.cpu_count() or 1}},
    )


Options.warning_errors = True

# Where processes are not forked, each of cythonize's workers runs this file once more under another name.
if __name__ == "__main__":
    os.chdir(HERE)
    build(os.environ.get("RS_BUILD", "release"))
