"""A random pipeline over a random source, run in several ways, each compared with the model."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.executors import settle_shared
from tests.contracts.loop_thread import LoopThread
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.stepped_loop import SteppedLoop
from tests.models.stream_model import Sent
from tests.oracle import functions
from tests.oracle.catalog import CATALOG, FOLDS, NUMBER, OF_ARROW, Step
from tests.oracle.models import Merged, Outcome, UndeterminedError, name_of

DEEPEST = 8
MOST_CHARACTERS = 6_000
MOST_ORDERS = 3_000
WAIT_SECONDS = 60

try:
    import pyarrow.compute as pc
except ImportError:  # free-threaded interpreters, for which there are no wheels
    pc = None

NAMES: dict[str, Any] = {**{name: getattr(functions, name) for name in functions.__all__}, "pc": pc}
"""What the text of a pipeline names."""


@dataclass(frozen=True)
class Place:
    """Where a pipeline runs: what stands for `loop` and `scheduler` in its text.

    Attributes:
        settle: Lets what waits run for some turns; returns whether there is more.
    """

    loop: asyncio.AbstractEventLoop
    scheduler: Any
    settle: Callable[[], bool] = lambda: False

    def made(self, text: str) -> Any:
        """Return what the text of a stream or a pipeline makes."""
        return eval(text, NAMES, {"loop": self.loop, "scheduler": self.scheduler})


@contextmanager
def stepped() -> Iterator[Place]:
    """Return a place in the test's own thread, where nothing runs unless the test lets it."""
    scheduler = ManualScheduler()
    with SteppedLoop() as loop:

        def settle() -> bool:
            scheduler.run_waiting()
            loop.settle()
            ready: Any = loop.loop  # asyncio itself does not say whether callbacks wait
            return settle_shared() or bool(ready._ready or scheduler.waiting)

        yield Place(loop.loop, scheduler, settle)


@contextmanager
def threaded() -> Iterator[Place]:
    """Return a place with threads of its own."""
    with LoopThread() as thread, WorkerScheduler(name="reactivestreams-oracle") as worker:
        yield Place(thread.loop, worker)


@dataclass(frozen=True)
class Source:
    """A source, as it is written, and what it sends; reactivex is given the latter."""

    text: str
    sent: Sent
    is_parallel: bool = False


def random_source(random: Random) -> Source:
    elements = [random.randint(-9, 20) for _ in range(random.choice((0, 1, 2, 5, 12, 24)))]
    first, step = random.randint(-5, 5), random.choice((1, 2, 5))
    last = first + len(elements) * step
    failing = f"Failing({elements}, 'source')"
    match random.randrange(12):
        case 0:
            return Source(f"Stream.just({', '.join(map(str, elements))})", Sent(elements))
        case 1:
            return Source(f"Stream.range({first}, {last}, {step})", Sent(list(range(first, last, step))))
        case 2 | 3:
            return Source(f"Stream.from_iterable({elements})", Sent(elements))
        case 4:
            return Source(f"Stream.from_iterable(Reread({elements}))", Sent(elements))
        case 5 | 6:
            return Source(f"Stream.from_iterable({failing})", Sent(elements, "source"))
        case 7:
            text = f"Stream.from_publisher(Stream.from_iterable({elements}), prefetch={random.choice((1, 3, 64))})"
            return Source(text, Sent(elements))
        case 8:
            return Source(f"Stream.from_publisher(Emitting({elements}), recovery='skips')", Sent(elements))
        case 9:
            return Source(f"Stream.from_publisher(Emitting({failing}), recovery='skips')", Sent(elements, "source"))
        case _:
            is_failing = random.random() < 0.3
            given = failing if is_failing else str(elements)
            ahead = random.choice((1, 3, 64))
            return Source(
                f"Stream.from_async_iterable(Read({given}), prefetch={ahead}, loop=loop, recovery='skips')",
                Sent(elements, "source" if is_failing else None),
                is_parallel=True,
            )


