"""The sdist builds a wheel in an empty folder; the wheel holds what it must, and works with nothing beside it."""

import configparser
import email.message
import email.parser
import email.policy
import json
import re
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest

from ci.front_page import addresses, description
from tests.packaging.installing import ROOT, install, new_environment, run

SOURCES = ROOT / "src"

# Cython sources stay out of wheels: whoever builds takes the sdist, whoever cimports needs the .pxd and headers only.
NOT_IN_WHEELS = {".pyx"}
# What tools leave in src.
LEFT_IN_SOURCES = {".pyc", ".pyd", ".so"}

# The test that runs first builds the wheel for all.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


def source_files() -> set[str]:
    """Return the files of src that somebody wrote, named from src."""
    return {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*")
        if path.is_file()
        and path.suffix not in LEFT_IN_SOURCES
        and not any(part.endswith(".egg-info") for part in path.parts)
    }


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> email.message.EmailMessage:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA")]
        message = email.parser.BytesParser(policy=email.policy.default).parsebytes(archive.read(name))
    assert isinstance(message, email.message.EmailMessage)
    return message


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment that holds the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    interpreter = new_environment(folder)
    install(interpreter, wheel)
    return interpreter


def test_sdist_carries_sources_tests_docs_and_scripts(unpacked: Path) -> None:
    carried = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    wanted = {
        "LICENSE",
        "README.md",
        "Makefile",
        "setup.py",
        "pyproject.toml",
        "ci/test.sh",
        "tests/conftest.py",
        ".ci/run",
    }
    assert ({f"src/{name}" for name in source_files()} | wanted) - carried == set()


BY_HAND = "moved_clock.c"
"""The only file of C that nothing has generated; a test compiles it."""


def test_sdist_carries_nothing_generated(unpacked: Path) -> None:
    compiled = [path.name for path in unpacked.rglob("*") if path.suffix in {".c", ".cpp", ".o", ".pyc", ".so", ".pyd"}]
    assert compiled == [BY_HAND]


def test_wheel_holds_every_source_but_those_of_cython(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    extensions = {name for name in held if name.endswith((".so", ".pyd"))}
    assert held - extensions == {name for name in source_files() if Path(name).suffix not in NOT_IN_WHEELS}
    assert {name.partition(".")[0] for name in extensions} == {
        name.removesuffix(".pyx") for name in source_files() if name.endswith(".pyx")
    }


def test_every_compiled_module_with_public_names_has_its_stub(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        stubs = {name.removesuffix(".pyi") for name in archive.namelist() if name.endswith(".pyi")}
    public = {
        path.relative_to(SOURCES).with_suffix("").as_posix()
        for path in SOURCES.rglob("*.pyx")
        if re.search(r"^__all__\b|^(?:cdef )?class [A-Za-z]|^def [a-z]", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert public - stubs == set()


def test_metadata_names_the_distribution_and_its_extras(metadata: email.message.EmailMessage) -> None:
    assert metadata["Name"] == "reactive-streams-core"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    extras = [
        "anyio", "arrow", "bench", "cli", "connect", "demo",
        "dev", "docs", "iceberg", "kafka", "opentelemetry", "postgres", "spark", "tck",
    ]  # fmt: skip
    assert sorted(metadata.get_all("Provides-Extra", [])) == extras
    (named,) = re.findall(r"extras: (.*?) \|", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(re.findall(r"`(\w+)`", named)) == extras


def test_metadata_has_the_front_page(metadata: email.message.EmailMessage) -> None:
    assert metadata["Description-Content-Type"] == "text/markdown"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert metadata.get_content().strip() == description(readme).strip()
    shown = [line.partition(", ")[::2] for line in metadata.get_all("Project-URL", [])]
    assert dict(shown) == addresses()


def test_links_of_the_front_page_are_whole_when_the_repository_is_known() -> None:
    forge = "https://forge.example.org/owner/name"
    shown = description((ROOT / "README.md").read_text(encoding="utf-8"), forge)
    links = re.findall(r"\]\(([^)]+)\)", shown)
    assert [link for link in links if not re.match(r"https?://|#", link)] == []
    assert f"({forge}/raw/main/docs/flights.png)" in shown
    files = [link.partition("/main/")[2] for link in links if link.startswith(forge)]
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert addresses(forge)["Source"] == forge
    assert (description("[a](b.md) ![c](d.png)", ""), addresses("")) == ("[a](b.md) ![c](d.png)", {})


def test_wheel_offers_the_command_and_the_plugin_of_pytest(wheel: Path) -> None:
    offered = configparser.ConfigParser()
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [entry for entry in archive.namelist() if entry.endswith(".dist-info/entry_points.txt")]
        offered.read_string(archive.read(name).decode())
    assert {section: dict(offered[section]) for section in offered.sections()} == {
        "console_scripts": {"reactivestreams": "reactivestreams.cli:main"},
        "pytest11": {"reactivestreams": "reactivestreams.pytest_plugin"},
    }


def test_runtime_needs_no_other_distribution(metadata: email.message.EmailMessage) -> None:
    assert [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line] == []


def test_wheel_carries_a_valid_bill_of_materials(wheel: Path, metadata: email.message.EmailMessage) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [entry for entry in archive.namelist() if entry.endswith(".cdx.json")]
        text = archive.read(name).decode()
    assert re.fullmatch(r"reactive_streams_core-[^/]+\.dist-info/sboms/reactive-streams-core\.cdx\.json", name)
    # Importing them takes seconds, which every run would wait for that collects this file.
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert json.loads(text)["metadata"]["component"]["version"] == str(metadata["Version"])


def test_demo_extra_contains_those_of_the_command_and_of_spark() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"{project['name']}[cli,spark]" in project["optional-dependencies"]["demo"]


def test_wheel_works_alone(python: Path, tmp_path: Path) -> None:
    script = (
        "import sys, rs_core, reactivestreams\n"
        "from reactivestreams import Stream\n"
        "doubled = Stream.range(5).map(lambda element: 2 * element).filter(lambda element: element != 4)\n"
        "print(doubled.to_list(), *(it.__file__.startswith(sys.prefix) for it in (rs_core, reactivestreams)))\n"
    )
    assert run(python, "-W", "error", "-c", script, cwd=tmp_path) == "[0, 2, 6, 8] True True\n"


def test_installed_module_and_command_print_the_version(
    python: Path, tmp_path: Path, metadata: email.message.EmailMessage
) -> None:
    command = shutil.which("reactivestreams", path=str(python.parent))
    assert command is not None
    for printed in (
        run(python, "-m", "reactivestreams", "version", cwd=tmp_path),
        run(command, "version", cwd=tmp_path),
    ):
        assert str(metadata["Version"]) in printed
