"""Runs an algorithm, written as explicit steps, in every interleaving of its actors.

An actor is a table of steps. A step is a function of the shared state and of the actor's own variables that does what
one atomic instruction does and returns the label of the next step; or it returns BLOCKED and has changed nothing.
States are compared by value, so loops end: every variable must be hashable and the number of states finite.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace

DONE = "done"
BLOCKED = "blocked"

MAX_STATES = 300_000

Step = Callable[[SimpleNamespace, SimpleNamespace], str]
# What is compared: the values of the shared variables, then for each actor its label and its variables.
Snapshot = tuple[Hashable, ...]


class ViolationError(AssertionError):
    """An interleaving that breaks the algorithm; the message ends with the steps that lead there."""


@dataclass(frozen=True)
class Actor:
    """One thread of the algorithm.

    Args:
        name: How traces call it.
        steps: The program: a step for each label. The first label is where it starts.
        variables: Its own variables with their initial values.
        is_daemon: Whether the run may end before it is done, as for a memory system that writes late.
    """

    name: str
    steps: Mapping[str, Step]
    variables: Mapping[str, Hashable] = field(default_factory=dict)
    is_daemon: bool = False


def _nothing(_: SimpleNamespace) -> None:
    pass


def explore(
    shared: Mapping[str, Hashable],
    actors: list[Actor],
    *,
    always: Callable[[SimpleNamespace], None] = _nothing,
    at_end: Callable[[SimpleNamespace], None] = _nothing,
) -> int:
    """Visit every state that can be reached; return how many there are.

    Args:
        shared: The shared variables with their initial values.
        actors: Who runs.
        always: Asserts what holds after every step.
        at_end: Asserts what holds when all are done and nobody can move.

    Raises:
        ViolationError: if an assertion fails, here or in a step, or if an actor that is not done can never move again.
    """
    start = _freeze(
        SimpleNamespace(**shared), [(next(iter(actor.steps)), SimpleNamespace(**actor.variables)) for actor in actors]
    )
    came_from: dict[Snapshot, tuple[Snapshot, str] | None] = {start: None}
    to_visit = [start]
    while to_visit:
        snapshot = to_visit.pop()
        moved = False
        for index, actor in enumerate(actors):
            state, locals_ = _thaw(shared, actors, snapshot)
            label, own = locals_[index]
            if label == DONE:
                continue
            try:
                following = actor.steps[label](state, own)
                if following == BLOCKED:
                    continue
                always(state)
            except AssertionError as error:
                raise ViolationError(f"{error}\n{_trace(came_from, snapshot)}{actor.name}: {label}  <- here") from error
            moved = True
            locals_[index] = (following, own)
            reached = _freeze(state, locals_)
            if reached not in came_from:
                came_from[reached] = (snapshot, f"{actor.name}: {label}")
                to_visit.append(reached)
                assert len(came_from) <= MAX_STATES, f"more than {MAX_STATES} states: make the model smaller"
        if not moved:
            _check_end(shared, actors, snapshot, at_end, came_from)
    return len(came_from)


def _check_end(
    shared: Mapping[str, Hashable],
    actors: list[Actor],
    snapshot: Snapshot,
    at_end: Callable[[SimpleNamespace], None],
    came_from: Mapping[Snapshot, tuple[Snapshot, str] | None],
) -> None:
    state, locals_ = _thaw(shared, actors, snapshot)
    waiting = [
        f"{actor.name} at {label}"
        for actor, (label, _) in zip(actors, locals_, strict=True)
        if label != DONE and not actor.is_daemon
    ]
    if waiting:
        raise ViolationError(f"deadlock: {', '.join(waiting)}\n{_trace(came_from, snapshot)}{state}")
    try:
        at_end(state)
    except AssertionError as error:
        raise ViolationError(f"{error}\n{_trace(came_from, snapshot)}{state}") from error


def _freeze(state: SimpleNamespace, locals_: list[tuple[str, SimpleNamespace]]) -> Snapshot:
    return (tuple(vars(state).values()), *((label, tuple(vars(own).values())) for label, own in locals_))


def _thaw(
    shared: Mapping[str, Hashable], actors: list[Actor], snapshot: Snapshot
) -> tuple[SimpleNamespace, list[tuple[str, SimpleNamespace]]]:
    values, *frozen = snapshot
    locals_ = [
        (label, SimpleNamespace(**dict(zip(actor.variables, own, strict=True))))
        for actor, (label, own) in zip(actors, frozen, strict=True)
    ]
    return SimpleNamespace(**dict(zip(shared, values, strict=True))), locals_


def _trace(came_from: Mapping[Snapshot, tuple[Snapshot, str] | None], snapshot: Snapshot) -> str:
    steps = []
    while (origin := came_from[snapshot]) is not None:
        snapshot, step = origin
        steps.append(f"{step}\n")
    return "".join(reversed(steps))
