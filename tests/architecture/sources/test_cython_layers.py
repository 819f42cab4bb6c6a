"""The import and cimport lines of .pyx and .pxd keep the layers of the core, which the import linter cannot read."""

from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.architecture.checkout import faults, files, module_name, text
from tests.architecture.cython_source import imports

# From the bottom up: a folder, or a module that stands in none, imports only what is in lower rows. Inside of a folder
# the modules import each other, but in no circle.
LAYERS = [
    {"build_profile", "debug_checks", "errors", "include", "lazy_names", "version"},
    {"abi", "interp", "sync"},
    {"dropped"},
    {"demand", "queues", "state"},
    {"scheduling", "stream"},
    {"inspection"},
    {"emitter", "ends", "operators"},
    {"sources"},
    {"authors", "multicaster"},
    {"sharing"},
]
LAYER_OF = {unit: layer for layer, units in enumerate(LAYERS) for unit in units}


def refused_imports(module: str, source: str) -> list[str]:
    """Return a message for each import that a module of the core, given without its package, must not have."""
    unit = module.partition(".")[0]
    if unit not in LAYER_OF:
        return [f"rs_core.{unit} has no layer; give it one in LAYERS of {Path(__file__).name}"]
    messages = []
    for line, imported in imports(source):
        package, _, name = imported.partition(".")
        other = name.partition(".")[0]
        where = f"rs_core.{module}, line {line}: imports {imported}"
        if package == "reactivestreams":
            messages.append(f"{where}; the core imports nothing of the Python layer")
        elif imported.startswith(".") or imported == "rs_core":
            messages.append(f"{where}; name the module in full, so that its layer can be seen")
        elif package == "rs_core" and other not in LAYER_OF:
            messages.append(f"{where}, which has no layer; give it one in LAYERS of {Path(__file__).name}")
        elif package == "rs_core" and other != unit and LAYER_OF[other] >= LAYER_OF[unit]:
            messages.append(f"{where}, which is not below it; move what both need to a lower layer")
        elif imported == "libcpp.atomic" and module != "sync.atomics":
            messages.append(f"{where}; take the types and the orders from rs_core.sync.atomics, the only cimport of it")
    return messages


def circle(edges: dict[str, set[str]]) -> list[str]:
    """Return the modules of a circle of imports, or nothing."""
    try:
        list(TopologicalSorter(edges).static_order())
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


FILES = [path for path in files("src/rs_core", suffixes=(".pyx", ".pxd", ".py")) if path.stem != "__init__"]


def test_modules_of_the_core_import_only_what_is_below_them() -> None:
    def judged(path: Path) -> list[str]:
        return refused_imports(module_name(path).removeprefix("rs_core."), text(path))

    assert faults(FILES, judged) == {}


def test_table_names_only_what_exists() -> None:
    assert set(LAYER_OF) - {module_name(path).split(".")[1] for path in FILES} == set()


def test_modules_of_the_core_import_each_other_in_no_circle() -> None:
    edges: dict[str, set[str]] = {}
    for path in FILES:
        module = module_name(path)
        edges.setdefault(module, set()).update(name for _, name in imports(text(path)) if name != module)
    assert circle(edges) == []


def test_circle_of_imports_is_found() -> None:
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("module", "source", "said"),
    [
        ("stream.queue_stage", "from reactivestreams.errors import StateError", "nothing of the Python layer"),
        ("stream.queue_stage", "def late():\n    import reactivestreams.spec as spec", "nothing of the Python layer"),
        ("stream.queue_stage", "from rs_core.operators.element cimport Map", "not below it"),
        ("demand", "import os, rs_core.queues.spsc_ring", "not below it"),
        ("operators.limit", "from rs_core.sources.basic cimport (\n    Range,\n)", "not below it"),
        ("queues.spsc_ring", "from .demand cimport demand_add", "name the module in full"),
        ("queues.spsc_ring", "from rs_core cimport demand", "name the module in full"),
        ("queues.spsc_ring", "from libcpp.atomic cimport atomic", "the only cimport"),
        ("queues.spsc_ring", "cimport rs_core.new_module", "which has no layer"),
        ("new_module", "", "has no layer"),
    ],
)
def test_refused_import_of_the_core_is_reported(module: str, source: str, said: str) -> None:
    messages = refused_imports(module, source)
    assert len(messages) == 1
    assert said in messages[0]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("sync.atomics", "from libcpp.atomic cimport atomic"),
        (
            "stream.queue_stage",
            "from rs_core.stream.subscription cimport link\nfrom rs_core.demand cimport as_demand  # from .x import y",
        ),
        (
            "stream.queue_stage",
            '"""Example:\n\n    from reactivestreams import Stream\n"""\nfrom libc.stdint cimport int64_t',
        ),
        ("stream.queue_stage", "# import reactivestreams\ntext = 'import reactivestreams'"),
    ],
)
def test_allowed_import_of_the_core_is_not_reported(module: str, source: str) -> None:
    assert refused_imports(module, source) == []
