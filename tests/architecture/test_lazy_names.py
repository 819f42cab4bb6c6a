"""Packages load a name when it is first used, from one table each; a plain stream loads what it needs and no more."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rs_core.lazy_names import lazy_names
from tests.architecture.checkout import SOURCES, script

# All that `from reactivestreams import Stream` and a stream of map and filter over a range load of ours: each Spark
# worker, each process of a pool and each start of a program pays for it. A module that is added here needs a reason.
PLAIN_STREAM = {
    "reactivestreams",
    "reactivestreams.arguments",
    "reactivestreams.errors",
    "reactivestreams.lifecycle",
    "reactivestreams.lifecycle.subscribable",  # what a stream is registered with
    "reactivestreams.lifecycle.subscription",
    "reactivestreams.operators",
    "reactivestreams.operators.definition",
    "reactivestreams.operators.filtering",
    "reactivestreams.operators.filtering.filter",
    "reactivestreams.operators.folding",
    "reactivestreams.operators.folding.first",
    "reactivestreams.operators.folding.reduce",
    "reactivestreams.operators.folding.to_list",
    "reactivestreams.operators.transforming",
    "reactivestreams.operators.transforming.map",
    "reactivestreams.operators.filtering.skip",
    "reactivestreams.operators.filtering.take",
    "reactivestreams.sources",
    "reactivestreams.sources.from_iterable",
    "reactivestreams.sources.range",
    "reactivestreams.spec",
    "reactivestreams.spec.structure",
    "reactivestreams.stream",
    "reactivestreams.stream.operator_methods",
    "reactivestreams.stream.stream",
    "reactivestreams.stream.source_methods",
    "reactivestreams.stream.terminal_methods",
    "rs_core",
    "rs_core.debug_checks",
    "rs_core.demand",
    "rs_core.dropped",
    "rs_core.ends",
    "rs_core.ends.blocking",
    "rs_core.ends.loop_refusal",
    "rs_core.ends.subscriber",
    "rs_core.errors",
    "rs_core.interp",
    "rs_core.interp.arguments",
    "rs_core.interp.calls",
    "rs_core.interp.deferred_functions",
    "rs_core.interp.signal_arguments",  # what the sink of handle refuses, beside map and filter
    "rs_core.lazy_names",
    "rs_core.operators",
    "rs_core.operators.element",
    "rs_core.operators.limit",
    "rs_core.sources",
    "rs_core.sources.basic",
    "rs_core.state",
    "rs_core.state.changes",  # what every stage can tell of itself; neither reads nor writes state
    "rs_core.state.refusals",
    "rs_core.stream",
    "rs_core.stream.description",
    "rs_core.stream.lifecycle",
    "rs_core.stream.nop_subscription",
    "rs_core.stream.subscription",
    "rs_core.stream.tree_walk",
    "rs_core.sync",
    "rs_core.sync.parker",
    "rs_core.sync.running_loops",  # whether a loop runs here that a blocking end would stop; imports no loop
    "rs_core.sync.turns",
}

# Of the standard library, what each would cost more than all of the modules above.
NEVER_LOADED = {
    "asyncio",
    "concurrent",
    "dataclasses",
    "datetime",
    "decimal",
    "inspect",
    "logging",
    "multiprocessing",
    "pathlib",
    "pickle",
    "socket",
    "ssl",
    "tempfile",
    "uuid",
}

OF_OTHERS_AT_MOST = 45  # modules that an interpreter has not loaded by itself; which, depends on its version

RUN_PLAIN_STREAM = """
import json, sys
before = set(sys.modules)
from reactivestreams import Stream
imported = set(sys.modules)
assert Stream.from_iterable(range(3)).map(lambda n: n + 1).filter(lambda n: n > 1).to_list() == [2, 3]
print(json.dumps({"import": sorted(imported - before), "run": sorted(set(sys.modules) - imported)}))
"""


def printed(program: str) -> Any:
    """Return the JSON that a program prints, run by a fresh interpreter with warnings as errors."""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


STUBS = script("generate_package_stubs")
PACKAGES = STUBS.packages()


def package_name(path: Path) -> str:
    return ".".join(path.parent.relative_to(SOURCES).parts)


def is_ours(module: str) -> bool:
    return module.partition(".")[0] in {"reactivestreams", "rs_core"}


def test_plain_stream_loads_what_it_needs_and_no_more() -> None:
    loaded = printed(RUN_PLAIN_STREAM)
    assert {module for module in loaded["import"] if is_ours(module)} == PLAIN_STREAM
    assert loaded["run"] == []
    others = [module for module in loaded["import"] if not is_ours(module)]
    assert {module for module in others if module.partition(".")[0] in NEVER_LOADED} == set()
    assert len(others) <= OF_OTHERS_AT_MOST, others


@pytest.mark.parametrize("path", PACKAGES, ids=package_name)
def test_names_of_the_package_are_those_of_its_modules(path: Path) -> None:
    package, table = import_module(package_name(path)), STUBS.table(path)
    assert package.__all__ == sorted(name for names in table.values() for name in names)
    for module, names in table.items():
        for name in names:
            assert getattr(package, name) is getattr(import_module(module), name)
    assert set(package.__all__) <= set(dir(package))


@pytest.mark.parametrize("path", PACKAGES, ids=package_name)
def test_stub_of_the_package_is_as_its_table_says(path: Path) -> None:
    assert path.with_suffix(".pyi").read_text(encoding="utf-8") == STUBS.stub(path), (
        "run python ci/generate_package_stubs.py"
    )


def test_packages_are_those_with_a_table() -> None:
    assert {"reactivestreams", "reactivestreams.operators", "reactivestreams.spark", "rs_core"} <= {
        package_name(path) for path in PACKAGES
    }


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            '{"json": ("dumps",), "pickle": ("dumps",)}',
            "'dumps' stands twice in the table; keep the module that defines it",
        ),
        ('{"json": ("beside",)}', "'beside' of json is a module of this package too"),
        ('{"json": ("folder",)}', "'folder' of json is a module of this package too"),
        ("made_elsewhere()", "needs a table of literals, got 'lazy_names(__name__, made_elsewhere())'; write it out"),
    ],
)
def test_table_that_no_stub_can_be_written_from_is_refused(tmp_path: Path, entries: str, message: str) -> None:
    path = tmp_path / "__init__.py"
    path.write_text(f"__all__, __getattr__, __dir__ = lazy_names(__name__, {entries})\n")
    (tmp_path / "beside.pyx").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(STUBS.TableError) as caught:
        STUBS.stub(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.fixture
def shapes(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package with two names of one module of Python's."""
    module = ModuleType("shapes")
    monkeypatch.setitem(sys.modules, "shapes", module)
    names = lazy_names("shapes", {"fractions": ("Fraction",), "module_that_nobody_has": ("Absent",)})
    vars(module).update(zip(("__all__", "__getattr__", "__dir__"), names, strict=True))
    return module


