"""A stream that makes much and delivers little leaves the loop its turn, whatever its source, operators and end are.

What is bounded is counted: what sources have made between two callbacks of the loop. What the thread works in that time
is compared with work of a known size that is done beside it, so that a slow machine changes nothing.
"""

import asyncio
import contextvars
import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import WrongEventLoopError
from reactivestreams.schedulers import AnyioLoop, EventLoopScheduler, LogicalScheduler
from reactivestreams.subjects import BroadcastSubject
from rs_core.sync.running_loops import turns_of
from rs_core.sync.turns import TURN_ELEMENTS
from tests.conftest import Depth
from tests.contracts.loop_thread import WAIT_SECONDS, LoopThread
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.stream.turn_catalog import (
    ENDS,
    MANY,
    OPERATORS,
    SOURCES,
    End,
    Made,
    Operator,
    catalog_of,
    named_in_the_library,
)

TURNS = 12
"""How many callbacks of the loop are watched."""

MOST_ELEMENTS = 2 * TURN_ELEMENTS
"""What may be made between two of them: by the streams in their turn, and by a task that is stepped besides."""

MOST_WORK = 100
"""How much longer than the known work the thread may be busy between two of them."""

CHECKOUT = Path(__file__).resolve().parents[2]


def none(_element: object) -> bool:
    return False


def known_work() -> None:
    for _ in range(10_000):
        none(None)


class Watch:
    """Notes, each time the loop calls it, what was made and how long the thread has worked, also for the known work."""

    def __init__(self, made: Made) -> None:
        self.made = made
        self.notes: list[tuple[int, float, float]] = []

    def note(self) -> None:
        begun = time.thread_time()
        known_work()
        self.notes.append((self.made.count, begun, time.thread_time()))

    def check(self) -> None:
        gaps = list(pairwise(self.notes))
        assert max(after[0] - before[0] for before, after in gaps) <= MOST_ELEMENTS
        # A busy machine lengthens some of both: its caches are shared.
        work = median(after[1] - before[2] for before, after in gaps)
        known = median(ended - begun for _, begun, ended in self.notes)
        assert work <= MOST_WORK * known


async def beside(made: Made, run: Callable[[], Any]) -> Watch:
    """Run something until the loop has called a number of other callbacks, then cancel it."""
    watch = Watch(made)
    loop = asyncio.get_running_loop()
    enough = asyncio.Event()

    def note() -> None:
        watch.note()
        if len(watch.notes) < TURNS:
            loop.call_soon(note)
        else:
            enough.set()

    task = asyncio.ensure_future(run())
    loop.call_soon(note)
    await enough.wait()
    task.cancel()
    steps = 0
    while not task.done():  # some of them: the task has a cancellation, and perhaps a generator, to pass on
        steps += 1
        assert steps < TURNS
        await asyncio.sleep(0)
    return watch


async def run_beside(source: Callable[[Made], Stream[Any]], operator: Operator, end: End) -> None:
    made = Made()
    with EventLoopScheduler() as scheduler:
        stream = operator(source(made), scheduler).filter(none)
        watch = await beside(made, partial(end, stream))
        watch.check()


def test_every_source_operator_and_end_stands_in_the_catalog() -> None:
    named = named_in_the_library()
    assert set(SOURCES) == named["sources"]
    assert set(OPERATORS) == named["operators"]
    assert set(ENDS) == named["ends"]
    keyed = {f"{name} of each key" for name in named["keyed"] - {"expire_after", "through"}}
    assert keyed == {name for each in OPERATORS.values() for name in each if name.endswith(" of each key")}
    assert {"keyed through", "keyed count that expires"} == set(OPERATORS["Keyed"])


RANGE = SOURCES["Range"]["range"]
PASSING: Operator = lambda stream, _: stream  # noqa: E731 - stands in for one of a table of lambdas
RUN = ENDS["run_async"]["run_async"]


@pytest.mark.parametrize("source", catalog_of(SOURCES))
def test_loop_gets_its_turn_beside_every_source(source: str) -> None:
    asyncio.run(run_beside(catalog_of(SOURCES)[source], PASSING, RUN))


