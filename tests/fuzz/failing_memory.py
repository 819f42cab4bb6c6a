"""A case in which allocations fail: nothing crashes or hangs, and the next stream runs as before."""

import importlib
from asyncio import AbstractEventLoop
from contextlib import suppress
from random import Random

from tests.fuzz.case import Case, FindingError

SPAN = 400  # allocations of a case among which the failing ones begin


def run_without_memory(seed: int, number: int, loop: AbstractEventLoop) -> None:
    """Run a case some of whose allocations fail; raise a FindingError where the next stream gives something else."""
    memory = importlib.import_module("_testcapi")  # of CPython's own tests
    random = Random(f"memory of case {number} of {seed}")
    case = Case(seed, number, loop)
    case.kitchen.operators.pop("map_batches", None)  # pyarrow ends the process where it gets no memory
    case.build()
    first = random.randrange(SPAN)
    last = first + random.choice((1, 1, 3, 30))
    stream, judge = case.stream, case.judge
    with suppress(Exception):
        memory.set_nomemory(first, last)
        try:
            handle = stream.bind(judge)
            handle.initialize()
            judge.request(3)
            judge.request(2**62)
            handle.cancel()
        finally:
            memory.remove_mem_hooks()
    try:
        case.run_another()
    except AssertionError as error:
        raise FindingError(case.described(f"allocations {first} to {last} failed, and behind that: {error}")) from error
