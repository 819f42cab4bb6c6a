"""The example of an extension is built in an empty environment against the installed wheel, and works there."""

import shutil
from pathlib import Path

import pytest

from tests.documentation.guide import prompts
from tests.packaging.installing import ROOT, install, lend, new_environment, run

EXAMPLE = ROOT / "examples/native_extension"
GUIDE = ROOT / "docs/guides/native-extension.md"
# Neither the project nor anything that knows where it lies.
BUILD_TOOLS = ("setuptools", "cython")
TEST_TOOLS = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")

# The test that runs first builds the wheel for all.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("native_extension")


@pytest.fixture(scope="module")
def python(wheel: Path, folder: Path) -> Path:
    """The interpreter of an environment with the wheel and the example, which was built against it there."""
    interpreter = new_environment(folder / "environment")
    install(interpreter, wheel)
    example = folder / "example"
    shutil.copytree(EXAMPLE, example, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    tools = lend(folder / "build_tools", *BUILD_TOOLS)
    install(interpreter, example, PYTHONPATH=str(tools))
    return interpreter


def test_the_extension_was_built_against_the_installed_core(python: Path, folder: Path) -> None:
    script = (
        "import sys, native_lines.source, rs_core.abi\n"
        "for module in (native_lines.source, rs_core.abi):\n"
        "    print(module.__file__.startswith(sys.prefix))\n"
        "print([path for path in sys.path if path and not path.startswith((sys.base_prefix, sys.prefix))])\n"
    )
    assert run(python, "-W", "error", "-c", script, cwd=folder / "environment") == "True\nTrue\n[]\n"


def test_the_tests_of_the_example_pass_in_its_environment(python: Path, folder: Path) -> None:
    tools = lend(folder / "test_tools", *TEST_TOOLS)
    command = ["-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir", EXAMPLE]
    printed = run(python, *command, folder / "example/tests", cwd=folder / "environment", PYTHONPATH=str(tools))
    assert " passed" in printed
    assert "skipped" not in printed


def test_the_examples_of_the_guide_show_what_they_say(python: Path, folder: Path) -> None:
    page = folder / "guide.txt"
    page.write_text(prompts(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
    assert page.read_text(encoding="utf-8").count(">>> ") > 5
    assert run(python, "-W", "error", "-m", "doctest", "-o", "ELLIPSIS", page, cwd=folder / "environment") == ""


def test_the_extension_is_refused_where_another_interface_is_installed(python: Path, folder: Path) -> None:
    # What a later release with another number looks like to the extension, whose binary stays as it was built.
    script = (
        "import rs_core.abi, rs_core.errors\n"
        "def require(extension, built_for):\n"
        "    raise rs_core.errors.AbiMismatchError(f'{extension} was built for ABI {built_for}')\n"
        "rs_core.abi.require = require\n"
        "try:\n"
        "    import native_lines.source\n"
        "except ImportError as error:\n"
        "    print(type(error).__name__, error)\n"
    )
    printed = run(python, "-c", script, cwd=folder / "environment")
    assert printed == "AbiMismatchError native_lines.count_byte was built for ABI 1\n"
