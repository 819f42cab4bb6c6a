"""What `make portability` counts as a fault, and what it compiles for."""

import re
import tomllib
from pathlib import Path

import pytest

from ci.portability import INTERPRETERS, TARGETS, Target, command_line, faults, missing_compilers
from ci.python_headers import BINARY_SUITES, JAVA_BUILDS, SOURCE_SUITES, STAND_INS, SYSTEMS, VERSIONS

ROOT = Path(__file__).resolve().parents[2]
OURS = ["exclusive_use.h", "spsc_ring.h"]


@pytest.mark.parametrize(
    "said",
    [
        "build/0a1b2c3d/src/rs_core/sync/exclusive_use.h:12:3: warning: unused variable 'taken' [-Wunused-variable]\n",
        "In file included from x.cpp:1:\nsrc/rs_core/queues/spsc_ring.h:9: warning: missing braces\n",
    ],
)
def test_warning_in_a_header_of_the_core_is_a_fault(said: str) -> None:
    assert faults(said, 0, OURS) == said


@pytest.mark.parametrize(
    "said",
    [
        "",
        "build/cython/0a1b2c3d/src/rs_core/stream/stage.cpp:8861:1: warning: missing initializer for member\n",
        "build/headers/3.15/include/role.h:1:1: warning: not of the core\n",
        "src/rs_core/sync/exclusive_use.h:12:3: note: declared here\n",
    ],
)
def test_warning_elsewhere_is_none(said: str) -> None:
    assert faults(said, 0, OURS) == ""


def test_failed_compilation_is_a_fault_whatever_it_said() -> None:
    assert faults("stage.cpp:1:10: fatal error: Python.h: No such file\n", 1, OURS) != ""


def test_missing_compiler_is_named() -> None:
    targets = [Target("nowhere", ("no-such-compiler-g++",), "windows"), *TARGETS[:0]]
    assert missing_compilers(targets) == ["no-such-compiler-g++"]


def test_free_threaded_interpreters_are_compiled_for_as_such() -> None:
    headers = Path("headers")
    assert "-DPy_GIL_DISABLED=1" in command_line(TARGETS[0], "3.15t", headers)
    assert "-DPy_GIL_DISABLED=1" not in command_line(TARGETS[0], "3.15", headers)
    assert "-isystemheaders/3.15/include" in [
        word.replace("\\", "/") for word in command_line(TARGETS[0], "3.15t", headers)
    ]


def test_every_supported_version_is_compiled_for_by_the_compilers_that_parse_only() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    supported = {match[1] for line in project["classifiers"] if (match := re.fullmatch(r".*:: (3\.\d+)", line))}
    assert set(INTERPRETERS) == supported | {"3.14t", "3.15t"}
    assert [target.name for target in TARGETS if target.interpreters == INTERPRETERS] == [
        "Linux x86_64, Clang",
        "Linux aarch64, GCC",
        "Windows x86_64, MinGW",
    ]


def test_each_version_has_a_configuration_of_each_system_or_a_stand_in() -> None:
    own = {(version, "windows") for version in [*SOURCE_SUITES, *JAVA_BUILDS]} | {("3.14", "macos")}
    own |= {(version, system) for version in BINARY_SUITES for system in ("linux-x86_64", "linux-aarch64")}
    assert own.isdisjoint(STAND_INS)
    assert own | set(STAND_INS) == {(version, system) for version in VERSIONS for system in SYSTEMS}
    assert {(other, system) for (_, system), other in STAND_INS.items()} <= own
