"""Every place in a running stream where user code runs."""

from collections.abc import Callable, Iterator
from typing import Any

from reactivestreams import Stream
from reactivestreams.schedulers import ImmediateScheduler
from rs_core.operators.python_operator import PythonStage
from tests.contracts.finalized import Finalized
from tests.rs_core.counted_elements import CountedElements

Act = Callable[[], object]
ELEMENTS = 6
HERE = ImmediateScheduler()


def then(act: Act, value: Any) -> Any:
    """Act, then return the value."""
    act()
    return value


class Truth:
    def __init__(self, act: Act) -> None:
        self.act = act

    def __bool__(self) -> bool:
        return bool(then(self.act, True))


class Key:
    """All keys are equal, so that a dict has to compare them."""

    def __init__(self, *, on_hash: Act = int, on_eq: Act = int) -> None:
        self.on_hash = on_hash
        self.on_eq = on_eq

    def __hash__(self) -> int:
        return int(then(self.on_hash, 1))

    def __eq__(self, other: object) -> bool:
        return bool(then(self.on_eq, True))


class Pair:
    """An iterable of two elements that acts where it is told to."""

    def __init__(self, element: Any, *, on_iter: Act = int, on_next: Act = int) -> None:
        self.left = [element, element]
        self.on_iter = on_iter
        self.on_next = on_next

    def __iter__(self) -> Iterator[Any]:
        self.on_iter()
        return self

    def __next__(self) -> Any:
        self.on_next()
        if not self.left:
            raise StopIteration
        return self.left.pop()


def pair_of(element: Any, act: Act) -> Iterator[Any]:
    yield element
    act()
    yield element


def pair_that_acts_when_closed(element: Any, act: Act) -> Iterator[Any]:
    try:
        yield element
        yield element
    finally:
        act()


def fail(element: Any) -> Any:
    raise ValueError(element)


def fail_at_the_third(element: Any) -> Any:
    return element if element < 2 else fail(element)


class Hooks(PythonStage):
    """An operator that acts in one of its hooks."""

    name = "test/hooks"

    def __init__(self, hook: str, act: Act) -> None:
        self.hook = hook
        self.act = act

    def at(self, hook: str) -> None:
        if hook == self.hook:
            self.act()

    def on_start(self) -> None:
        self.at("on_start")

    def on_next(self, element: Any) -> None:
        self.at("on_next")
        self.emit(element)

    def on_complete(self) -> None:
        self.at("on_complete")
        self.complete()

    def on_error(self, error: Exception) -> None:
        self.at("on_error")
        self.fail(error)

    def on_dispose(self) -> None:
        self.at("on_dispose")


class OwnHooks(Hooks):
    name = "test/own_hooks"
    demand = "own"
    prefetch = 2

    def on_request(self, n: int) -> None:
        self.at("on_request")
        self.request_upstream(n)


class CountingPublisher:
    """Sends integers inside of `request`; acts where it is told to."""

    def __init__(self, hook: str, act: Act) -> None:
        self.hook = hook
        self.act = act
        self.sent = 0
        self.is_ended = False
        self.subscriber: Any = None

    def at(self, hook: str) -> None:
        if hook == self.hook:
            self.act()

    def subscribe(self, subscriber: Any) -> None:
        self.at("subscribe")
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        self.at("request")
        while n and not self.is_ended and self.sent < ELEMENTS:
            n -= 1
            self.sent += 1
            self.subscriber.on_next(self.sent - 1)
        if self.sent == ELEMENTS and not self.is_ended:
            self.is_ended = True
            self.subscriber.on_complete()

    def cancel(self) -> None:
        self.is_ended = True
        self.at("cancel")


