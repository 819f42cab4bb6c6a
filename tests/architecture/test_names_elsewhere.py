"""Each name of the four libraries is answered, the answers are true, and answers that cannot be are refused."""

import importlib
import pkgutil
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from reactivestreams import Stream
from tests.architecture.checkout import ROOT, script

NAMES = script("generate_names")
OPERATORS = script("generate_operators")

FOUND = [definition for definition in OPERATORS.definitions() if definition.face is OPERATORS.FLUENT]
OURS = OPERATORS.methods_of_streams(ROOT)
ALL = NAMES.names(FOUND, OURS)
ANSWERS = [
    (library.title, name, answer) for library in ALL.libraries.values() for name, answer in library.answers.items()
]
CALLS = sorted({call for _, _, answer in ANSWERS for call in answer.calls})
ABSENT = [(title, name) for title, name, answer in ANSWERS if not answer.calls]


def is_there(call: str) -> bool:
    """Tell whether a call, of which each method is one of streams, or a dotted name leads to something."""
    path = re.sub(r"\([^()]*\)", "", call)
    if path.startswith("reactivestreams."):
        try:
            pkgutil.resolve_name(path)
        except (AttributeError, ImportError):
            return False
        return True
    return all(hasattr(Stream, method) for method in path.removeprefix("Stream.").split("."))


@pytest.mark.parametrize("call", CALLS)
def test_what_is_said_to_be_here_is(call: str) -> None:
    assert is_there(call)


@pytest.mark.parametrize("call", ["Stream.from_nowhere", "map(function).mapped(function)", "reactivestreams.NoStream"])
def test_what_is_not_here_would_be_found(call: str) -> None:
    assert not is_there(call)


def test_what_is_said_not_to_be_here_is_not() -> None:
    there = {(title, name) for title, name in ABSENT if hasattr(Stream, NAMES.snake(name))}
    assert there == set(), "take it out of ci/names/answers.toml, and run python ci/generate_operators.py"


def test_each_name_is_answered_in_one_way() -> None:
    for _, name, answer in ANSWERS:
        assert bool(answer.calls) != (answer.why in ALL.texts), name


def test_each_text_is_used() -> None:
    assert {answer.why for _, _, answer in ANSWERS} - {""} == set(ALL.texts)


def test_names_of_reactivex_are_those_of_the_installed_version() -> None:
    pytest.importorskip("reactivex", reason="reactivex is not installed: ci/environment.sh dev installs it")
    reader = script("read_names")
    assert sorted(ALL.libraries["reactivex"].answers) == reader.reactivex_names(), "run python ci/read_names.py"


def test_table_for_missing_attributes_answers_every_name() -> None:
    table = importlib.import_module("reactivestreams.stream.names_elsewhere")
    for _, name, _ in ANSWERS:
        known = NAMES.snake(name)
        assert hasattr(Stream, known) or known in table.NAMES_ELSEWHERE or table.NOT_HERE[known] in table.REASONS
    assert not table.NAMES_ELSEWHERE.keys() & table.NOT_HERE.keys()


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(NAMES.FOLDER, tmp_path / "names"))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("libraries.toml", '"zipWith",', '"zipWith", "zipWithout",', "zipWithout of Reactor: nothing says what it is"),
        ("libraries.toml", '"zipWithIterable",', "", "answers.toml names zipWithIterable, which Reactor has not"),
        ("libraries.toml", '"zipWith",', "", "names zipWith, which Reactor has not"),
        ("answers.toml", "[reactor.here]\n", '[reactor.here]\nmap = "map"\n', "says of map what is known without it"),
        (
            "answers.toml",
            "[reactor.here]\n",
            '[reactor.here]\ntag = "do"\n',
            "says twice what tag of reactor is",
        ),
        (
            "answers.toml",
            "[rxjava.left_out]\n",
            '[rxjava.left_out]\nmood = ["merge"]\n',
            "mood has no text in [reasons]",
        ),
    ],
)
def test_wrong_answer_is_refused(folder: Path, file: str, old: str, new: str, message: str) -> None:
    replace(folder / file, old, new)
    with pytest.raises(NAMES.NamesError, match=re.escape(message)):
        NAMES.names(FOUND, OURS, folder)


class Written:
    """An operator with names elsewhere."""

    def __init__(self, method_name: str, *elsewhere: str) -> None:
        self.method_name = method_name
        self.call = f"{method_name}()"
        self.elsewhere = elsewhere


def test_operator_that_is_said_not_to_be_here_is_refused() -> None:
    written: Any = Written("every", "`windowWhile`", "none", "none")
    with pytest.raises(
        NAMES.NamesError, match="says of windowWhile that it is not here, and an operator that it is it"
    ):
        NAMES.names([*FOUND, written], OURS)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ({}, ("buffer(count)",)),
        ({"buffer_when": "`buffer`"}, ("buffer_when()",)),
        ({"buffer_when": "`buffer` of a publisher"}, ("buffer(count)",)),
        ({"buffer_when": "`buffer`", "buffer": "`buffer`, `bufferTimeout`"}, ("buffer(count)",)),
        ({"buffer_when": "none. A cousin has `buffer`"}, ("buffer(count)",)),
    ],
)
def test_name_is_the_operator_that_says_so_else_the_one_of_the_same_name(
    cells: dict[str, str], expected: tuple[str, ...]
) -> None:
    written: list[Any] = [Written(name, cell, "none", "none") for name, cell in cells.items()]
    calls = {"buffer": "buffer(count)"}
    found = [(one.elsewhere[0], calls.get(one.method_name, one.call)) for one in written]
    assert NAMES._found("buffer", found, calls).calls == expected
