"""Runs streams in which allocations fail; see the test, which starts this in a process of its own.

usage: python -m tests.rs_core.failing_allocations STREAM POSITIONS
"""

import sys
from collections.abc import Callable
from typing import Any

from reactivestreams import Stream
from reactivestreams.subjects import SimpleSubject
from rs_core.authors.base_classes import BasePublisher, BaseSubscription
from rs_core.dropped import set_hook
from tests.rs_core.callback_points import HERE, OPERATOR_POINTS

ELEMENTS = 6
NEVER = 10**6
FREE_LISTS = 80  # as many as the interpreter keeps


def nothing() -> None:
    pass


class Counting(BaseSubscription[int]):
    left = ELEMENTS

    def on_request(self, n: int) -> None:
        while self.left and self.demand:
            self.left -= 1
            self.emit(self.left + 300)  # more than the interpreter has ready: each one is allocated
        if not self.left:
            self.complete()


class CountingPublisher(BasePublisher[int]):
    def create_subscription(self, subscriber: Any) -> Any:
        return Counting(subscriber)


def emitting(emitter: Any) -> None:
    for element in range(300, 300 + ELEMENTS):
        emitter.emit(element)
    emitter.complete()


STREAMS: dict[str, Callable[[], Stream[Any]]] = {
    "range": lambda: Stream.range(300, 300 + ELEMENTS),
    "from_iterable": lambda: Stream.from_iterable(iter(range(300, 300 + ELEMENTS))),
    "from_publisher": lambda: Stream.from_publisher(CountingPublisher()),
    "create": lambda: Stream.create(emitting, on_overflow="error"),
    "observe_on": lambda: Stream.range(300, 300 + ELEMENTS).observe_on(HERE, prefetch=2),
    **{
        name: lambda point=point: point(Stream.range(ELEMENTS), nothing)  # type: ignore[misc]
        for name, point in OPERATOR_POINTS.items()
    },
}


class Subscriber:
    """Requests one by one."""

    def __init__(self) -> None:
        self.is_ended = False

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        subscription.request(1)

    def on_next(self, _: Any) -> None:
        self.subscription.request(1)

    def on_error(self, _: Exception) -> None:
        self.is_ended = True

    def on_complete(self) -> None:
        self.is_ended = True


def subscribe(stream: Stream[Any]) -> bool:
    subscriber = Subscriber()
    stream.subscribe(subscriber)
    return subscriber.is_ended


def multicast(stream: Stream[Any]) -> bool:
    subject: Any = SimpleSubject()
    subscriber = Subscriber()
    subject.subscribe(subscriber)
    stream.subscribe(subject)
    return subscriber.is_ended


# Each returns whether the stream has ended.
ENDS: dict[str, Callable[[Stream[Any]], bool]] = {
    "to_list": lambda stream: isinstance(stream.to_list(timeout_seconds=1), list),
    "for loop": lambda stream: bool([None for _ in stream]) or True,
    "subscribe": subscribe,
    "subject": multicast,
}


def keep_empty_lists_ready() -> None:
    """Let the interpreter make its next lists of empty ones that have gone.

    A list without memory for its items is freed as if it had some by CPython 3.13 without the GIL: plain Python crashes
    there as well, or waits for ever, unless the list is one that was empty before.
    """
    del [[] for _ in range(FREE_LISTS)][:]


def run(stream: str, end: str, position: int, told: list[object]) -> None:
    """Let one allocation of a run fail; print what went wrong with the run, beside its error."""
    import _testcapi  # type: ignore[import-not-found]  # not where there are no tests of CPython

    made = STREAMS[stream]()
    act = ENDS[end]
    told.clear()
    has_ended = False
    keep_empty_lists_ready()
    _testcapi.set_nomemory(position, position + 1)
    try:
        has_ended = act(made)
    except TimeoutError:
        pass
    except Exception:
        has_ended = True
    finally:
        _testcapi.remove_mem_hooks()
    if not has_ended and not told:
        print(f"{end}: nobody is told where allocation {position} fails", flush=True)


def main(stream: str, positions: int) -> None:
    told: list[object] = []
    sys.unraisablehook = told.append
    set_hook(lambda signal, *_, **__: told.append(signal))
    for end in ENDS:
        run(stream, end, NEVER, told)  # what is allocated once
        for position in range(positions):
            run(stream, end, position, told)
    print("done")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
