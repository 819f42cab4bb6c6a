"""The import and cimport lines of .pyx and .pxd keep the layers of the core, which the import linter cannot read."""

from pathlib import Path

import pytest

from tests.architecture.checkout import files, shown, text
from tests.architecture.cython_source import imports

# From the bottom up: a module imports only modules of lower rows, none of its own row.
# A thread boundary is a stage with a queue, so it stands with the families of stages and above the rings.
LAYERS = [
    {"atomics", "build_profile", "errors", "include", "nop_subscription", "thread_mark", "tree_walk", "version"},
    {
        "abi",
        "arguments",
        "calls",
        "debug_checks",
        "deferred_functions",
        "function_kind",
        "object_handoff",
        "role",
        "state_changed",
        "state_limits",
        "state_refusals",
        "tuple_filling",
        "turns",
        "type_slots",
    },
    {"dropped", "running_loops"},
    {
        "bounded_ring",
        "demand",
        "description",
        "overflow_policy",
        "parker",
        "signal_arguments",
        "stable_heap",
        "state_bytes",
        "state_codec",
        "task_wait",
    },
    {"mpsc_ring", "spsc_ring", "state_scalars", "task_tree", "waiting_line"},
    {"hub_queue", "hub_upstream", "overflow_queue", "state_decoder", "state_encoder", "task_queues"},
    {"serial_delivery", "stage", "state_writer", "task_lane"},
    {"caller_lane", "emitter", "failures", "lifecycle", "state_reader", "virtual_lane"},
    {"drain_task", "standstill"},
    {"loop_refusal", "signal_check"},
    {"segment"},
    {"drain"},
    {"ends", "iterator_end", "queue_stage", "subscriber_stage"},
    {"async_iterator", "blocking_iterator", "element_reader", "hooked_queue"},
    {
        "async_map_stage",
        "batch_stages",
        "element_stages",
        "emitter_source",
        "flatten_stages",
        "fold_stages",
        "limit_stages",
        "publisher_source",
        "python_stage",
        "source_stages",
        "thread_boundary",
    },
    {"async_source", "base_subscriber", "base_subscription", "processor_stage", "subject_source"},
    {"base_processor", "base_publisher", "hook_stages", "hub_delivery", "hub_register"},
    {"async_base_subscriber", "hub_sources"},
    {"base_classes", "subject_hub"},
]
LAYER_OF = {module: layer for layer, modules in enumerate(LAYERS) for module in modules}


def refused_imports(module: str, source: str) -> list[str]:
    """Return a message for each import that a module of the core, given without its package, must not have."""
    if module not in LAYER_OF:
        return [f"rs_core.{module} has no layer; give it one in LAYERS of {Path(__file__).name}"]
    messages = []
    for line, imported in imports(source):
        package, _, name = imported.partition(".")
        where = f"rs_core.{module}, line {line}: imports {imported}"
        if package == "reactivestreams":
            messages.append(f"{where}; the core imports nothing of the Python layer")
        elif imported.startswith(".") or imported == "rs_core":
            messages.append(f"{where}; name the module in full, so that its layer can be seen")
        elif package == "rs_core" and name not in LAYER_OF:
            messages.append(f"{where}, which has no layer; give it one in LAYERS of {Path(__file__).name}")
        elif package == "rs_core" and name != module and LAYER_OF[name] >= LAYER_OF[module]:
            messages.append(f"{where}, which is not below it; move what both need to a lower layer")
        elif imported == "libcpp.atomic" and module != "atomics":
            messages.append(f"{where}; take the types and the orders from rs_core.atomics, the only cimport of it")
    return messages


@pytest.mark.parametrize("path", files("src/rs_core", suffixes=(".pyx", ".pxd")), ids=shown)
def test_module_of_the_core_imports_only_what_is_below_it(path: Path) -> None:
    assert refused_imports(path.name.partition(".")[0], text(path)) == []


def test_table_names_only_modules_that_exist() -> None:
    existing = {path.name.partition(".")[0] for path in files("src/rs_core", suffixes=(".pyx", ".pxd", ".py"))}
    assert set(LAYER_OF) - existing == set()


@pytest.mark.parametrize(
    ("module", "source", "said"),
    [
        ("stage", "from reactivestreams.errors import StateError", "nothing of the Python layer"),
        ("stage", "def late():\n    import reactivestreams.spec as spec", "nothing of the Python layer"),
        ("stage", "from rs_core.drain cimport DemandOwner", "not below it"),
        ("demand", "import os, rs_core.spsc_ring", "not below it"),
        ("limit_stages", "from rs_core.element_stages cimport (\n    Map,\n)", "not below it"),
        ("spsc_ring", "from .demand cimport demand_add", "name the module in full"),
        ("spsc_ring", "from rs_core cimport demand", "name the module in full"),
        ("spsc_ring", "from libcpp.atomic cimport atomic", "the only cimport"),
        ("spsc_ring", "cimport rs_core.new_module", "which has no layer"),
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
        ("atomics", "from libcpp.atomic cimport atomic"),
        ("stage", "from rs_core.stage cimport Stage\nfrom rs_core.demand cimport as_demand  # from .x import y"),
        ("stage", '"""Example:\n\n    from reactivestreams import Stream\n"""\nfrom libc.stdint cimport int64_t'),
        ("stage", "# import reactivestreams\ntext = 'import reactivestreams'"),
    ],
)
def test_allowed_import_of_the_core_is_not_reported(module: str, source: str) -> None:
    assert refused_imports(module, source) == []
