"""A memory that writes late: each actor's stores wait in a buffer of its own before the others see them.

Stores to different places may become visible in any order, unless the later one is a release, which waits for all
before it. A load sees the actor's own waiting stores first. An exchange waits until the actor's buffer is empty, as a
sequentially consistent one does. What this memory does not do is to execute loads late or early: a test shows a
weakened load by putting it elsewhere in the program.
"""

from collections.abc import Hashable, Iterable
from types import SimpleNamespace

from tests.interleavings.explorer import BLOCKED, Actor, Step


def buffers(names: Iterable[str]) -> dict[str, Hashable]:
    """Return the shared variables that hold the buffers of these actors."""
    return {f"buffer_of_{name}": () for name in names}


def store(shared: SimpleNamespace, name: str, place: str, value: Hashable, *, is_release: bool) -> None:
    waiting = getattr(shared, f"buffer_of_{name}")
    setattr(shared, f"buffer_of_{name}", (*waiting, (place, value, is_release)))


def load(shared: SimpleNamespace, name: str, place: str) -> Hashable:
    for waiting_place, value, _ in reversed(getattr(shared, f"buffer_of_{name}")):
        if waiting_place == place:
            return value
    return getattr(shared, place)


def is_drained(shared: SimpleNamespace, name: str) -> bool:
    """Whether all that the actor stored is visible: what a full fence waits for."""
    return not getattr(shared, f"buffer_of_{name}")


def writers(name: str, places: Iterable[str]) -> list[Actor]:
    """Return the daemons that make the actor's stores visible, one for each place."""
    return [Actor(f"memory of {name}", {place: _write(name, place)}, is_daemon=True) for place in places]


def _write(name: str, place: str) -> Step:
    def write(shared: SimpleNamespace, _: SimpleNamespace) -> str:
        waiting = getattr(shared, f"buffer_of_{name}")
        index = next((index for index, entry in enumerate(waiting) if entry[0] == place), None)
        if index is None:
            return BLOCKED
        _, value, is_release = waiting[index]
        if is_release and index > 0:
            return BLOCKED
        setattr(shared, place, value)
        setattr(shared, f"buffer_of_{name}", waiting[:index] + waiting[index + 1 :])
        return place

    return write
