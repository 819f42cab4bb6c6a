"""A file is named for what it holds."""

import pytest

from tests.architecture.checkout import faults, files

REFUSED_WORDS = {"helper", "helpers", "impl", "misc", "util", "utils"}
REFUSED_NAMES = {"base", "common", "shared"}

# The stubs in ci/stubs have the names of the libraries' modules.
FILES = [
    path
    for path in files("src", "tests", "bench", "examples", "ci", suffixes=(".py", ".pyi", ".pyx", ".pxd", ".h", ".sh"))
    if "stubs" not in path.parts
]


def name_faults(name: str) -> list[str]:
    """Return what is wrong with the name of a file."""
    stem = name.partition(".")[0].lower()
    if stem in REFUSED_NAMES or not REFUSED_WORDS.isdisjoint(stem.split("_")):
        return [f"{name} says nothing of what is in it; name the file for the one concept that it holds"]
    return []


def test_files_are_named_for_what_they_hold() -> None:
    assert faults(FILES, lambda path: name_faults(path.name)) == {}


@pytest.mark.parametrize(
    "name", ["utils.py", "stage_helpers.pyx", "base.pxd", "common.h", "Misc.py", "ring_impl.h", "test_utils.py"]
)
def test_name_that_says_nothing_is_reported(name: str) -> None:
    assert name_faults(name) == [
        f"{name} says nothing of what is in it; name the file for the one concept that it holds"
    ]


@pytest.mark.parametrize("name", ["base_classes.pyx", "__init__.py", "stage.pxd", "test_utility_of_demand.py"])
def test_telling_name_is_not_reported(name: str) -> None:
    assert name_faults(name) == []
