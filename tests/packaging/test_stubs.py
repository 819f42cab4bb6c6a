"""Each stub beside a compiled module says what is there at run time."""

import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"

# Names that Cython adds to every module and extension type.
ALLOWED = r""".*\.__pyx_.*
.*\.__test__
.*\.__reduce_cython__
.*\.__setstate_cython__
"""


def stub_faults(sources: Path, package: str, scratch: Path) -> str:
    """Return what the stub checker says about a package in a folder, or an empty text."""
    # A module with C functions only has no stub; test_distribution.py tells which modules need one.
    compiled = (sources / package).rglob("*.pyx")
    silent = [
        path.relative_to(sources).with_suffix("").parts for path in compiled if not path.with_suffix(".pyi").exists()
    ]
    allowed = scratch / "allowed.txt"
    allowed.write_text(ALLOWED + "".join("\\.".join(parts) + "\n" for parts in silent), encoding="utf-8")
    config = scratch / "mypy.ini"
    config.write_text(f"[mypy]\nmypy_path = {sources}\ncache_dir = {scratch / 'cache'}\n", encoding="utf-8")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy.stubtest", package, "--concise"),
            *("--allowlist", allowed, "--ignore-unused-allowlist", "--mypy-config-file", config),
        ],
        cwd=sources,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in {0, 1}, done.stdout
    return done.stdout if done.returncode else ""


@pytest.mark.slow
def test_stubs_of_the_core_match_the_runtime(tmp_path: Path) -> None:
    assert stub_faults(SOURCES, "rs_core", tmp_path) == ""


@pytest.mark.slow
def test_stub_that_differs_from_the_runtime_is_reported(tmp_path: Path) -> None:
    package = tmp_path / "subject"
    package.mkdir()
    (package / "__init__.py").write_text("def request(n):\n    return n\n")
    (package / "__init__.pyi").write_text("def request(count: int) -> int: ...\ndef cancel() -> None: ...\n")
    faults = stub_faults(tmp_path, "subject", tmp_path)
    assert "subject.request" in faults
    assert "subject.cancel" in faults
