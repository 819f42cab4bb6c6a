"""A chain of compiled functions lets the interpreter look up every 1024 elements, however it is asked for them."""

import _thread
import operator
import signal
from collections import deque
from collections.abc import Callable, Iterator

import pytest

from reactivestreams import Stream

TICK_EVERY = 1024
ELEMENTS = 3 * TICK_EVERY
SIGNALS = [signal.SIGINT] * ELEMENTS

# Each sends ELEMENTS times the number of the signal, without a function written in Python.
SOURCES: dict[str, Callable[[], Stream[signal.Signals]]] = {
    "range": lambda: Stream.range(ELEMENTS).map(SIGNALS.__getitem__),
    "iterable": lambda: Stream.from_iterable(SIGNALS),
    "flat_map": lambda: Stream.just(SIGNALS).flat_map(iter),
}


@pytest.fixture
def passed() -> Iterator[tuple[deque[object], list[int]]]:
    """Yield where elements are to be collected, and how many there were each time the handler ran."""
    elements: deque[object] = deque()
    counts: list[int] = []
    before = signal.signal(signal.SIGINT, lambda *_: counts.append(len(elements)))
    yield elements, counts
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("prefetch", [None, 1, 16, 5000])
@pytest.mark.parametrize("source", SOURCES)
def test_a_signal_is_handled_within_1024_elements(
    source: str, prefetch: int | None, passed: tuple[deque[object], list[int]]
) -> None:
    elements, counts = passed
    # interrupt_main marks the signal as pending and, being compiled, leaves it to the next safe point.
    SOURCES[source]().do(elements.append).map(_thread.interrupt_main).filter(operator.not_).run(prefetch=prefetch)
    assert len(elements) == ELEMENTS
    assert max(following - count for count, following in zip([0, *counts], counts, strict=False)) <= TICK_EVERY
