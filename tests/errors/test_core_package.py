"""`import rs_core`: cheap, lazy, typed, and honest about what it lacks."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import rs_core
import rs_core.errors


def test_importing_the_package_loads_no_module_of_it_but_what_loads_names() -> None:
    listing = "import rs_core, sys; print(*sorted(name for name in sys.modules if name.startswith('rs_core')))"
    environment = {"PYTHONPATH": str(Path(rs_core.__file__).parents[1])}
    loaded = subprocess.run(
        [sys.executable, "-W", "error", "-c", listing], env=environment, capture_output=True, text=True, check=True
    )
    assert loaded.stdout.split() == ["rs_core", "rs_core.lazy_names"]


def test_a_lazy_name_is_the_object_of_its_module() -> None:
    assert rs_core.ReactiveStreamsError is rs_core.errors.ReactiveStreamsError


@pytest.mark.parametrize("name", rs_core.__all__)
def test_every_public_name_can_be_loaded(name: str) -> None:
    assert getattr(rs_core, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'rs_core' has no attribute 'Demands'"):
        rs_core.Demands  # type: ignore[attr-defined]  # noqa: B018


def test_every_error_is_a_name_of_the_package() -> None:
    assert set(rs_core.errors.__all__) <= set(rs_core.__all__)


def test_dir_lists_the_lazy_names() -> None:
    assert set(rs_core.__all__) <= set(dir(rs_core))


def test_the_stub_imports_exactly_the_public_names_from_the_modules_that_define_them() -> None:
    stub = ast.parse(Path(rs_core.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    typed = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(typed) == rs_core.__all__
    for name, module in typed.items():
        assert getattr(rs_core, name) is getattr(import_module(str(module)), name)
