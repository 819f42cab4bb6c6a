"""Write the files of a new operator, with tests that fail until they are filled in.

    python ci/scaffold_operator.py take_every --family filtering

Written are the definition with its stage in Python, `src/reactivestreams/operators/<family>/<name>.py`, and the test,
`tests/operators/<family>/test_<name>.py`. All else is written from the definition by ci/generate_operators.py.
"""

import argparse
import ast
import keyword
import re
import sys
from pathlib import Path

import generate_operators
from generate_operators import FAMILIES, PLACEHOLDER, ROOT

HAND_WRITTEN = "keyed"
"""The family whose methods are no stages of their own."""

DEFINITION = '''\
"""@name@: @placeholder@."""

from __future__ import annotations

from typing import Any

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.python_operator import PythonStage


class @class@Stage(PythonStage[Any, Any]):
    """@placeholder@

    State: @placeholder@
    """

    name = "rx://operators/@name@"

    def __init__(self, count: int) -> None:
        self.count = count

    def on_next(self, element: Any) -> None:
        """Pass on the element, or something made of it, or nothing."""
        raise NotImplementedError("emit what becomes of an element")

    def save_fields(self, writer: Any) -> None:
        """Write the state."""
        raise NotImplementedError("write what is remembered; if nothing is, remove this and the next function")

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Read the state."""
        raise NotImplementedError("read what was written")


class @class@(OperatorDefinition):
    """@placeholder@

    Args:
        count: @placeholder@

    Demand: @placeholder@
    Errors: upstream's are passed on.
    State: @placeholder@
    Threads: as upstream.
    Rules: §1.1.
    Elsewhere: none.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.range(6).@name@(2).to_list()
        [@placeholder@]
    """

    id = "rx://operators/@name@"
    method = "@name@"
    stage = @class@Stage
    stateful = True

    @staticmethod
    def parameters(count: int) -> Checked[T]:
        """Return the checked parameters."""
        return Checked((checked_count(count, operator="@name@", name="count", at_least=1),))
'''

TEST = '''\
"""@name@: @placeholder@."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.state_contract import SerializableContract, StateContract


class Test@class@(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().@name@(3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        raise NotImplementedError("return what goes out for these elements")


def test_count_below_one_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"@name@\\(count\\) needs a count from 1 to "):
        Stream.just(1).@name@(0)
'''


class ScaffoldError(ValueError):
    """A name or family that no operator can have."""


def files(name: str, family: str, root: Path = ROOT) -> dict[Path, str]:
    """Return what is written for an operator, by its file.

    Raises:
        ScaffoldError: The name is none, or is taken; or there is no such family.
    """
    if family == HAND_WRITTEN:
        raise ScaffoldError(
            f"the family {family!r} has no stages of its own; copy src/reactivestreams/operators/keyed/take.py, whose "
            "definition names the operators of each key"
        )
    if family not in FAMILIES:
        known = ", ".join(known for known in FAMILIES if known != HAND_WRITTEN)
        raise ScaffoldError(f"the family {family!r} is not known; take one of {known}, or add it to FAMILIES")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise ScaffoldError(
            f"the name {name!r} cannot be that of a method; take words in lower case with underscores, such as "
            "take_every"
        )
    taken = _taken(root)
    if name in taken:
        raise ScaffoldError(f"the name {name!r} is that of a method in {taken[name]}; take another")
    class_name = "".join(word.capitalize() for word in name.split("_"))
    for definition in generate_operators.definitions(root):
        if definition.name == class_name:
            raise ScaffoldError(
                f"the name {name!r} makes the class {class_name!r}, which is there: {definition.where}; take another"
            )
    written = {
        root / "src" / "reactivestreams" / "operators" / family / f"{name}.py": DEFINITION,
        root / "tests" / "operators" / family / f"test_{name}.py": TEST,
    }
    for path in written:
        if path.exists():
            raise ScaffoldError(f"{path} exists; move it away, or take another name")
    marks = {"@name@": name, "@class@": class_name, "@placeholder@": PLACEHOLDER}
    return {path: re.sub("@[a-z]+@", lambda mark: marks.get(mark[0], mark[0]), text) for path, text in written.items()}


def _taken(root: Path) -> dict[str, Path]:
    """Return the names of all methods and attributes of streams and pipelines, with the file that has them."""
    sources = [*sorted((root / "src/reactivestreams/stream").glob("*.py")), root / "src/rs_core/stream/description.pyi"]
    return {
        node.name: path
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def main(arguments: list[str], root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", help="the name of the method, such as take_every")
    parser.add_argument("--family", required=True, help=f"one of {', '.join(FAMILIES)}")
    given = parser.parse_args(arguments)
    try:
        written = files(given.name, given.family, root)
    except (ScaffoldError, generate_operators.DefinitionError) as error:
        print(error, file=sys.stderr)
        return 2
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(root))
    print(f"now fill in what is {PLACEHOLDER}, run python ci/generate_operators.py, and then the test")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
