"""Builds the distribution, and makes environments that hold it and no more than they are given."""

import contextlib
import os
import shutil
import sys
import venv
from importlib import metadata
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT, TimeoutExpired
from subprocess import run as run_process
from tempfile import TemporaryDirectory

import pytest

from tests.commands import output_of

ROOT = Path(__file__).resolve().parents[2]

COMMAND_SECONDS = 400
"""Enough to compile the core without optimising it on a machine that others use too."""

FETCHED = ROOT / "build" / "fetched"
FETCH_SECONDS = 60


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Return what a command prints; fail with all that it said."""
    # Nothing of the checkout may help what runs outside it.
    kept = {
        name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "RS_BUILD", "RS_TEST_PROFILE"}
    }
    return output_of(command, cwd=cwd, environment={**kept, **environment}, timeout_seconds=COMMAND_SECONDS)


def build(kind: str, project: Path, out: Path, **environment: str) -> Path:
    """Build an sdist or a wheel and return its path."""
    run(sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", out, project, cwd=out, **environment)
    (built,) = out.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return built


def new_environment(folder: Path) -> Path:
    """Make an empty virtual environment, without pip, and return its interpreter."""
    venv.create(folder, with_pip=False)
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def install(interpreter: Path, *requirements: str | Path, **environment: str) -> str:
    """Install into an environment what needs no package index; return what pip says."""
    pip = [sys.executable, "-m", "pip", "--python", interpreter, "--disable-pip-version-check"]
    offline = ["install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    return run(*pip, *offline, *requirements, cwd=interpreter.parent, **environment)


def ask_index(*arguments: str | Path, seconds: int = FETCH_SECONDS) -> None:
    """Let pip do what needs the package index; skip the test where the index cannot be reached, and only there."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--retries", "1", "--timeout", "10"]
    command = [*pip, arguments[0], "--quiet", "--only-binary", ":all:", *arguments[1:]]
    wanted = " ".join(map(str, arguments))
    try:
        done = run_process(command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, text=True, timeout=seconds, check=False)
    except TimeoutExpired:
        pytest.skip(f"the package index did not answer `pip {wanted}` within {seconds} s")
    unreachable = "connection broken" in done.stdout or os.environ.get("PIP_NO_INDEX")
    if done.returncode != 0 and unreachable:
        pytest.skip(f"the package index cannot be reached for `pip {wanted}`: {done.stdout.strip().splitlines()[-1:]}")
    assert done.returncode == 0, f"pip {wanted} ended with {done.returncode}:\n{done.stdout}"


def uv_installed(*arguments: str | Path, seconds: int) -> bool:
    """Let uv install wheels, and say whether it did."""
    uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--system-certs"]
    ahead = ["--compile-bytecode"] if sys.dont_write_bytecode else []
    command = [*uv, *ahead, "--only-binary", ":all:", *arguments]
    with contextlib.suppress(TimeoutExpired):
        done = run_process(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, timeout=seconds, check=False)
        return done.returncode == 0
    return False


def fetched(*requirements: str, built: str | None = None, seconds: int = FETCH_SECONDS) -> Path:
    """Return a folder that holds what is required, by exact versions, and what that needs, for a module search path.

    It stays in the checkout's `build`, so that each is fetched once. `built` is a distribution that has no wheels. uv
    takes half of pip's time; where it is missing or does not get through, pip does it, and says why it cannot.
    """
    folder = FETCHED / "-".join([str(sys.implementation.cache_tag), *requirements])
    if not folder.exists():
        FETCHED.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=FETCHED) as scratch:
            new = Path(scratch, "new")
            source = () if built is None else ("--no-binary", built)
            if not uv_installed(*source, "--target", new, *requirements, seconds=seconds):
                ask_index("install", *source, "--target", new, *requirements, seconds=seconds)
            with contextlib.suppress(OSError):  # another run was faster
                Path(scratch, "new").rename(folder)
    return folder


def lend(folder: Path, *distributions: str) -> Path:
    """Copy distributions of this environment into a folder, for another one to have on its module search path."""
    folder.mkdir(exist_ok=True)
    for name in distributions:
        files = metadata.distribution(name).files or []
        for top in {file.parts[0] for file in files if file.parts[0] not in {"..", "__pycache__"}}:
            source = Path(str(metadata.distribution(name).locate_file(top)))
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "Tests", "tests")
                shutil.copytree(source, folder / top, ignore=ignored, dirs_exist_ok=True)
            else:
                shutil.copy(source, folder)
    return folder
