"""The plugin of the installed wheel under each pytest that users have: it judges, and leaves other projects alone."""

import re
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests.packaging.installing import fetched, install, new_environment
from tests.tck.pytest_plugin.verification_modules import COMPLETES, RANGE, UNTESTED, WRONG, ZERO

# The test that runs first builds the wheel for all.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

VERSIONS = {
    "7.4": ("pytest==7.4.4", "pluggy==1.0.0"),  # the oldest that a project of Python 3.11 may hold it to
    "8.0": ("pytest==8.0.2",),
    "8.3": ("pytest==8.3.5",),
    "8.4": ("pytest==8.4.2",),
    "9.0": ("pytest==9.0.2",),
}
OLDER = {"6.2": ("pytest==6.2.5",), "7.0": ("pytest==7.0.1",)}
"""Those that the kit does not run under; a project that does not use it runs all the same."""

IDLE = f"""{RANGE}
        def ignored_checks(self):
            return {{check.name: "ignored" for check in self.catalog}}
"""


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that holds the wheel, and gets its pytest by the module search path."""
    interpreter = new_environment(tmp_path_factory.mktemp("environment"))
    install(interpreter, wheel)
    return interpreter


def run_pytest(python: Path, found: Path, project: Path, *options: str) -> tuple[int, list[str]]:
    """Run pytest in a project; return its exit status and what it prints."""
    done = subprocess.run(
        [python, "-m", "pytest", "-p", "no:cacheprovider", *options],
        cwd=project,
        env={"PYTHONPATH": str(found), "PATH": str(python.parent)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, re.sub(r" in [0-9.]+s\b", "", done.stdout).splitlines()


@pytest.mark.parametrize("requirements", (VERSIONS | OLDER).values(), ids=(VERSIONS | OLDER).keys())
def test_project_that_does_not_use_the_plugin_runs_beside_it(
    requirements: tuple[str, ...], python: Path, tmp_path: Path
) -> None:
    (tmp_path / "test_other.py").write_text("def test_right(): pass\ndef test_wrong(): assert not 1\n")

    found = fetched(*requirements)
    with_plugin = run_pytest(python, found, tmp_path, "-q")
    without = run_pytest(python, found, tmp_path, "-q", "-p", "no:reactivestreams")

    assert without[1][-1].startswith("1 failed, 1 passed"), without
    assert with_plugin == without


@pytest.mark.parametrize("requirements", VERSIONS.values(), ids=VERSIONS.keys())
def test_verification_is_judged_and_told(requirements: tuple[str, ...], python: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\ntck_timeout_milliseconds = 200\n")
    for name, module in {"range": RANGE, "wrong": WRONG, "idle": IDLE}.items():
        (tmp_path / f"test_{name}.py").write_text(textwrap.dedent(module))
    found = fetched(*requirements)

    def judged(*options: str) -> tuple[int, list[str]]:
        return run_pytest(python, found, tmp_path, "-W", "error", "--strict-markers", *options)

    status, printed = judged("test_range.py", "-rA", "-k", f"{COMPLETES} or {ZERO} or {UNTESTED}")
    assert "2 passed, 1 skipped" in printed[-1], "\n".join(printed)
    assert (status, sum(line.startswith("SKIPPED [1] test_range.py:") for line in printed)) == (0, 1)

    status, printed = judged("test_wrong.py", "--tck-rule", "1.5", "--tck-parallel", "1", "--tck-seed", "7")
    assert "tck:" not in "".join(printed)
    assert f"FAILED test_wrong.py::TestSilent::{COMPLETES}" in "\n".join(printed)
    assert f"pytest 'test_wrong.py::TestSilent::{COMPLETES}' --tck-seed 7" in "\n".join(printed)
    assert status == 1

    status, printed = judged("test_idle.py")
    assert any(re.match(r"test_idle.py::TestRange: all \d+ checks were skipped", line) for line in printed), printed
    assert status == 1
