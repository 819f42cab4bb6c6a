"""Finds the tests of the project by name and by the rules that they cite, without running them."""

import ast
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

__all__ = ["TESTS_ROOT", "all_tests", "cited_rules", "tests_citing", "tests_named"]

TESTS_ROOT = Path(__file__).parents[1] / "tests"

ABOUT_CITATIONS = ("tests/architecture/", "tests/documentation/")
"""Folders whose tests cite rules as examples of citations."""

# `§3.9`, `§3.5-3.7`, `§1.3, 1.4`: a sign may stand for several.
_CITATION = re.compile(r"§\s?(\d+)\.(\d+)(?:-\1\.(\d+))?((?:, \d+\.\d+)*)")


@cache
def all_tests() -> Mapping[str, str]:
    """Return the source of every test function by its name, such as `tests/spec/test_rules.py::test_a`."""
    found: dict[str, str] = {}
    for path in sorted(TESTS_ROOT.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "def test_" in source:
            name = f"{TESTS_ROOT.name}/{path.relative_to(TESTS_ROOT).as_posix()}"
            lines = source.splitlines()
            for test, start, stop in _tests_of(ast.parse(source), ""):
                found[f"{name}::{test}"] = "\n".join(lines[start - 1 : stop])
    return found


def _tests_of(node: ast.AST, prefix: str) -> Iterator[tuple[str, int, int]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _tests_of(child, f"{prefix}{child.name}::")
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name.startswith("test_"):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            yield f"{prefix}{child.name}", first, child.end_lineno or child.lineno


def tests_named(pattern: str) -> list[str]:
    """Return the tests whose name matches a pattern with `*`."""
    return [name for name in all_tests() if fnmatchcase(name, pattern)]


def cited_rules(text: str) -> set[str]:
    """Return the ids of the rules that a text cites.

    Example:
        >>> sorted(cited_rules("§1.3, 1.4 and §3.5-3.7"))
        ['1.3', '1.4', '3.5', '3.6', '3.7']
    """
    found: set[str] = set()
    for match in _CITATION.finditer(text):
        chapter, first, last, more = match.groups()
        found |= {f"{chapter}.{number}" for number in range(int(first), int(last or first) + 1)}
        found |= set(re.findall(r"\d+\.\d+", more))
    return found


@cache
def tests_citing(rule: str) -> list[str]:
    """Return the tests in whose source, comments included, a rule is cited."""
    return [
        name
        for name, source in all_tests().items()
        if not name.startswith(ABOUT_CITATIONS) and rule in cited_rules(source)
    ]
