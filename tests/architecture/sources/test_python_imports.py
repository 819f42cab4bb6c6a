"""Who may import what beyond the layers, which the import linter holds (test_import_contracts.py)."""

import pytest

from tests.architecture.checkout import SOURCES, faults, files, text
from tests.architecture.python_imports import imports

# Folder from src -> what its files must not import, and what to do instead.
REFUSED = {
    "": {
        "pickle": "state leaves through the state writer, with names and a version",
        "_pickle": "state leaves through the state writer, with names and a version",
        "shelve": "it pickles; state leaves through the state writer",
        "marshal": "state leaves through the state writer, with names and a version",
        "tests": "what the package needs lives in src",
    },
    "rs_core": {"reactivestreams": "the core knows nothing of the Python layer; move what both need into rs_core"},
    **dict.fromkeys(
        ("reactivestreams/operators", "reactivestreams/sources", "reactivestreams/subjects"),
        dict.fromkeys(
            ("asyncio", "concurrent", "multiprocessing", "queue", "sched", "threading", "_thread", "time"),
            "threads and clocks come from the scheduler in the context, or virtual time cannot replace them",
        ),
    ),
    "reactivestreams": {
        f"reactivestreams.{name}": "it is there for other packages; import the interface from reactivestreams.spec"
        for name in ("processor", "publisher", "subscriber", "subscription")
    },
}

# Module -> the only folder whose files may import it.
RESERVED = {"cloudpickle": "reactivestreams/spark"}


def refused_imports(path: str, source: str) -> list[str]:
    """Return a message for each import that a file in src, named from src, must not have."""
    messages = []
    for entry in imports(source):
        for folder, refused in REFUSED.items():
            if folder and not path.startswith(f"{folder}/") and path != f"{folder}.py":
                continue
            messages += [
                f"{path}:{entry.line} imports {entry.module}: {why}"
                for name, why in refused.items()
                if entry.is_of(name)
            ]
        messages += [
            f"{path}:{entry.line} imports {entry.module}, which only {folder} may"
            for name, folder in RESERVED.items()
            if entry.is_of(name) and not path.startswith(f"{folder}/")
        ]
    return messages


def test_files_import_nothing_that_is_refused() -> None:
    sources = files("src", suffixes=(".py", ".pyi"))
    assert faults(sources, lambda path: refused_imports(path.relative_to(SOURCES).as_posix(), text(path))) == {}


@pytest.mark.parametrize(
    ("path", "source", "refused"),
    [
        ("rs_core/errors.py", "import pickle", "pickle"),
        ("reactivestreams/state/codec.py", "def load():\n    from pickle import loads", "pickle.loads"),
        ("reactivestreams/state/codec.py", "import importlib\nimportlib.import_module('_pickle')", "_pickle"),
        ("reactivestreams/stream/stream.py", "import cloudpickle", "cloudpickle"),
        ("reactivestreams/operators/delay.py", "import os, time", "time"),
        ("reactivestreams/operators/delay.py", "from concurrent.futures import Future", "concurrent.futures.Future"),
        ("reactivestreams/sources/timer.py", "from threading import Timer", "threading.Timer"),
        ("reactivestreams/subjects/multi.py", "import asyncio.queues", "asyncio.queues"),
        (
            "reactivestreams/stream/stream.py",
            "from reactivestreams.publisher import Publisher",
            "reactivestreams.publisher",
        ),
        ("reactivestreams/stream/stream.py", "from reactivestreams import subscriber", "reactivestreams.subscriber"),
        ("reactivestreams/errors.py", "import tests.models", "tests.models"),
        ("reactivestreams/sources/timer.py", "if TYPE_CHECKING:\n    ...\nelse:\n    import time", "time"),
        ("rs_core/dropped.py", "if True:\n    import reactivestreams.errors", "reactivestreams.errors"),
    ],
)
def test_refused_import_is_reported(path: str, source: str, refused: str) -> None:
    messages = refused_imports(path, source)
    assert len(messages) == 1
    assert messages[0].startswith(f"{path}:{len(source.splitlines())} imports {refused}")


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("reactivestreams/spark/apply_pipeline.py", "import cloudpickle"),
        ("reactivestreams/schedulers/worker.py", "import threading, time"),
        ("reactivestreams/operators/map.py", "from rs_core.operators.element import MapStage\nimport timeit"),
        ("reactivestreams/stream/stream.py", "from reactivestreams.spec import Publisher"),
        ("rs_core/dropped.py", "text = 'import pickle'"),
        ("reactivestreams/sources/from_future.py", "if TYPE_CHECKING:\n    import asyncio"),
    ],
)
def test_allowed_import_is_not_reported(path: str, source: str) -> None:
    assert refused_imports(path, source) == []
