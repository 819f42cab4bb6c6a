"""The documentation is built without a warning: no docstring or page that the site shows is malformed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.checkout import ROOT


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_documentation_is_built_without_a_warning(tmp_path: Path) -> None:
    docs = tmp_path / "docs"  # a copy: the build writes pages beside those that are there
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("_build", "__pycache__"))
    beside = "src tests bench ci examples changelog.d CHANGELOG.md CONTRIBUTING.md README.md pyproject.toml Makefile"
    for name in beside.split():
        (tmp_path / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", docs, tmp_path / "site"]
    built = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900, check=False)
    assert (built.returncode, built.stderr) == (0, "")
