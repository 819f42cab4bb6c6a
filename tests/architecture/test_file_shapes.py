"""A file is short and named for what it holds."""

from pathlib import Path

import pytest

from tests.architecture.checkout import files, shown, text

MOST_LINES = 400
REFUSED_WORDS = {"helper", "helpers", "impl", "misc", "util", "utils"}
REFUSED_NAMES = {"base", "common", "shared"}

# The stubs in ci/stubs have the names of the libraries' modules.
FILES = [
    path
    for path in files("src", "tests", "bench", "examples", "ci", suffixes=(".py", ".pyi", ".pyx", ".pxd", ".h", ".sh"))
    if "stubs" not in path.parts
]


def shape_faults(name: str, source: str) -> list[str]:
    """Return what is wrong with the name and the length of a file."""
    faults = []
    stem = name.partition(".")[0].lower()
    if stem in REFUSED_NAMES or not REFUSED_WORDS.isdisjoint(stem.split("_")):
        faults.append(f"{name} says nothing of what is in it; name the file for the one concept that it holds")
    length = len(source.splitlines())
    if length > MOST_LINES:
        faults.append(f"{name} has {length} lines, {MOST_LINES} are the most; it holds more than one concept: split it")
    return faults


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_file_is_short_and_named_for_what_it_holds(path: Path) -> None:
    assert shape_faults(path.name, text(path)) == []


@pytest.mark.parametrize(
    "name", ["utils.py", "stage_helpers.pyx", "base.pxd", "common.h", "Misc.py", "ring_impl.h", "test_utils.py"]
)
def test_name_that_says_nothing_is_reported(name: str) -> None:
    assert shape_faults(name, "") == [
        f"{name} says nothing of what is in it; name the file for the one concept that it holds"
    ]


@pytest.mark.parametrize("name", ["base_classes.pyx", "__init__.py", "stage.pxd", "test_utility_of_demand.py"])
def test_telling_name_is_not_reported(name: str) -> None:
    assert shape_faults(name, "") == []


def test_length_is_reported_from_one_line_too_many() -> None:
    assert shape_faults("ring.py", "x = 1\n" * MOST_LINES) == []
    assert shape_faults("ring.py", "x = 1\n" * (MOST_LINES + 1)) == [
        "ring.py has 401 lines, 400 are the most; it holds more than one concept: split it"
    ]
