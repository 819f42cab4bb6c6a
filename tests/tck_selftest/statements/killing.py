"""Judges mutants of statements, each in a process of its own, several at a time."""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import connection, get_all_start_methods, get_context
from typing import Any

from reactivestreams.tck.kit.load import measured_load
from tests.tck_selftest.statements.mutated_examples import JUDGES, mutants_of
from tests.tck_selftest.statements.mutator import StatementMutant
from tests.tck_selftest.statements.one_mutant import Fault, answer_killer, answer_passed

__all__ = ["Place", "killers", "places"]

PROCESSES_PER_CORE = 2
LONGEST_SECONDS = 240.0
"""How long one process may take on an idle machine; a mutant that makes it longer has stopped what judges it, and is
killed."""

_START = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
_CONTEXT: Any = get_context(_START)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A mutant of the examples, by its name."""

    module: str
    mutant: str

    def __str__(self) -> str:
        return f"{self.module}: {self.mutant}"


def places() -> list[Place]:
    """Return every mutant of a statement of the examples."""
    return [Place(module, mutant.name) for module in JUDGES for mutant in mutants_of(module)]


def killers(chosen: Iterable[Place], *, processes: int = 0) -> Iterator[tuple[Place, str]]:
    """Give each mutant with the check that sees it, or an empty text, as soon as that is known.

    Args:
        chosen: Which mutants.
        processes: How many to judge at a time; two for each core by default.

    Raises:
        RuntimeError: One could not be judged, for a fault of what judges it, or since the machine is too busy.
    """
    waiting = list(chosen)
    most = processes or PROCESSES_PER_CORE * (os.cpu_count() or 1)
    if _START == "forkserver":
        _CONTEXT.set_forkserver_preload([answer_killer.__module__])
    verifications = dict.fromkeys(name for place in waiting for name in JUDGES[place.module])
    passed: dict[str, list[str]] = {}
    for name, answer in _answers(((name, answer_passed, lambda name=name: (name,)) for name in verifications), most):
        if answer is None:
            raise RuntimeError(f"{name} unchanged took longer than it may; the machine is too busy")
        passed[name] = answer
    seen: Counter[str] = Counter()

    def task(place: Place) -> tuple[str, StatementMutant, dict[str, list[str]]]:
        # What has killed many is tried first.
        names = {
            verification: sorted(passed[verification], key=lambda check: -seen[check])
            for verification in JUDGES[place.module]
        }
        return place.module, _mutant_at(place), names

    for place, answer in _answers(((place, answer_killer, lambda place=place: task(place)) for place in waiting), most):
        killer = "the time it takes" if answer is None else answer
        seen[killer] += 1
        yield place, killer


def _mutant_at(place: Place) -> StatementMutant:
    return next(mutant for mutant in mutants_of(place.module) if mutant.name == place.mutant)


_Task = tuple[Any, Callable[..., None], Callable[[], tuple[Any, ...]]]


def _answers(tasks: Iterable[_Task], most: int) -> Iterator[tuple[Any, Any]]:
    """Give the key of each task with its answer, or None when its process took too long."""
    waiting = iter(tasks)
    running: dict[Any, tuple[Any, Any, float]] = {}
    while True:
        while len(running) < most and (task := next(waiting, None)) is not None:
            key, function, arguments = task
            receiver, sender = _CONTEXT.Pipe(duplex=False)
            process = _CONTEXT.Process(target=function, args=(sender, *arguments()), daemon=True)
            process.start()
            sender.close()
            running[receiver] = key, process, time.monotonic() + LONGEST_SECONDS * measured_load()
        if not running:
            return
        nearest = min(deadline for _, _, deadline in running.values())
        ready = connection.wait(list(running), timeout=max(0.0, nearest - time.monotonic()))
        late = [receiver for receiver, (_, _, deadline) in running.items() if deadline <= time.monotonic()]
        for receiver in dict.fromkeys([*ready, *late]):
            key, process, _ = running.pop(receiver)
            answer = _received(receiver)
            process.kill()
            process.join()
            if isinstance(answer, Fault):
                raise RuntimeError(f"{key} could not be judged: {answer.text}")
            yield key, answer


def _received(receiver: Any) -> Any:
    try:
        return receiver.recv() if receiver.poll() else None
    except EOFError:
        return Fault("its process has ended without an answer")
    finally:
        receiver.close()
