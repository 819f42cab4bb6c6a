"""The libraries that are compared; each may be missing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType

from bench.interleaved import Case
from bench.peers import by_hand
from bench.peers.memory import RunAhead
from bench.peers.tasks import ELEMENTS, Task
from bench.rows import Family, Row

OURS = "reactivestreams"
BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class Library:
    """A library, or what is done without one."""

    name: str
    module: ModuleType
    version: str

    @property
    def slowness(self) -> int:
        """By which factor it is given fewer elements, so that a run does not take an hour."""
        return int(getattr(self.module, "SLOWNESS", 1))

    @property
    def run_ahead(self) -> RunAhead:
        run: RunAhead = self.module.run_ahead
        return run

    @property
    def ahead(self) -> str:
        """How its consumer is kept apart from its source."""
        return str(self.module.AHEAD)

    def case(self, task: Task) -> Case | None:
        """Return what does a task; None: it has no operator for that.

        Raises:
            AssertionError: It gives something else than it should.
        """
        does: Callable[[int], object] | None = getattr(self.module, task.name, None)
        if does is None:
            return None
        operations = ELEMENTS // self.slowness
        came = does(operations)
        expected = task.result and task.result(operations)
        assert task.result is None or came == expected, f"{task.title} of {self.name}: {came!r}, not {expected!r}"
        return Case(f"{task.title}: {self.name}", partial(does, operations), operations)


def installed() -> list[Library]:
    """Return what is installed, ours first."""
    found = [library for name in names() if (library := load(name)) is not None]
    return sorted(found, key=lambda library: library.name != OURS)


def names() -> list[str]:
    """Return the names of all libraries."""
    return sorted(path.stem.removeprefix("with_") for path in Path(__file__).parent.glob("with_*.py"))


def load(name: str) -> Library | None:
    """Return a library; None: it is not installed, or does not work with this interpreter."""
    try:
        module = import_module(f"bench.peers.with_{name}")
        return Library(name, module, version(module.PACKAGE))
    except (ImportError, PackageNotFoundError):
        return None


def family(task: Task, libraries: list[Library]) -> Family:
    """Return a row for each library that does a task, against the built-in or hand-written way."""
    baseline = Library(BY_HAND, by_hand, "").case(task)
    cases = [(library, library.case(task)) for library in libraries]
    return [
        Row(case, baseline, task.bar if library.name == OURS else None) for library, case in cases if case is not None
    ]
