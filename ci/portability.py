"""Compiles every generated source for systems, interpreters and compilers that this machine does not have.

A warning in a header of src/rs_core fails as an error does; what Cython generates may be warned of. Each header is
compiled alone too, strictly: it has to include what it needs and may use no extension of the language. What has passed
is not compiled again until a source, a header or a compiler changes.

usage: PYTHONPATH=. python ci/portability.py
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ci.python_headers import VERSIONS, fetched

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "rs_core"
SCRATCH = ROOT / "build" / "portability"

# As setup.py has it, without optimization: it is what the compiler understands that counts here.
FLAGS = (
    "-std=c++17",
    "-fno-exceptions",
    "-fno-rtti",
    "-Wall",
    "-Wextra",
    "-DRS_BUILD_PROFILE=release",
    "-DRS_CORE_ITSELF",
)
ZIG = (sys.executable, "-m", "ziglang", "c++")

INTERPRETERS = (*VERSIONS, "3.14t", "3.15t")

# The first version whose configuration for Windows knows MinGW.
KNOWS_MINGW = "3.13"


@dataclass(frozen=True)
class Target:
    """A system, and the compiler that is asked about it.

    Zig moves the object file that Clang made, so there has to be one; others need not go beyond the syntax.
    """

    name: str
    compiler: tuple[str, ...]
    system: str
    interpreters: tuple[str, ...] = INTERPRETERS
    makes_object: bool = False

    @cached_property
    def version(self) -> str:
        """What the compiler says of itself."""
        command = [*self.compiler, "--version"]
        said = subprocess.run(command, cwd=SCRATCH, stdout=subprocess.PIPE, text=True, check=True).stdout
        return said.splitlines()[0]


TARGETS = (
    Target("Linux x86_64, Clang", ("clang++",), "linux-x86_64"),
    Target("Linux aarch64, GCC", ("aarch64-linux-gnu-g++",), "linux-aarch64"),
    Target("Windows x86_64, MinGW", ("x86_64-w64-mingw32-g++",), "windows"),
    Target("Windows arm64, Zig", (*ZIG, "-target", "aarch64-windows-gnu"), "windows", ("3.15",), True),
    Target("macOS arm64, Zig", (*ZIG, "-target", "aarch64-macos"), "macos", ("3.11", "3.15t"), True),
    Target("musl aarch64, Zig", (*ZIG, "-target", "aarch64-linux-musl"), "linux-aarch64", ("3.15t",), True),
)


def command_line(target: Target, interpreter: str, headers: Path) -> list[str]:
    """Return the command line that compiles for an interpreter, up to the name of the source."""
    version = interpreter.rstrip("t")
    defines = ["-DPy_GIL_DISABLED=1"] if interpreter.endswith("t") else []
    if target.system == "windows" and VERSIONS.index(version) < VERSIONS.index(KNOWS_MINGW):
        defines.append("-DMS_WIN64")
    include = headers / version
    # As the system's, whose warnings compilers keep to themselves.
    places = [f"-isystem{include / target.system}", f"-isystem{include / 'include'}"]
    return [*target.compiler, *FLAGS, *defines, *places, f"-I{SOURCES}"]


def output(target: Target, source: Path) -> list[str]:
    """Return the options that say what to make of a source."""
    return ["-c", "-O0", "-o", str(SCRATCH / f"{source.name}.o")] if target.makes_object else ["-fsyntax-only"]


_DIAGNOSTIC = re.compile(r"^(?P<path>.+?):\d+:(?:\d+:)? (?:fatal )?(?P<kind>error|warning):", re.MULTILINE)


def faults(output: str, status: int, ours: Iterable[str]) -> str:
    """Return what a compiler said if it failed or warned of a header of ours, which are named; else an empty text."""
    names = set(ours)
    warned = [
        match[0]
        for match in _DIAGNOSTIC.finditer(output)
        if match["kind"] == "warning" and Path(match["path"]).name in names and "rs_core" in Path(match["path"]).parts
    ]
    return output if status or warned else ""


def compiled(command: list[str], ours: Iterable[str]) -> str:
    """Run a compiler and return what is wrong, or an empty text."""
    done = subprocess.run(
        command,
        cwd=SCRATCH,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return faults(done.stdout, done.returncode, ours)


def missing_compilers(targets: Iterable[Target]) -> list[str]:
    """Return the compilers that are not installed."""
    return [target.compiler[0] for target in targets if shutil.which(target.compiler[0]) is None]


def check(target: Target, interpreter: str, headers: Path, sources: list[Path], pool: ThreadPoolExecutor) -> list[str]:
    """Return what is wrong with the sources, and with each header alone, for an interpreter on a system."""
    ours = sorted(SOURCES.rglob("*.h"))
    names = [header.name for header in ours]
    command = command_line(target, interpreter, headers)
    stamp = SCRATCH / f"{target.name}, {interpreter}.passed"
    digest = hashlib.sha256(repr([command, target.version]).encode())
    for path in [*sources, *ours]:
        digest.update(path.read_bytes())
    if stamp.exists() and stamp.read_text(encoding="ascii") == digest.hexdigest():
        return []
    lines = [[*command, *output(target, source), str(source)] for source in sources]
    lines += [
        [*command, "-pedantic-errors", "-Werror", *output(target, header), "-xc++", "-include", str(header), os.devnull]
        for header in ours
    ]
    found = [fault for fault in pool.map(lambda line: compiled(line, names), lines) if fault]
    if not found:
        stamp.write_text(digest.hexdigest(), encoding="ascii")
    return found


def main() -> None:
    """Compile everything for every target and print a table; end with status 1 if anything is wrong."""
    from setup import translated

    if missing := missing_compilers(TARGETS):
        raise SystemExit(f"not installed: {', '.join(missing)}; ci/portability.sh says how to get them")
    headers = fetched()
    sources = [ROOT / extension.sources[0] for extension in translated("release")]
    SCRATCH.mkdir(parents=True, exist_ok=True)
    print(f"{len(sources)} generated sources and {len(list(SOURCES.rglob('*.h')))} headers, each alone, compiled for")
    wrong: list[str] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for target in TARGETS:
            cells = []
            started = time.monotonic()
            for interpreter in target.interpreters:
                found = check(target, interpreter, headers, sources, pool)
                cells.append(f"{interpreter}: {len(found)} FAILED" if found else interpreter)
                wrong += [f"== {target.name}, CPython {interpreter}\n{fault}" for fault in found]
            print(
                f"  {target.name:22} {'  '.join(cells)}   ({time.monotonic() - started:.0f} s; {target.version})",
                flush=True,
            )
    if wrong:
        print("\n".join(wrong))
        raise SystemExit(f"{len(wrong)} compilations are not as they should be")
    print("no error, and no warning in a header of the core")


if __name__ == "__main__":
    main()
