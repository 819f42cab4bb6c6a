"""What goes into a wheel beside the packages, and what is refused before one is released."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from ci import installed_tests
from ci.bill_of_materials import bill_of_materials
from ci.promised_wheels import INTERPRETERS, SYSTEMS, promised
from ci.release_version import fault, version
from ci.wheel_contents import faults

ROOT = Path(__file__).resolve().parents[2]


def bill(**changed: object) -> dict[str, object]:
    """Return the bill of a wheel, some of what it is made from changed."""
    made_from = {
        "license_id": "Apache-2.0",
        "tag": "cp311-cp311-linux_x86_64",
        "profile": "release",
        "seconds_since_epoch": 1_700_000_000,
    }
    return bill_of_materials("reactive-streams-core", "0.1.0", **made_from | changed)


def schema_faults(document: dict[str, object]) -> str:
    """Return what the schema of CycloneDX says against a document, or an empty text."""
    return str(JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(document)) or "")


@pytest.mark.parametrize("seconds", [None, 0, 1_700_000_000])
def test_bill_of_materials_keeps_to_the_schema(seconds: int | None) -> None:
    assert schema_faults(bill(seconds_since_epoch=seconds)) == ""


@pytest.mark.parametrize(
    "changed",
    [{"serialNumber": "urn:uuid:1"}, {"bomFormat": "SPDX"}, {"components": [{"name": "Cython"}]}, {"materials": []}],
)
def test_document_that_breaks_the_schema_is_refused(changed: dict[str, object]) -> None:
    assert schema_faults(bill() | changed) != ""


def test_bill_names_the_wheel_and_what_is_compiled_in() -> None:
    document = bill()
    assert document["metadata"]["component"]["purl"] == "pkg:pypi/reactive-streams-core@0.1.0"
    assert [component["name"] for component in document["components"]] == ["Cython"]


def test_bill_of_the_same_wheel_is_the_same() -> None:
    assert bill() == bill()
    assert bill()["serialNumber"] != bill(tag="cp312-cp312-win_amd64")["serialNumber"]


GOOD = [
    "rs_core/py.typed",
    "rs_core/stage.cpython-311-x86_64-linux-gnu.so",
    "reactivestreams/py.typed",
    "reactive_streams_core-0.1.dist-info/sboms/reactive-streams-core.cdx.json",
    "reactive_streams_core-0.1.dist-info/licenses/LICENSE",
]


def test_complete_wheel_is_accepted() -> None:
    assert faults(GOOD) == []


@pytest.mark.parametrize(
    "name",
    ["rs_core/stream/stage.pyx", "rs_core/stage.cpp", "tests/conftest.py", "reactive_streams_core.libs/libstdc++.so.6"],
)
def test_file_that_does_not_belong_into_a_wheel_is_reported(name: str) -> None:
    assert len(faults([*GOOD, name])) == 1


@pytest.mark.parametrize("position", [0, 2, 3, 4])
def test_file_that_a_wheel_lacks_is_reported(position: int) -> None:
    assert len(faults(GOOD[:position] + GOOD[position + 1 :])) == 1


def test_tag_that_names_the_version_releases_it() -> None:
    assert fault("v0.1.0", "0.1.0") == ""
    assert fault("v0.2.0rc1", "0.2.0rc1") == ""


@pytest.mark.parametrize(("tag", "released"), [("v0.1.0", "0.1.1"), ("0.1.0", "0.1.0"), ("v0.1.0.dev0", "0.1.0.dev0")])
def test_tag_that_does_not_is_refused(tag: str, released: str) -> None:
    assert fault(tag, released) != ""


def test_version_is_read_without_importing_the_package() -> None:
    assert version('"""Doc."""\n__version__ = "1.2.3"\n') == "1.2.3"
    with pytest.raises(SystemExit, match="no __version__"):
        version("VERSION = '1.2.3'\n")


def test_workflow_builds_for_each_system_that_is_promised() -> None:
    workflow = (ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8")
    assert sorted(re.findall(r"archs: (\w+)", workflow)) == sorted(architecture for _, architecture in SYSTEMS)


def test_seven_interpreters_are_promised_for_each_system() -> None:
    assert promised(("windows", "ARM64")) == {f"{interpreter}-win_arm64" for interpreter in INTERPRETERS}
    assert len(promised(("linux", "x86_64"))) == 14


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_every_action_is_named_by_its_commit_and_version(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert [line for line in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)] == []


def test_tests_of_an_installed_wheel_refuse_the_packages_of_the_checkout() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "ci" / "installed_tests.py", "--collect-only"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "nothing is tested" in done.stdout


def needed_at_once(path: Path) -> set[str]:
    """Return the packages that a file imports when it is loaded."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.partition(".")[0])
    return found


def test_tests_of_an_installed_wheel_need_what_is_installed_beside_it_and_no_more() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    there = {re.split(r"[<>=;\[ ]", requirement)[0] for requirement in groups["installed-tests"]}
    there |= {"tests", "reactivestreams", "rs_core", *sys.stdlib_module_names}
    assert {
        f"{path.relative_to(ROOT)}: {name}"
        for part in installed_tests.SUBSET
        for path in (ROOT / "tests" / part).rglob("test_*.py")
        for name in needed_at_once(path) - there
    } == set()