@pytest.mark.parametrize("operator", catalog_of(OPERATORS))
def test_loop_gets_its_turn_beside_every_operator(operator: str) -> None:
    asyncio.run(run_beside(RANGE, catalog_of(OPERATORS)[operator], RUN))


@pytest.mark.parametrize("end", catalog_of(ENDS))
@pytest.mark.parametrize("operator", ["filter", "flat_map of much", "map_async", "map_in_executor", "keyed through"])
def test_loop_gets_its_turn_beside_every_end(operator: str, end: str) -> None:
    asyncio.run(run_beside(RANGE, catalog_of(OPERATORS)[operator], catalog_of(ENDS)[end]))


def some_of(things: dict[str, Any], row: int, depth: Depth) -> dict[str, Any]:
    """All; at the gate each fourth, others in each row, so that four rows have all of them."""
    step = 4 if depth.name == "gate" else 1
    return dict(list(things.items())[row % step :: step])


@pytest.mark.slow
@pytest.mark.parametrize("operator", catalog_of(OPERATORS))
def test_loop_gets_its_turn_beside_every_operator_before_every_end(
    operator: str, depth: Depth, subtests: pytest.Subtests
) -> None:
    row = list(catalog_of(OPERATORS)).index(operator)
    for name, end in some_of(catalog_of(ENDS), row, depth).items():
        with subtests.test(end=name):
            asyncio.run(run_beside(RANGE, catalog_of(OPERATORS)[operator], end))


@pytest.mark.slow
@pytest.mark.parametrize("source", catalog_of(SOURCES))
def test_loop_gets_its_turn_beside_every_source_before_every_operator(
    source: str, depth: Depth, subtests: pytest.Subtests
) -> None:
    row = list(catalog_of(SOURCES)).index(source)
    for name, operator in some_of(catalog_of(OPERATORS), row, depth).items():
        with subtests.test(operator=name):
            asyncio.run(run_beside(catalog_of(SOURCES)[source], operator, RUN))


# --- trio ---------------------------------------------------------------------------------------------------------


async def trio_run_beside(source: Callable[[Made], Stream[Any]], operator: Operator, end: End) -> None:
    import trio

    made = Made()
    watch = Watch(made)
    async with AnyioLoop() as loop, trio.open_nursery() as nursery:
        stream = operator(source(made), LogicalScheduler(loop)).filter(none)
        nursery.start_soon(end, stream)
        for _ in range(TURNS):
            watch.note()
            await trio.lowlevel.checkpoint()
        nursery.cancel_scope.cancel()
    watch.check()


@pytest.mark.parametrize("source", catalog_of(SOURCES))
def test_trio_gets_its_turn_beside_every_source(source: str) -> None:
    pytest.importorskip("trio").run(trio_run_beside, catalog_of(SOURCES)[source], PASSING, RUN)


@pytest.mark.parametrize("operator", catalog_of(OPERATORS))
@pytest.mark.parametrize("end", ["async for", "run_async"])
def test_trio_gets_its_turn_beside_every_operator(operator: str, end: str) -> None:
    pytest.importorskip("trio").run(trio_run_beside, RANGE, catalog_of(OPERATORS)[operator], catalog_of(ENDS)[end])


# --- what comes of it ---------------------------------------------------------------------------------------------


def test_timeout_ends_a_stream_that_delivers_nothing() -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await Stream.range(MANY).filter(none).run_async()

    asyncio.run(main())


