"""Finds the event loop of the calling thread, asyncio's or trio's, and the turns of each; imports neither of them."""

import sys
import threading
from typing import Any
from weakref import WeakKeyDictionary, ref

from rs_core.sync.turns import LoopTurns

__all__ = ["running_loop", "turns_of"]

_OF_LOOPS: WeakKeyDictionary[Any, LoopTurns] = WeakKeyDictionary()
_LOCK = threading.Lock()


def running_loop() -> Any:
    """Return the asyncio event loop that runs in the calling thread, or the token of the trio run, or None.

    Both may run there, e.g. trio in the cell of a notebook, or as a guest of asyncio: then the loop of the task counts.
    """
    asyncio = sys.modules.get("asyncio.events")  # a program that has not imported it runs no loop of it
    loop = None if asyncio is None else asyncio._get_running_loop()
    trio = sys.modules.get("trio")
    token = None if trio is None else _trio_token(trio, in_task=loop is not None)
    return loop if token is None else token


def _trio_token(trio: Any, *, in_task: bool) -> Any:
    """Return the token of the trio run in this thread or None; with `in_task`, only inside one of its tasks."""
    try:
        if in_task:
            trio.lowlevel.current_task()
        return trio.lowlevel.current_trio_token()
    except RuntimeError:  # trio before 0.29 has no other way
        return None


def turns_of(loop: Any) -> LoopTurns:
    """Return the turns of a loop, or of the trio run of a token; there is one object for each."""
    with _LOCK:
        turns = _OF_LOOPS.get(loop)
        if turns is None:
            known = ref(loop)  # the loop keeps its turns alive, not the other way round

            def call_soon(callback: Any) -> None:
                held: Any = known()
                (getattr(held, "run_sync_soon", None) or held.call_soon)(callback)

            turns = _OF_LOOPS[loop] = LoopTurns(call_soon, lambda: running_loop() is known())
    if running_loop() is loop:
        turns.enter()
    return turns
