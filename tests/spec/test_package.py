"""`import reactivestreams`: lazy, typed, without side effects."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import reactivestreams
import rs_core.version

SOURCES = str(Path(reactivestreams.__file__).parents[1])


def run(program: str) -> list[str]:
    command = [sys.executable, "-W", "error", "-c", program]
    return subprocess.run(
        command, env={"PYTHONPATH": SOURCES}, capture_output=True, text=True, check=True
    ).stdout.split()


def test_importing_the_package_loads_only_what_loads_names() -> None:
    program = "import importlib, sys; old = set(sys.modules); import reactivestreams; print(*set(sys.modules) - old)"
    built_in = {"_interpreters", "_xxsubinterpreters"}  # by which the core knows a subinterpreter
    assert sorted({*run(program)} - built_in) == ["reactivestreams", "rs_core", "rs_core.lazy_names"]


def test_importing_the_package_starts_no_thread_and_opens_nothing_but_its_code() -> None:
    program = """
import sys, threading
seen = []
def watch(event, arguments):
    if event in ("open", "socket.__new__", "subprocess.Popen", "os.listdir", "_thread.start_new_thread"):
        seen.append((event, str(arguments[0]) if arguments else ""))
sys.addaudithook(watch)
import reactivestreams
print(threading.active_count(), *(f"{event}:{path}" for event, path in seen if "__pycache__" not in path))
"""
    threads, *opened = run(program)
    assert threads == "1"
    assert [entry for entry in opened if not entry.startswith(("open:" + SOURCES, "os.listdir:"))] == []
    assert [entry for entry in opened if entry.startswith("open:") and not entry.endswith(".py")] == []


def test_the_spec_needs_no_compiled_module() -> None:
    program = (
        "import sys; from reactivestreams.spec import *; print(*[n for n in sys.modules if n.startswith('rs_core')])"
    )
    loaded = run(program)
    assert sorted(loaded) == ["rs_core", "rs_core.errors", "rs_core.lazy_names"]


def test_a_lazy_name_is_the_object_of_its_module() -> None:
    import reactivestreams.spec

    assert reactivestreams.Publisher is reactivestreams.spec.Publisher
    assert reactivestreams.MAX_DEMAND == 2**63 - 1


@pytest.mark.parametrize("name", reactivestreams.__all__)
def test_every_public_name_can_be_loaded(name: str) -> None:
    assert getattr(reactivestreams, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'reactivestreams' has no attribute 'Streams'"):
        reactivestreams.Streams  # type: ignore[attr-defined]  # noqa: B018


def test_dir_lists_the_lazy_names() -> None:
    assert set(reactivestreams.__all__) <= set(dir(reactivestreams))


def test_the_version_is_that_of_the_core() -> None:
    assert reactivestreams.__version__ == rs_core.version.__version__


def test_the_stub_types_exactly_the_public_names_from_the_modules_that_define_them() -> None:
    stub = ast.parse(Path(reactivestreams.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    typed = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(typed) == reactivestreams.__all__
    for name, module in typed.items():
        assert getattr(reactivestreams, name) is getattr(import_module(str(module)), name)
