"""How the core is built: every module keeps the GIL off, and what is generated stays out of src."""

import ast
import re
from pathlib import Path

import pytest

from tests.architecture.checkout import ROOT, faults, files, text

# Of what Cython generates, nothing lies beside the sources: it goes to build/, which git ignores.
GENERATED = (".c", ".cc", ".cpp", ".html")


def directives(setup: str) -> dict[str, object]:
    """Return the directive table of setup.py, which holds for every module."""
    for node in ast.parse(setup).body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "DIRECTIVES" for target in node.targets):
            table = ast.literal_eval(node.value)
            assert isinstance(table, dict)
            return table
    raise AssertionError("setup.py has no table DIRECTIVES")


def overridden_directives(source: str, table: dict[str, object]) -> list[str]:
    """Return the directives of the table that a module sets for itself in its first comments."""
    head = re.findall(r"^#\s*cython:\s*(.*)$", source, re.MULTILINE)
    return [name for line in head for name in re.findall(r"([\w.]+)\s*=", line) if name in table]


def generated_files(paths: list[Path]) -> list[Path]:
    """Return those of the paths under src that Cython could have written there, and that nobody wrote by hand."""
    return [path for path in paths if path.suffix in GENERATED and path.with_suffix(".pyx") in paths]


def test_setup_table_declares_every_module_free_threaded() -> None:
    assert directives(text(ROOT / "setup.py"))["freethreading_compatible"] is True


def test_missing_directive_is_seen() -> None:
    table = directives("import os\nDIRECTIVES = {'language_level': 3}\n")
    assert "freethreading_compatible" not in table
    with pytest.raises(AssertionError, match="no table DIRECTIVES"):
        directives("OTHER = {}")


def test_modules_set_no_directive_of_the_table_for_themselves() -> None:
    table = directives(text(ROOT / "setup.py"))
    modules = files("src", suffixes=(".pyx", ".pxd"))
    assert faults(modules, lambda path: overridden_directives(text(path), table)) == {}


def test_overridden_directive_is_reported() -> None:
    source = "# cython: boundscheck=False, freethreading_compatible=False\ncdef int x\n"
    assert overridden_directives(source, {"freethreading_compatible": True}) == ["freethreading_compatible"]


def test_no_generated_source_lies_in_src() -> None:
    assert generated_files(files("src", suffixes=(".pyx", *GENERATED))) == []


def test_generated_source_is_reported() -> None:
    paths = [
        Path("src/rs_core/stream/stage.pyx"),
        Path("src/rs_core/stream/stage.cpp"),
        Path("src/reactivestreams/demo/page.html"),
    ]
    assert generated_files(paths) == [Path("src/rs_core/stream/stage.cpp")]
