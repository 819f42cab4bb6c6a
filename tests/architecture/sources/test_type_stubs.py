"""What the type checker says does not depend on what is installed: libraries with stubs have one for each module."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.checkout import ROOT, faults, files, text

STUBS = ROOT / "ci" / "stubs"


def imported_modules(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and module of each import, those that only type checkers read too."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module


def modules_without_stub(source: str) -> list[str]:
    """Return a message for each module that the source imports of a library with stubs, and that has none."""
    return [
        f"line {line} imports {module}, which has no stub in ci/stubs: see the README there"
        for line, module in imported_modules(source)
        if (STUBS / module.partition(".")[0]).is_dir()
        and not (STUBS / module.replace(".", "/")).with_suffix(".pyi").is_file()
        and not (STUBS / module.replace(".", "/") / "__init__.pyi").is_file()
    ]


def test_modules_of_libraries_with_stubs_have_one() -> None:
    sources = files("src", "tests/static_types", suffixes=(".py", ".pyi"))
    assert faults(sources, lambda path: modules_without_stub(text(path))) == {}


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import pyspark.sql.nothing as nothing", 1),
        ("def use():\n    from pyspark.sql.nothing import expr", 1),
        ("if TYPE_CHECKING:\n    from pyspark.nothing import expr", 1),
        ("from pyspark.sql import DataFrame\nimport pyspark.errors", 0),
        ("import asyncio\nfrom rs_core import nothing", 0),
    ],
)
def test_module_without_stub_is_reported(source: str, count: int) -> None:
    assert len(modules_without_stub(source)) == count