@dataclass(frozen=True)
class Chain:
    """A source and the operators behind it."""

    source: Source
    steps: tuple[Step, ...]

    @property
    def text(self) -> str:
        return self.source.text + self.pipeline_text

    @property
    def pipeline_text(self) -> str:
        return "".join(step.text for step in self.steps)

    @property
    def is_parallel(self) -> bool:
        return self.source.is_parallel or any(step.is_parallel for step in self.steps)

    def outcome(self) -> Outcome | None:
        """Return what the model sends; None: it does not say, or no operator fits behind the one before."""
        outcome: Outcome = self.source.sent
        kind = NUMBER
        for step in self.steps:
            if not step.fits(outcome, kind):
                return None
            try:
                outcome = step.after(outcome)
            except UndeterminedError:
                return None
            kind = step.gives or kind
            if len(repr(outcome)) > MOST_CHARACTERS or (isinstance(outcome, Merged) and outcome.orders > MOST_ORDERS):
                return None
        return outcome

    def smaller(self) -> Iterator["Chain"]:
        """Yield chains with one operator less, and with fewer elements."""
        for place in range(len(self.steps)):
            yield replace(self, steps=self.steps[:place] + self.steps[place + 1 :])
        elements = self.source.sent.elements
        for fewer in (elements[: len(elements) // 2], elements[1:], elements[:-1]):
            if len(fewer) < len(elements) and str(elements) in self.source.text:
                text = self.source.text.replace(str(elements), str(fewer))
                yield replace(
                    self, source=replace(self.source, text=text, sent=replace(self.source.sent, elements=fewer))
                )


def kind_of(name: str) -> str:
    return "fold" if name in FOLDS else "key" if name.startswith("key_by") else "other"


NAMES_BY_KIND: dict[str, list[str]] = {}
for _name in CATALOG:
    if pc is not None or _name not in OF_ARROW:
        NAMES_BY_KIND.setdefault(kind_of(_name), []).append(_name)


def random_chain(random: Random, is_allowed: Callable[[Chain], bool] = lambda chain: True) -> Chain:
    """Return a random source with 1 to 8 operators; fewer where none is allowed that fits."""
    chain = Chain(random_source(random), ())
    depth = random.randint(1, DEEPEST)
    for _ in range(depth * 20):
        if len(chain.steps) == depth:
            break
        kind = random.choices(("fold", "key", "other"), (1, 1, 6))[0]
        step = CATALOG[random.choice(NAMES_BY_KIND[kind])](random)
        longer = replace(chain, steps=(*chain.steps, step))
        if longer.outcome() is not None and is_allowed(longer):
            chain = longer
    return chain


class Demand(RecordingSubscriber):
    """Requests more, by a plan, when as much has come as was requested."""

    def __init__(self, plan: list[int], *, is_inside: bool) -> None:
        super().__init__()
        self.plan = iter(plan)
        self.is_inside = is_inside

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        if self.is_inside and len(self.elements) == self.requested:
            self.request_next()

    def request_next(self) -> None:
        self.request(next(self.plan, UNBOUNDED))


Result = tuple[list[Any] | None, str | None]
"""What came, or None where the way does not tell, and how it ended."""


class StuckError(Exception):
    """A stream did not end though everything was requested, or broke a rule."""


def ended(subscriber: RecordingSubscriber, elements: list[Any]) -> Result:
    if subscriber.faults:
        raise StuckError("; ".join(subscriber.faults))
    if not subscriber.has_ended:
        raise StuckError(f"it has not ended behind {elements}, though it was requested without a bound")
    return elements, None if subscriber.error is None else name_of(subscriber.error)


def of_iterator(elements: Any) -> Result:
    came: list[Any] = []
    try:
        for element in elements:
            came.append(element)  # noqa: PERF402  # those before an error count
    except Exception as error:
        return came, name_of(error)
    return came, None


def in_a_list(chain: Chain, random: Random) -> Result:
    """Run a chain by `to_list()`."""
    with threaded() as place:
        try:
            return place.made(chain.text).to_list(timeout_seconds=WAIT_SECONDS), None
        except Exception as error:
            return None, name_of(error)


def in_a_loop(chain: Chain, random: Random) -> Result:
    """Run a chain by an ordinary `for`."""
    with threaded() as place:
        return of_iterator(place.made(chain.text).iterate(prefetch=random.choice((1, 2, 7, 256))))


def by_pipeline(chain: Chain, random: Random) -> Result:
    """Run a chain as a pipeline that a stream goes through, or as two."""
    middle = random.randint(0, len(chain.steps))
    texts = ("".join(step.text for step in steps) for steps in (chain.steps[:middle], chain.steps[middle:]))
    with threaded() as place:
        stream = place.made(chain.source.text)
        for text in texts:
            if text:
                stream = stream.through(place.made(f"pipeline(){text}"))
        return of_iterator(stream)


def awaited(chain: Chain, random: Random) -> Result:
    """Run a chain in an event loop."""

    async def main() -> Result:
        stream = Place(asyncio.get_running_loop(), worker).made(chain.text)
        came: list[Any] = []
        try:
            async for element in stream.iterate_async(prefetch=random.choice((1, 2, 7, 256))):
                came.append(element)
                if random.random() < 0.2:
                    await asyncio.sleep(0)
        except Exception as error:
            return came, name_of(error)
        return came, None

    with WorkerScheduler(name="reactivestreams-oracle") as worker:
        return asyncio.run(main())


def requested(chain: Chain, random: Random) -> Result:
    """Run a chain under random demand."""
    with stepped() as place:
        subscriber = Demand(random_plan(random), is_inside=random.random() < 0.5)
        place.made(chain.text).subscribe(subscriber)
        place.settle()
        drive(subscriber, place, 1_000)
        return ended(subscriber, subscriber.elements)


def drive(subscriber: Demand, place: Place, requests: int) -> None:
    """Request, and let run what waits, until the stream has ended or there were as many requests."""
    for _ in range(requests):
        if subscriber.has_ended:
            break
        subscriber.request_next()
        while place.settle():
            pass


def random_plan(random: Random) -> list[int]:
    return [random.choice((1, 1, 2, random.randint(1, 20))) for _ in range(random.randint(0, 40))]


def recovered(chain: Chain, random: Random) -> Result:
    """Run a chain, save it at a random element, load it into a new one, and so on."""
    came: list[Any] = []
    state = None
    with stepped() as place:
        for _ in range(random.randint(2, 4)):
            subscriber = Demand(random_plan(random), is_inside=False)
            handle = place.made(chain.text).bind(subscriber)
            if state is not None:
                load_tree(handle, state)
            handle.initialize()
            place.settle()
            drive(subscriber, place, random.randint(0, 5))
            came += subscriber.elements
            if subscriber.has_ended:
                return ended(subscriber, came)
            state = save_tree(handle)
            handle.cancel()
            place.settle()
        subscriber = Demand([], is_inside=False)
        handle = place.made(chain.text).bind(subscriber)
        load_tree(handle, state)
        handle.initialize()
        place.settle()
        drive(subscriber, place, 2)
        return ended(subscriber, came + subscriber.elements)


WAYS: dict[str, Callable[[Chain, Random], Result]] = {
    "to_list()": in_a_list,
    "for": in_a_loop,
    "through(pipeline())": by_pipeline,
    "async for": awaited,
    "random requests": requested,
    "saved and loaded": recovered,
}


def fault_of(chain: Chain, way: str, seed: str) -> str | None:
    """Return what is wrong with a chain that is run in a way; None: nothing is."""
    outcome = chain.outcome()
    assert outcome is not None
    try:
        with recorded_drops():  # errors of streams side by side, of which one ends all
            elements, error = WAYS[way](chain, Random(seed))
    except Exception as stuck:
        return f"{type(stuck).__name__}: {stuck}"
    if elements is None and isinstance(outcome, Sent):
        elements = outcome.elements
    if elements is None:
        return None
    return None if agrees(outcome, elements, error) else f"it gave {elements!r}, ended by {error or 'completion'}"


def agrees(outcome: Outcome, elements: list[Any], error: str | None) -> bool:
    if isinstance(outcome, Sent):
        return repr(elements) == repr(outcome.elements) and error == outcome.error
    return outcome.allows(elements, error)


def smallest(chain: Chain, has_fault: Callable[[Chain], bool]) -> Chain:
    """Return the smallest chain that is left of one where parts are left out as long as it has a fault."""
    for smaller in chain.smaller():
        if smaller.outcome() is not None and has_fault(smaller):
            return smallest(smaller, has_fault)
    return chain


class DifferentError(AssertionError):
    """A pipeline did not do what plain Python does."""


def check(seed: int, number: int, way: str | None = None) -> None:
    """Run a case in all ways, or in one; raise for the first one that differs from the model."""
    chain = random_chain(Random(f"{seed}: {number}"))
    for name in WAYS if way is None else (way,):
        fault = fault_of(chain, name, f"{seed}: {number}: {name}")
        if fault is None:
            continue

        def has_fault(smaller: Chain, name: str = name) -> bool:
            return fault_of(smaller, name, f"{seed}: {number}: {name}") is not None

        found = smallest(chain, has_fault)
        raise DifferentError(
            f"case {number} of seed {seed}, by {name}:\n  {chain.text}\n  {fault}\n"
            f"  the model: {chain.outcome()}\n"
            f"the smallest that differs:\n  {found.text}\n"
            f"  {fault_of(found, name, f'{seed}: {number}: {name}')}\n  the model: {found.outcome()}\n"
            f"again: python -m tests.oracle --seed {seed} --case {number}"
        )
