"""Runs tests against the installed packages, with nothing of the checkout on the path but a copy of the tests.

Needs beside the installed wheel what the group installed-tests of pyproject.toml names. Runs the quick tests of what is
compiled and of what stands on it, or all of those files or folders of tests/ that are named; options are pytest's.

usage: python ci/installed_tests.py [PYTEST ARGUMENT...]
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# All that needs neither the sources nor what the group installed-tests does not name.
SUBSET = ("errors", "operators", "rs_core", "schedulers", "sources", "spec", "stream")

# Plugins that the checkout's settings are for are not there.
SETTINGS = """\
[pytest]
addopts = --import-mode=importlib -ra
filterwarnings = error
faulthandler_timeout = 60
pythonpath = .
xfail_strict = true
"""


def settings() -> str:
    """Return the settings, with the markers of the checkout's."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    markers = project["tool"]["pytest"]["ini_options"]["markers"]
    return "\n    ".join([f"{SETTINGS}markers =", *markers]) + "\n"


def installed(package: str) -> Path:
    """Return the folder of a package; end if it is not installed or is the checkout's."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise SystemExit(f"{package} is not installed in the environment of {sys.executable}; install the wheel first.")
    folder = Path(found.origin).resolve().parent
    if not folder.is_relative_to(Path(sys.prefix).resolve()) or folder.is_relative_to(ROOT / "src"):
        raise SystemExit(f"{package} comes from {folder}, not from the environment in {sys.prefix}; nothing is tested.")
    return folder


def main(arguments: list[str]) -> int:
    """Run the tests in a folder of their own and return pytest's status."""
    for package in ("rs_core", "reactivestreams"):
        print(f"{package} from {installed(package)}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignored)
        (folder / "pytest.ini").write_text(settings(), encoding="utf-8")
        named = any(argument.startswith("tests/") for argument in arguments)
        chosen = arguments if named else [*arguments, *(f"tests/{part}" for part in SUBSET)]
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        if not named:
            environment.setdefault("RS_TEST_PARTS", "quick")
        # -P: the folder is on the path by pytest's setting alone, so nothing there can stand in for a package.
        command = [sys.executable, "-P", "-m", "pytest", "-p", "no:cacheprovider", *chosen]
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
