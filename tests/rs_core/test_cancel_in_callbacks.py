"""Cancellation from inside every callback, and from another thread while the callback runs (core design, D2, D3).

Each scenario has one place where user code runs. There the stream is cancelled, by the callback itself or by another
thread that the callback waits for. Afterwards nothing may be signalled, and what the stream held is released once.
"""

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.dropped import set_hook
from rs_core.python_stage import PythonStage

UNBOUNDED = 2**63 - 1
CANCEL_AT = 3  # the callback that cancels is the one for this element
ELEMENTS = 200


class Canceller:
    """Cancels a stream at one place, from the thread that runs the callback or from another one."""

    def __init__(self, *, from_another_thread: bool) -> None:
        self.from_another_thread = from_another_thread
        self.subscription: Any = None
        self.calls = 0

    def cancel(self) -> None:
        self.calls += 1
        if not self.from_another_thread:
            self.subscription.cancel()
            return
        thread = threading.Thread(target=self.subscription.cancel)
        thread.start()
        thread.join(20)
        assert not thread.is_alive(), "cancel() waits for the callback that is running (§3.5)"

    def at(self, element: Any) -> None:
        if element == CANCEL_AT:
            self.cancel()


class Recorder:
    """A subscriber that can cancel in each of its signals."""

    def __init__(self, canceller: Canceller, *, first_request: int, cancel_in: str = "") -> None:
        self.canceller, self.first_request, self.cancel_in = canceller, first_request, cancel_in
        self.signals: list[Any] = []

    def on_subscribe(self, subscription: Any) -> None:
        self.canceller.subscription = subscription
        if self.cancel_in == "on_subscribe":
            self.canceller.cancel()
        subscription.request(self.first_request)

    def on_next(self, element: Any) -> None:
        self.signals.append(element)
        if self.cancel_in == "on_next":
            self.canceller.at(element)
        if self.first_request != UNBOUNDED:
            self.canceller.subscription.request(1)

    def on_error(self, error: Exception) -> None:
        self.signals.append(error)
        if self.cancel_in == "on_error":
            self.canceller.cancel()

    def on_complete(self) -> None:
        self.signals.append("complete")
        if self.cancel_in == "on_complete":
            self.canceller.cancel()


class Source:
    """An iterable whose iterator can cancel, and that knows how often it was closed."""

    def __init__(self, at: Callable[[int], None] = lambda _: None) -> None:
        self.at = at
        self.opened = self.closed = self.read = 0

    def __iter__(self) -> Iterator[int]:
        self.opened += 1
        try:
            for element in range(ELEMENTS):
                self.read += 1
                self.at(element)
                yield element
        finally:
            self.closed += 1


class Passing(PythonStage):
    name = "test/passing"

    def __init__(self, at: Callable[[Any], None]) -> None:
        self.at = at

    def on_next(self, element: Any) -> None:
        self.emit(element)
        self.at(element)


class PassingOwn(PythonStage):
    name = "test/passing_own"
    demand = "own"

    def __init__(self, at: Callable[[Any], None]) -> None:
        self.at = at

    def on_request(self, n: int) -> None:
        self.request_upstream(n)

    def on_next(self, element: Any) -> None:
        self.at(element)
        self.emit(element)


