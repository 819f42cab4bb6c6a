"""How long the functions of stages run, found by looking at the threads for a while: nothing is counted otherwise.

A function is known by its code. A look finds of each thread the innermost call of a function that is a stage's, and so
that stage runs at that moment. What has no code of its own, as functions written in C, is not seen.
"""

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from types import AsyncGeneratorType, CodeType, FrameType, FunctionType, GeneratorType, MethodType
from typing import Any, cast

__all__ = ["INTERVAL_SECONDS", "function_seconds"]

INTERVAL_SECONDS = 0.005
"""The time from one look to the next."""

MOST_PARTS = 64
"""Into how many objects a parameter is taken apart: partial functions, bound methods, sequences of functions."""

_OWN_MODULES = ("rs_core.", "reactivestreams.")
_CALLED = ("__call__", "__iter__", "__next__", "__aiter__", "__anext__")


def function_seconds(nodes: Sequence[tuple[Any, Any]], seconds: float) -> list[float | None]:
    """Return how long the functions of each node ran, by looks at all threads for some time.

    Args:
        nodes: Each with its description, or None.
        seconds: For how long to look; that long it takes.

    Returns:
        For each node the seconds; None: it has no function with code in Python. Nodes that have the same function share
        its time equally.
    """
    places: dict[CodeType, list[int]] = {}
    for place, (node, description) in enumerate(nodes):
        for code in set(_codes_of(node, description)):
            places.setdefault(code, []).append(place)
    looks, seen = 0, [0.0] * len(nodes)
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        looks += 1
        for found in _running(places):
            for place in found:
                seen[place] += 1 / len(found)
        time.sleep(INTERVAL_SECONDS)
    took = time.monotonic() - began
    have = {place for found in places.values() for place in found}
    return [seen[place] / looks * took if place in have else None for place in range(len(nodes))]


def _running(places: dict[CodeType, list[int]]) -> Iterator[list[int]]:
    """Yield for each thread the nodes whose function it runs, if it runs one."""
    own = threading.get_ident()
    for thread, top in sys._current_frames().items():  # pyright: ignore[reportPrivateUsage]
        frame: FrameType | None = None if thread == own else top
        while frame is not None:
            found = places.get(frame.f_code)
            if found is not None:
                yield found
                break
            frame = frame.f_back


def _codes_of(node: Any, description: Any) -> Iterator[CodeType]:
    for base in type(node).__mro__:
        yield from _codes_of_class(base, vars(base))
    waiting: list[Any] = [] if description is None else list(description.parameters)
    for _ in range(MOST_PARTS):
        if not waiting:
            return
        part = waiting.pop()
        kind: type[Any] = part.__class__
        if isinstance(part, FunctionType):
            yield part.__code__
        elif isinstance(part, GeneratorType):
            yield part.gi_code
        elif isinstance(part, AsyncGeneratorType):
            yield part.ag_code
        elif isinstance(part, partial):
            waiting.append(part.func)
        elif isinstance(part, MethodType):
            waiting.append(part.__func__)
        elif isinstance(part, tuple | list):
            waiting += cast("Sequence[Any]", part)[:MOST_PARTS]
        elif isinstance(part, type):
            yield from _codes_of_class(part, vars(part))
        elif kind.__module__.startswith(_OWN_MODULES):
            waiting.append(getattr(part, "iterator", None))  # of a source that can be used once
        else:
            yield from _codes_of_class(kind, _CALLED)


def _codes_of_class(kind: type[Any], names: Iterable[str]) -> Iterator[CodeType]:
    if not kind.__module__.startswith(_OWN_MODULES):
        members = vars(kind)
        for name in list(names):
            member = members.get(name)
            if isinstance(member, FunctionType):
                yield member.__code__