def test_name_is_an_attribute_from_its_first_use_on(shapes: ModuleType) -> None:
    import fractions

    assert "Fraction" not in vars(shapes)
    assert "Fraction" in dir(shapes)
    assert shapes.Fraction is fractions.Fraction
    assert vars(shapes)["Fraction"] is fractions.Fraction


def test_missing_name_is_refused_as_python_does(shapes: ModuleType) -> None:
    with pytest.raises(AttributeError) as caught:
        shapes.Fractoin  # noqa: B018
    assert str(caught.value) == "module 'shapes' has no attribute 'Fractoin'"
    assert (caught.value.name, caught.value.obj) == ("Fractoin", shapes)
    with pytest.raises(ImportError, match="cannot import name 'Fractoin' from 'shapes'"):
        exec("from shapes import Fractoin")


def test_traceback_of_a_missing_name_suggests_one() -> None:
    run = subprocess.run(
        [sys.executable, "-c", "import reactivestreams; reactivestreams.Straem"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    message = "AttributeError: module 'reactivestreams' has no attribute 'Straem'. Did you mean: 'Stream'?"
    assert run.stderr.splitlines()[-1] == message


def test_failing_import_of_a_name_is_seen_as_it_is(shapes: ModuleType) -> None:
    for _ in range(2):  # it is attempted anew
        with pytest.raises(ModuleNotFoundError, match="module_that_nobody_has"):
            shapes.Absent  # noqa: B018


def test_star_import_brings_all_names() -> None:
    program = """
import json
from reactivestreams import *
import reactivestreams
print(json.dumps(sorted(set(reactivestreams.__all__) - set(globals()))))
"""
    assert printed(program) == []


def test_threads_that_first_use_names_at_once_get_the_same() -> None:
    program = """
import json, sys, threading
import reactivestreams, reactivestreams.operators, reactivestreams.schedulers, reactivestreams.state, rs_core
sys.setswitchinterval(1e-6)
barrier = threading.Barrier(8)
packages = (reactivestreams, reactivestreams.operators, reactivestreams.schedulers, reactivestreams.state, rs_core)
wanted = [(package, name) for package in packages for name in package.__all__]
seen, failures = [None] * 8, []

def use(number):
    order = wanted[number * 11 :] + wanted[: number * 11]
    barrier.wait()
    try:
        got = {(package.__name__, name): id(getattr(package, name)) for package, name in order}
    except Exception as error:
        failures.append(repr(error))
    else:
        seen[number] = sorted(got.items())

threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps({"failures": failures, "different": len({repr(names) for names in seen})}))
"""
    assert printed(program) == {"failures": [], "different": 1}


def test_classes_keep_the_modules_that_pickles_name() -> None:
    import pickle

    from reactivestreams import Pipeline, Stream, operators, pipeline

    assert [pickle.loads(pickle.dumps(kind)) for kind in (Stream, Pipeline, operators.Map)] == [
        Stream,
        Pipeline,
        operators.Map,
    ]
    assert pickle.loads(pickle.dumps(pipeline)) is pipeline
    assert Stream.__module__ == "reactivestreams.stream.stream"
