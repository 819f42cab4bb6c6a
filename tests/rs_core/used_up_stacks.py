"""Streams where the interpreter's or the thread's stack is used up, each in a process of its own: see the test."""

import sys
import threading
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from reactivestreams import Stream
from reactivestreams.subjects import SimpleSubject
from rs_core.build_profile import PROFILE


class Subscriber:
    def __init__(self, *, again: bool = False) -> None:
        self.again = again
        self.elements = 0
        self.errors: list[Exception] = []

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        if self.again:
            subscription.request(1)

    def on_next(self, _: Any) -> None:
        self.elements += 1
        if self.again:
            self.subscription.request(1)

    def on_error(self, error: Exception) -> None:
        self.errors.append(error)

    def on_complete(self) -> None:
        pass


def nested_lists(depth: int) -> Any:
    if depth == 0:
        return []
    return Stream.range(1).map(lambda _: nested_lists(depth - 1)).to_list()


def nested_lists_of_queues(depth: int) -> Any:
    if depth == 0:
        return []
    return Stream.range(1).flat_map(lambda _: [nested_lists_of_queues(depth - 1)]).to_list()


def nested_loops(depth: int) -> Any:
    return [nested_loops(depth - 1) for _ in Stream.range(1)] if depth else []


def chained_publishers(links: int) -> Any:
    stream: Any = Stream.range(3)
    for _ in range(links):
        stream = Stream.from_publisher(stream)
    assert stream.to_list(timeout_seconds=20) == [0, 1, 2]


def chained_subjects(links: int) -> Any:
    subjects: list[Any] = [SimpleSubject() for _ in range(links)]
    subscriber = Subscriber(again=True)
    subjects[-1].subscribe(subscriber)
    for above, below in pairwise(subjects):
        above.subscribe(below)
    subjects[0].on_next(1)
    assert subscriber.elements == 1


class Recursive:
    """A producer that sends inside of request, to a consumer that requests inside of on_next (§3.3)."""

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    def request(self, n: int) -> None:
        self.subscriber.on_next(n)

    def cancel(self) -> None:
        pass


class Link(Subscriber):
    """A subscriber in Python between two streams, whose functions are called where little is left."""

    def __init__(self, below: Any) -> None:
        super().__init__()
        self.below = below

    def on_subscribe(self, subscription: Any) -> None:
        self.below.on_subscribe(subscription)

    def on_next(self, element: Any) -> None:
        self.below.on_next(element)

    def on_error(self, error: Exception) -> None:
        self.below.on_error(error)


def recursive_producer(_: int) -> Any:
    Recursive().subscribe(Link(Subscriber(again=True)))


def requests_with_few_frames(frames: int) -> Any:
    """Request at each depth, from the deepest one up: the functions of the stream find fewer and fewer frames."""
    subscriber = Subscriber()
    needs = Stream.range(10**9).map(lambda element: deepen(element % 20)).filter(lambda _: True).do(on_next=deepen)
    needs.subscribe(subscriber)

    def descend(depth: int) -> None:
        if depth < frames:
            descend(depth + 1)
        subscriber.subscription.request(1)

    descend(0)


def deepen(depth: int | None) -> int:
    return deepen(depth - 1) if depth else 1


CASES: dict[str, tuple[Callable[[int], Any], int, int]] = {
    "nested to_list": (nested_lists, 400, 512),
    "nested to_list below a queue": (nested_lists_of_queues, 400, 512),
    "nested for loops": (nested_loops, 400, 512),
    "chained publishers": (chained_publishers, 300, 256),
    "1,000 chained subjects": (chained_subjects, 1_000, 8192),
    "20,000 chained subjects": (chained_subjects, 20_000, 8192),
    "recursive producer": (recursive_producer, 0, 8192),
    "requests with few free frames": (requests_with_few_frames, 960, 8192),
    "requests with no free frame": (requests_with_few_frames, 10**6, 8192),
}


# A compiler that optimises nothing makes several times as large frames of the same calls.
FRAME_GROWTH = 1 if PROFILE == "release" else 4


def main(case: str) -> None:
    act, argument, stack_kib = CASES[case]
    ends: list[str] = []

    def run() -> None:
        try:
            act(argument)
            ends.append("worked")
        except RecursionError:
            ends.append("RecursionError")

    threading.stack_size(stack_kib * 1024 * FRAME_GROWTH)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    print(*ends)


if __name__ == "__main__":
    main(sys.argv[1])
