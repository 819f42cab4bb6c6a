"""Compares the wheels that cibuildwheel would build by pyproject.toml with those that are promised.

usage: python ci/promised_wheels.py
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

INTERPRETERS = ("cp311", "cp312", "cp313", "cp314", "cp314t", "cp315", "cp315t")
# What the workflow asks for, with what wheels for it are called.
SYSTEMS = {
    ("linux", "x86_64"): ("manylinux_x86_64", "musllinux_x86_64"),
    ("linux", "aarch64"): ("manylinux_aarch64", "musllinux_aarch64"),
    ("macos", "x86_64"): ("macosx_x86_64",),
    ("macos", "arm64"): ("macosx_arm64",),
    ("windows", "AMD64"): ("win_amd64",),
    ("windows", "ARM64"): ("win_arm64",),
}


def promised(system: tuple[str, str]) -> set[str]:
    """Return the names of the wheels that users of a system are promised."""
    return {f"{interpreter}-{name}" for interpreter in INTERPRETERS for name in SYSTEMS[system]}


def planned(platform: str, architecture: str) -> set[str]:
    """Return the names of the wheels that cibuildwheel would build."""
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers"]
    command += ["--platform", platform, "--archs", architecture]
    return set(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.split())


def main() -> None:
    """Print how many wheels there are for each system; end with status 1 if some are missing or not promised."""
    wrong = []
    for system in SYSTEMS:
        difference = promised(system) ^ planned(*system)
        wrong += sorted(difference)
        print(f"wheels for {' '.join(system)}: {len(promised(system))}{' WRONG' if difference else ''}")
    if wrong:
        raise SystemExit(f"promised and not built, or built and not promised: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
