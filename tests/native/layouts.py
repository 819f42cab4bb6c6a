"""What the ABI number stands for: a digest of each .pxd and header that other extensions are compiled with.

Run as `python -m tests.native.layouts` to record the present state, after the question that the test asks was answered.
"""

import hashlib
import re
from pathlib import Path

from rs_core.abi import ABI_NUMBER
from tests.architecture.cython_source import code, imports
from tests.native.compiling import installed_core
from tests.native.test_c_interface_page import SECTIONS

RECORD = Path(__file__).with_name("recorded_layouts.txt")


def with_all_that_they_use(names: list[str], core: Path) -> list[str]:
    """Return files of a folder and, of the same folder, what those cimport and include, to any depth."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found.add(name)
        text = (core / name).read_text(encoding="utf-8")
        if name.endswith(".pxd"):
            used = {pxd_of(module.removeprefix("rs_core.")) for _, module in imports(text) if "rs_core." in module}
            used |= set(re.findall(r'^cdef extern from "([\w/]+\.h)"', text, re.MULTILINE))
        else:
            used = set(re.findall(r'^#include "([\w/]+\.h)"', text, re.MULTILINE))
        waiting += [other for other in used if (core / other).is_file()]
    return sorted(found)


def pxd_of(module: str) -> str:
    """Return the path of a module's .pxd below the package."""
    return f"{module.replace('.', '/')}.pxd"


def digest(name: str, text: str) -> str:
    """Return a digest of what a compiler sees: without comments, blank lines and the way in which words are spaced."""
    lines = code(text, header=name.endswith(".h")).splitlines()
    words = [(len(line) - len(line.lstrip()), *line.split()) for line in lines if line.strip()]
    return hashlib.sha256(repr(words).encode()).hexdigest()[:16]


def present() -> list[str]:
    """Return the lines of the record as they are now."""
    core = installed_core()
    names = with_all_that_they_use([pxd_of(module) for module in SECTIONS], core)
    return [
        f"ABI {ABI_NUMBER}",
        *(f"{name} {digest(name, (core / name).read_text(encoding='utf-8'))}" for name in names),
    ]


def differences(recorded: list[str], now: list[str]) -> list[str]:
    """Return what a test has to complain about: names of files whose layout is no longer the recorded one."""
    if recorded[0] != now[0]:
        return [f"{recorded[0]} was recorded, {now[0]} is there"]
    return sorted({line.split()[0] for line in set(recorded) ^ set(now)})


if __name__ == "__main__":
    RECORD.write_text("\n".join(present()) + "\n", encoding="utf-8")