def told(at: Callable[[Any], None], result: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def function(element: Any) -> Any:
        at(element)
        return result(element)

    return function


def inner(at: Callable[[Any], None]) -> Callable[[Any], Iterator[Any]]:
    def parts(element: Any) -> Iterator[Any]:
        yield element
        at(element)
        yield element

    return parts


Place = Callable[[Stream[Any], Callable[[Any], None]], Stream[Any]]
PLACES: dict[str, Place] = {
    "map": lambda stream, at: stream.map(told(at, lambda element: element)),
    "filter": lambda stream, at: stream.filter(told(at, lambda _: True)),
    "filter that drops": lambda stream, at: stream.filter(told(at, lambda element: element != CANCEL_AT)),
    "do": lambda stream, at: stream.do(at),
    "scan": lambda stream, at: stream.scan(lambda _, element: told(at, lambda one: one)(element), 0),
    "key": lambda stream, at: stream.key_by(told(at, lambda element: element % 3)).scan(lambda _, one: one, 0),
    "keyed scan": lambda stream, at: stream.key_by(lambda one: one % 3).scan(lambda _, one: told(at, int)(one), 0),
    "flat_map": lambda stream, at: stream.flat_map(told(at, lambda element: [element])),
    "inner iterator": lambda stream, at: stream.flat_map(inner(at)),
    "before take": lambda stream, at: stream.do(at).take(100),
    "before buffer": lambda stream, at: stream.do(at).buffer(1).map(lambda buffer: buffer[0]),
    "lift": lambda stream, at: stream.lift(Passing, at),
    "lift with own demand": lambda stream, at: stream.lift(PassingOwn, at),
}
DEMANDS = pytest.mark.parametrize("first_request", [1, 2, UNBOUNDED])
THREADS = pytest.mark.parametrize("from_another_thread", [False, True], ids=["itself", "another thread"])


@pytest.fixture(autouse=True)
def nothing_dropped() -> Iterator[None]:
    dropped: list[Any] = []
    previous = set_hook(lambda signal, value, *, origin: dropped.append((signal, value, origin)))
    yield
    set_hook(previous)
    assert dropped == []


@THREADS
@DEMANDS
@pytest.mark.parametrize("place", PLACES)
def test_cancel_in_a_function_of_an_operator_ends_the_stream(
    place: str, first_request: int, from_another_thread: bool
) -> None:
    canceller = Canceller(from_another_thread=from_another_thread)
    recorder, source = Recorder(canceller, first_request=first_request), Source()
    PLACES[place](Stream.from_iterable(source), canceller.at).subscribe(recorder)
    assert canceller.calls == 1
    # The element that was on its way may still arrive (§2.8), none after it, and no end.
    assert set(recorder.signals) <= set(range(CANCEL_AT + 1))
    assert (source.opened, source.closed) == (1, 1)
    canceller.subscription.request(5)
    canceller.subscription.cancel()
    assert set(recorder.signals) <= set(range(CANCEL_AT + 1))


@THREADS
@DEMANDS
@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error", "on_complete"])
def test_cancel_in_a_signal_of_the_subscriber_ends_the_stream(
    signal: str, first_request: int, from_another_thread: bool
) -> None:
    canceller = Canceller(from_another_thread=from_another_thread)
    recorder = Recorder(canceller, first_request=first_request, cancel_in=signal)
    failure = ValueError("the end")
    source = Source()

    def fail_at_the_end(element: int) -> int:
        if signal == "on_error" and element == 5:
            raise failure
        return element

    Stream.from_iterable(source).map(fail_at_the_end).subscribe(recorder)
    everything = list(range(ELEMENTS))
    expected: dict[str, list[Any]] = {
        "on_subscribe": [],
        "on_next": everything[: CANCEL_AT + 1],
        "on_error": [*everything[:5], failure],
        "on_complete": [*everything, "complete"],
    }
    assert recorder.signals == expected[signal]
    assert canceller.calls == 1
    assert source.closed == source.opened <= 1


@THREADS
@DEMANDS
def test_cancel_in_the_iterator_of_the_source_closes_it_when_it_has_returned(
    first_request: int, from_another_thread: bool
) -> None:
    canceller = Canceller(from_another_thread=from_another_thread)
    recorder, source = Recorder(canceller, first_request=first_request), Source(canceller.at)
    Stream.from_iterable(source).map(lambda element: element).subscribe(recorder)
    assert recorder.signals in (list(range(CANCEL_AT)), list(range(CANCEL_AT + 1)))
    assert (source.opened, source.closed, source.read) == (1, 1, CANCEL_AT + 1)


@THREADS
@DEMANDS
def test_cancel_while_an_element_is_freed_ends_the_stream(first_request: int, from_another_thread: bool) -> None:
    canceller = Canceller(from_another_thread=from_another_thread)

    class Element:
        def __init__(self, number: int) -> None:
            self.number = number

        def __del__(self) -> None:
            canceller.at(self.number)

    recorder = Recorder(canceller, first_request=first_request)
    Stream.range(ELEMENTS).map(Element).map(lambda element: element.number).subscribe(recorder)
    assert canceller.calls == 1
    assert recorder.signals in (list(range(CANCEL_AT)), list(range(CANCEL_AT + 1)))


@pytest.mark.parametrize("place", PLACES)
def test_subscriber_is_let_go_after_it_was_cancelled(place: str) -> None:
    canceller = Canceller(from_another_thread=False)
    recorder = Recorder(canceller, first_request=UNBOUNDED)
    reference = weakref.ref(recorder)
    PLACES[place](Stream.from_iterable(Source()), canceller.at).subscribe(recorder)
    del recorder
    gc.collect()
    assert reference() is None  # §3.13, although the canceller still holds the subscription


@DEMANDS
def test_many_threads_that_cancel_at_once_tear_down_once(first_request: int) -> None:
    for _ in range(50):
        canceller = Canceller(from_another_thread=False)
        recorder, source = Recorder(canceller, first_request=first_request), Source()
        gate = threading.Barrier(5)
        started = threading.Event()

        def cancel(
            gate: threading.Barrier = gate, started: threading.Event = started, canceller: Canceller = canceller
        ) -> None:
            gate.wait(20)
            started.wait(20)
            canceller.subscription.cancel()

        def begin(element: int, started: threading.Event = started) -> int:
            started.set()
            return element

        threads = [threading.Thread(target=cancel) for _ in range(4)]
        for thread in threads:
            thread.start()
        gate.wait(20)
        Stream.from_iterable(source).map(begin).subscribe(recorder)
        for thread in threads:
            thread.join(20)
        numbers = [signal for signal in recorder.signals if signal != "complete"]
        assert numbers == list(range(len(numbers)))
        assert (source.opened, source.closed) == (1, 1)