# An operator whose functions call `act`, below any stream of integers.
OPERATOR_POINTS: dict[str, Callable[[Stream[Any], Act], Stream[Any]]] = {
    "map": lambda stream, act: stream.map(lambda element: then(act, element)),
    "filter": lambda stream, act: stream.filter(lambda _: then(act, True)),
    "filter that drops": lambda stream, act: stream.filter(lambda element: then(act, element % 2)),
    "truth of what a predicate returns": lambda stream, act: stream.filter(lambda _: Truth(act)),
    "scan": lambda stream, act: stream.scan(lambda _, element: then(act, element), 0),
    "keyed_scan, key": lambda stream, act: stream.key_by(lambda _: then(act, 0)).scan(lambda _, element: element, 0),
    "keyed_scan, function": lambda stream, act: stream.key_by(lambda _: 0).scan(
        lambda _, element: then(act, element), 0
    ),
    "hash of a key": lambda stream, act: stream.key_by(lambda _: Key(on_hash=act)).scan(lambda _, element: element, 0),
    "equality of keys": lambda stream, act: stream.key_by(lambda _: Key(on_eq=act)).scan(lambda _, element: element, 0),
    "do, on_next": lambda stream, act: stream.do(on_next=lambda _: act()),
    "do, on_complete": lambda stream, act: stream.do(on_complete=act),
    "do, on_error": lambda stream, act: stream.map(fail_at_the_third).do(on_error=lambda _: act()),
    "flat_map, function": lambda stream, act: stream.flat_map(lambda element: then(act, (element,)), prefetch=2),
    "flat_map, __iter__": lambda stream, act: stream.flat_map(lambda element: Pair(element, on_iter=act), prefetch=2),
    "flat_map, __next__": lambda stream, act: stream.flat_map(lambda element: Pair(element, on_next=act), prefetch=2),
    "flat_map, generator": lambda stream, act: stream.flat_map(lambda element: pair_of(element, act), prefetch=2),
    "flat_map, closed generator": lambda stream, act: stream.flat_map(
        lambda element: pair_that_acts_when_closed(element, act), prefetch=2
    ),
    "death of an element that map replaces": lambda stream, act: stream.map(lambda _: Finalized(act)).map(lambda _: 1),
    "death of an element that filter drops": lambda stream, act: stream.map(
        lambda element: element if element % 2 else Finalized(act)
    ).filter(lambda element: isinstance(element, int)),
    "death of an accumulator": lambda stream, act: stream.scan(lambda _old, _element: Finalized(act), None).map(
        lambda _: 1
    ),
    "death of elements in a list": lambda stream, act: stream.map(lambda _: Finalized(act)).buffer(2).map(len),
    "function for every second element": lambda stream, act: (
        stream.skip(1).buffer(2).flat_map(lambda elements: elements).take(4).map(lambda element: then(act, element))
    ),
    **{
        f"PythonStage, {hook}": lambda stream, act, hook=hook: stream.lift(Hooks, hook, act)
        for hook in ("on_start", "on_next", "on_complete", "on_dispose")
    },
    "PythonStage, on_error": lambda stream, act: stream.map(fail_at_the_third).lift(Hooks, "on_error", act),
    **{
        f"PythonStage with own demand, {hook}": lambda stream, act, hook=hook: stream.lift(OwnHooks, hook, act)
        for hook in ("on_start", "on_request", "on_next", "on_complete", "on_dispose")
    },
    "PythonStage with own demand, on_error": lambda stream, act: stream.map(fail_at_the_third).lift(
        OwnHooks, "on_error", act
    ),
}

# What stands around the point.
LAYOUTS: dict[str, Callable[[Stream[Any], Callable[[Stream[Any]], Stream[Any]]], Stream[Any]]] = {
    "alone": lambda stream, point: point(stream),
    "above a queue": lambda stream, point: point(stream).observe_on(HERE, prefetch=2),
    "below a queue": lambda stream, point: point(stream.observe_on(HERE, prefetch=2)),
    "below a buffer": lambda stream, point: point(stream.buffer(1).map(lambda elements: elements[0])),
}


def generated(act: Act) -> Iterator[int]:
    for element in range(ELEMENTS):
        act()
        yield element


def generated_with_cleanup(act: Act) -> Iterator[int]:
    try:
        yield from range(ELEMENTS)
    finally:
        act()


# A source whose own code calls `act`.
SOURCE_POINTS: dict[str, Callable[[Act], Stream[Any]]] = {
    "__iter__": lambda act: Stream.from_iterable(CountedElements(ELEMENTS, on_iter=act)),
    "__next__": lambda act: Stream.from_iterable(CountedElements(ELEMENTS, on_next=act)),
    "close": lambda act: Stream.from_iterable(CountedElements(ELEMENTS, on_close=act)),
    "generator": lambda act: Stream.from_iterable(generated(act)),
    "closed generator": lambda act: Stream.from_iterable(generated_with_cleanup(act)),
    "subscribe of a publisher": lambda act: Stream.from_publisher(CountingPublisher("subscribe", act), prefetch=2),
    "request of a publisher": lambda act: Stream.from_publisher(CountingPublisher("request", act), prefetch=2),
    "cancel of a publisher": lambda act: Stream.from_publisher(CountingPublisher("cancel", act), prefetch=2),
}