INTERRUPTED = """
import {kind}, signal
from reactivestreams import Stream

made = 0
made_before = 0

def none(number):
    global made, made_before
    made += 1
    if made == 100_000:
        made_before = made
        signal.raise_signal(signal.SIGINT)
    return False

async def main():
    await Stream.range(10**12).filter(none).run_async()

try:
    {kind}.run(main{call})
except KeyboardInterrupt:
    print(made - made_before)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "call"), [("asyncio", "()"), ("trio", "")])
def test_ctrl_c_ends_a_stream_that_delivers_nothing(kind: str, call: str) -> None:
    # What is made behind the signal is counted: it takes far less than the 100 ms that are promised.
    program = INTERRUPTED.format(kind=kind, call=call)
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=CHECKOUT, capture_output=True, text=True, timeout=60, check=True
    )
    assert int(finished.stdout) <= MOST_ELEMENTS


def test_cancelling_a_task_whose_stream_waits_for_its_turn_closes_the_source_at_once() -> None:
    closed: list[str] = []

    def numbers() -> Iterator[int]:
        try:
            yield from itertools.count()
        finally:
            closed.append("closed")

    async def main() -> None:
        task = asyncio.ensure_future(Stream.from_iterable(numbers()).filter(none).run_async())
        while turns_of(asyncio.get_running_loop()).count_waiting == 0:
            await asyncio.sleep(0)
        task.cancel()
        assert closed == ["closed"]
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


def test_functions_see_the_context_variables_of_the_task_in_every_turn() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="nobody's")
    seen: dict[str, set[str]] = {"one": set(), "other": set()}

    async def run(name: str) -> None:
        variable.set(name)
        await Stream.range(4 * TURN_ELEMENTS).filter(lambda _: seen[name].add(variable.get())).run_async()

    async def main() -> None:
        await asyncio.gather(run("one"), run("other"))

    asyncio.run(main())
    assert seen == {"one": {"one"}, "other": {"other"}}


def test_streams_of_one_loop_share_its_turn_and_each_gets_its_part() -> None:
    made = [Made() for _ in range(10)]

    async def main() -> None:
        tasks = [
            asyncio.ensure_future(Stream.range(MANY).do(on_next=each.one).filter(none).run_async()) for each in made
        ]
        counts: list[int] = []
        while not all(each.count > 1000 for each in made):
            counts.append(sum(each.count for each in made))
            await asyncio.sleep(0)
        assert max(after - before for before, after in pairwise(counts)) <= MOST_ELEMENTS
        for task in tasks:
            task.cancel()

    asyncio.run(main())


def test_turn_is_not_left_in_the_middle_of_what_a_function_subscribes_to() -> None:
    def count(number: int) -> int:
        subscriber = RecordingSubscriber()
        Stream.range(2 * TURN_ELEMENTS).subscribe(subscriber)
        return subscriber.element_count + number

    async def main() -> list[int]:
        return await Stream.range(3).map(count).to_list_async()

    assert asyncio.run(main()) == [2 * TURN_ELEMENTS + number for number in range(3)]


def test_subscriber_in_a_loop_gets_all_before_its_request_returns() -> None:
    async def main() -> int:
        subscriber = RecordingSubscriber()
        Stream.range(3 * TURN_ELEMENTS).map(abs).subscribe(subscriber)
        return len(subscriber.elements)

    assert asyncio.run(main()) == 3 * TURN_ELEMENTS


def test_element_that_is_pushed_in_the_loop_and_becomes_many_leaves_it_its_turn() -> None:
    made = Made()

    async def main() -> None:
        subject: BroadcastSubject[int] = BroadcastSubject()
        stream = Stream.from_publisher(subject).flat_map(lambda _: itertools.repeat(1)).do(on_next=made.one)
        task = asyncio.ensure_future(stream.filter(none).run_async())
        await asyncio.sleep(0)
        subject.on_next(1)
        assert 0 < made.count <= MOST_ELEMENTS
        task.cancel()

    asyncio.run(main())


def test_stream_that_waits_for_its_turn_in_a_loop_that_is_closed_fails() -> None:
    begun = threading.Event()
    subscriber = RecordingSubscriber()

    async def pass_on(number: int) -> int:
        await gate.wait()
        return number

    def is_wanted(_number: int) -> bool:
        begun.set()
        return False

    with LoopThread() as thread:
        gate = asyncio.Event()
        endless = Stream.just(1).map_async(pass_on, loop=thread.loop).flat_map(lambda _: itertools.repeat(1))
        endless.filter(is_wanted).subscribe(subscriber)
        thread.loop.call_soon_threadsafe(gate.set)
        assert begun.wait(WAIT_SECONDS)
    assert [type(error) for error in subscriber.errors] == [WrongEventLoopError]
