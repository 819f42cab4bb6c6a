"""The crash kit names what is wrong with parts that break a rule of their protocol."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from reactivestreams.engine import (
    Checkpoint,
    CheckpointWrite,
    IdempotentEgress,
    Ingress,
    JsonLinesFolder,
    MemoryStore,
    TwoPhaseEgress,
)
from reactivestreams.testing.crash import (
    CrashReport,
    EgressCase,
    IngressCase,
    StoreCase,
    check_egress,
    check_ingress,
    check_store,
)

# --- egresses ---------------------------------------------------------------------------------------------------------


class Appending(IdempotentEgress):
    """Forgets that a batch may come again."""

    def __init__(self, rows: list[Any]) -> None:
        self.rows = rows

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        self.rows.extend(rows)


class Promising(IdempotentEgress):
    """Says that a batch is written, and writes it when the next one comes or it is closed."""

    def __init__(self, rows: dict[int, list[Any]]) -> None:
        self.rows = rows
        self.waiting: dict[int, list[Any]] = {}

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        self.close()
        self.waiting[batch_id] = list(rows)

    def close(self) -> None:
        self.rows.update(self.waiting)
        self.waiting.clear()


class InPlace(JsonLinesFolder):
    """Writes a batch under its name, so that half of one looks like a whole one."""

    def write(self, batch_id: int, rows: Sequence[Any]) -> None:
        path = self.folder / f"batch-{batch_id:012}.jsonl"
        if path.exists():
            return
        with path.open("w") as file:
            for row in rows:
                file.write(json.dumps(row) + "\n")


class TwoPhases(TwoPhaseEgress):
    """A right one, of which mutants are derived."""

    def __init__(self, world: dict[str, dict[int, list[Any]]]) -> None:
        self.prepared = world.setdefault("prepared", {})
        self.seen = world.setdefault("seen", {})

    def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> int:
        self.prepared[checkpoint_id] = list(rows)
        return checkpoint_id

    def commit(self, checkpoint_id: int, token: Any) -> None:
        if checkpoint_id in self.prepared:
            self.seen[checkpoint_id] = self.prepared.pop(checkpoint_id)

    def abort(self, last_committed: int) -> None:
        for number in [number for number in self.prepared if number > last_committed]:
            del self.prepared[number]


class AbortsAll(TwoPhases):
    """Forgets what stored checkpoints need."""

    def abort(self, last_committed: int) -> None:
        self.prepared.clear()


class AbortsNothing(TwoPhases):
    """Keeps what was prepared for a checkpoint that was not stored, and adds the rows that come again."""

    def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> int:
        self.prepared[checkpoint_id] = [*self.prepared.get(checkpoint_id, []), *rows]
        return checkpoint_id

    def abort(self, last_committed: int) -> None:
        pass


class ShowsEarly(TwoPhases):
    """Shows what is only prepared."""

    def prepare(self, checkpoint_id: int, rows: Sequence[Any]) -> int:
        self.seen[checkpoint_id] = list(rows)
        return checkpoint_id


class CommitsOnce(TwoPhases):
    """Raises where a commit comes again."""

    def commit(self, checkpoint_id: int, token: Any) -> None:
        self.seen[checkpoint_id] = self.prepared.pop(checkpoint_id)


def flat(batches: dict[int, list[Any]]) -> list[Any]:
    return [row for number in sorted(batches) for row in batches[number]]


def appending(_folder: Path) -> EgressCase:
    rows: list[Any] = []
    return EgressCase(make=lambda: Appending(rows), results=lambda: rows)


def promising(_folder: Path) -> EgressCase:
    rows: dict[int, list[Any]] = {}
    return EgressCase(make=lambda: Promising(rows), results=lambda: flat(rows), expected=range(1, 8))


def in_place(folder: Path) -> EgressCase:
    return EgressCase(
        make=lambda: InPlace(folder),
        results=lambda: [
            json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines()
        ],
    )


def two_phases(kind: type[TwoPhases]) -> Callable[[Path], EgressCase]:
    def make_case(_folder: Path) -> EgressCase:
        world: dict[str, dict[int, list[Any]]] = {}
        return EgressCase(make=lambda: kind(world), results=lambda: flat(world.get("seen", {})))

    return make_case


# --- ingresses --------------------------------------------------------------------------------------------------------


class Queue(Ingress):
    """A right one, of which mutants are derived: reads a queue that forgets what was acknowledged."""

    def __init__(self, queue: dict[int, Any]) -> None:
        self.queue = queue
        self.position = 0

    def open(self, position: int, bookmark: Any) -> None:
        self.position = position

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        last = max(self.queue, default=0)
        if self.position >= 9:
            return None
        found = [(n, self.queue[n]) for n in range(self.position + 1, last + 1) if n in self.queue][:max_elements]
        self.position += len(found)
        return found

    def acknowledge(self, position: int) -> None:
        for number in [number for number in self.queue if number <= position]:
            del self.queue[number]


class AcknowledgesEarly(Queue):
    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        found = super().read(max_elements)
        if found:
            super().acknowledge(found[-1][0])
        return found


class ForgetsToAcknowledge(Queue):
    def acknowledge(self, position: int) -> None:
        pass


class BeginsAnew(Queue):
    """Numbers what it reads from 1 in each process."""

    def open(self, position: int, bookmark: Any) -> None:
        self.position = 0

    def acknowledge(self, position: int) -> None:
        pass


class CountsTwice(Queue):
    """Leaves a number out after each read."""

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        found = super().read(max_elements)
        return found and [(position + position // 5, element) for position, element in found]


class Rereads(Queue):
    """Has another element at a position when it is read by another process."""

    processes = 0

    def __init__(self, queue: dict[int, Any]) -> None:
        super().__init__(queue)
        queue[0] = queue.get(0, 0) + 1

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        found = super().read(max_elements)
        return found and [(position, (element, self.queue[0])) for position, element in found]

    def acknowledge(self, position: int) -> None:
        pass


def queue(kind: type[Queue]) -> Callable[[Path], IngressCase]:
    def make_case(_folder: Path) -> IngressCase:
        queued: dict[int, Any] = {number: f"element {number}" for number in range(1, 10)}
        return IngressCase(
            make=lambda: kind(queued),
            elements=[(f"element {n}", 1) if kind is Rereads else f"element {n}" for n in range(1, 10)],
            acknowledged=None if kind in (BeginsAnew, Rereads) else lambda: min(queued, default=10) - 1,
        )

    return make_case


# --- stores -----------------------------------------------------------------------------------------------------------


class LosesCommits(MemoryStore):
    """Says that a checkpoint is stored, and stores it with the next one."""

    waiting: CheckpointWrite | None = None

    def commit(self, write: CheckpointWrite) -> Checkpoint:
        before, self.waiting = self.waiting, write
        if before is not None:
            super().commit(before)
        return write.stored(0)


class StoresInParts(MemoryStore):
    """Stores the states of a checkpoint in two transactions."""

    def commit(self, write: CheckpointWrite) -> Checkpoint:
        states = list(write.states.items())
        half = CheckpointWrite(write.number, write.kind, write.began, write.pause_microseconds, dict(states[:1]))
        super().commit(half)
        self._content.data = _without_last_checkpoint(self._content.data)
        return super().commit(write)


def _without_last_checkpoint(data: Any) -> Any:
    from dataclasses import replace

    return replace(data, checkpoints=data.checkpoints[:-1])


class ForgetsTokens(MemoryStore):
    def prepared_of(self, egress_id: str) -> list[tuple[int, bytes]]:
        return []


class KeepsItsFence(MemoryStore):
    def open(self) -> int:
        super().open()
        self._fence = self._content.fence = 1
        return 1


class DropsInput(MemoryStore):
    """Trims more than it is told."""

    def trim_input(self, artifact_id: str, up_to: int) -> None:
        super().trim_input(artifact_id, up_to + 1)


def store(kind: type[MemoryStore]) -> Callable[[Path], StoreCase]:
    def make_case(_folder: Path) -> StoreCase:
        made = kind()
        return StoreCase(make=made.after_crash)

    return make_case


MUTANTS: dict[str, tuple[Callable[..., CrashReport], Callable[[Path], Any], set[str]]] = {
    "egress that is not idempotent": (check_egress, appending, {"duplicate"}),
    "egress that writes later": (check_egress, promising, {"loss"}),
    "egress that writes in place": (check_egress, in_place, {"loss"}),
    "egress that aborts too much": (check_egress, two_phases(AbortsAll), {"wrong abort", "exception"}),
    "egress that does not abort": (check_egress, two_phases(AbortsNothing), {"forgotten abort"}),
    "egress that shows too early": (check_egress, two_phases(ShowsEarly), {"early result"}),
    "egress that commits once": (check_egress, two_phases(CommitsOnce), {"exception"}),
    "ingress that acknowledges early": (check_ingress, queue(AcknowledgesEarly), {"early acknowledgement"}),
    "ingress that forgets to acknowledge": (
        check_ingress,
        queue(ForgetsToAcknowledge),
        {"forgotten acknowledgement"},
    ),
    "ingress that begins anew": (check_ingress, queue(BeginsAnew), {"gap"}),
    "ingress with gaps": (check_ingress, queue(CountsTwice), {"gap"}),
    "ingress whose elements change": (check_ingress, queue(Rereads), {"changed element"}),
    "store that loses commits": (check_store, store(LosesCommits), {"lost write"}),
    "store that stores in parts": (check_store, store(StoresInParts), {"lost write"}),
    "store that forgets tokens": (check_store, store(ForgetsTokens), {"lost write"}),
    "store that keeps its fence": (check_store, store(KeepsItsFence), {"fence"}),
    "store that drops input": (check_store, store(DropsInput), {"lost write"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_found(name: str) -> None:
    check, make_case, kinds = MUTANTS[name]
    report = check(make_case, most_runs=400)
    assert kinds & {each.kind for each in report.findings}, str(report)


@pytest.mark.parametrize(
    ("check", "make_case"),
    [(check_egress, two_phases(TwoPhases)), (check_ingress, queue(Queue)), (check_store, store(MemoryStore))],
)
def test_right_one_that_mutants_are_derived_of_has_no_findings(
    check: Callable[..., CrashReport], make_case: Callable[[Path], Any]
) -> None:
    check(make_case, most_runs=100).require_none()


def test_report_has_step_expectation_rule_and_remedy() -> None:
    report = check_egress(appending, most_runs=100)
    (finding,) = report.findings
    assert finding.kind == "duplicate"
    assert finding.step.startswith(("death after egress.write (step ", "an exception after egress.write (step "))
    assert finding.expected.startswith("once: [")
    assert finding.rule == "each element and each row of a stored checkpoint counts once, whenever the process dies"
    assert finding.remedy.startswith("let a second write or commit of a number change nothing")
    assert all(each in str(report) for each in (finding.step, finding.expected, finding.seen, finding.remedy))
