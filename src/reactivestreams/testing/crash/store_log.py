"""Whether a store has kept what it was told: its calls, replayed on the store in memory."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reactivestreams.engine import Checkpoint, CheckpointWrite, MemoryStore
from reactivestreams.testing.crash.faults import Call
from reactivestreams.testing.crash.findings import Finding

__all__ = ["store_findings"]

READS = {"definitions", "last_checkpoint", "state_of", "prepared_of", "read_input", "read_table"}


def store_findings(log: Sequence[Call], step: str) -> list[Finding]:
    """Return what a store has answered that its calls before do not explain.

    A call during which the process died, or which raised, has written everything or nothing: from there on there are
    two stores that it may be, until an answer tells which.
    """
    candidates = [MemoryStore()]
    candidates[0].open()
    fence = 0
    for call in log:
        method = call.name.partition(".")[2]
        if call.fault in ("before", "fails"):
            continue
        if method == "open":
            if call.error is None and call.fault != "inside":
                if call.result <= fence:
                    return [Finding("fence", step, f"more than {fence}", repr(call.result))]
                fence = call.result
            continue
        is_open_question = call.error is not None
        if method in READS and is_open_question:
            continue
        before = candidates
        candidates = list[MemoryStore]()
        answers: list[Any] = []
        for candidate in before:
            after = candidate.forked()
            answer = _comparable(getattr(after, method)(*_without_writes(call.arguments)))
            answers.append(answer)
            if is_open_question:
                candidates += [candidate, after]
            elif answer == _comparable(call.result):
                candidates.append(after)
        if not candidates:
            shown = " or ".join(dict.fromkeys(map(repr, answers)))
            asked = f"{method}({', '.join(map(repr, call.arguments))})" if method in READS else method
            return [Finding("lost write", step, f"{asked} returns {shown}", f"{call.result!r} (step {call.number})")]
    return []


def _without_writes(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(replace(each, writes=[]) if isinstance(each, CheckpointWrite) else each for each in arguments)


def _comparable(answer: Any) -> Any:
    if isinstance(answer, Checkpoint):
        return replace(answer, committed=0)
    return answer
