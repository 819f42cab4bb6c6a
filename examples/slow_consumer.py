"""Put a thread between a fast source and a slow consumer: the source waits, memory stays flat.

`observe_on` asks for `prefetch` elements and for more only as they are taken, so the source is never further ahead.

Prints:
    consumed 200 elements in the thread 'consumer'
    the source was at most 16 elements ahead
"""

import threading
import time
from collections.abc import Iterator

from reactivestreams import Stream, WorkerScheduler

PREFETCH = 16


class Count:
    """How many elements were produced and consumed, and how far the source was ahead at most."""

    produced = consumed = furthest = 0


def fast_source() -> Iterator[int]:
    for number in range(200):
        Count.produced += 1
        Count.furthest = max(Count.furthest, Count.produced - Count.consumed)
        yield number


def consume(number: int) -> None:
    time.sleep(0.0005)
    threads.add(threading.current_thread().name)
    Count.consumed += 1


threads: set[str] = set()
with WorkerScheduler(name="consumer") as worker:
    Stream.from_iterable(fast_source()).observe_on(worker, prefetch=PREFETCH).for_each(consume)

print(f"consumed {Count.consumed} elements in the thread {', '.join(map(repr, threads))}")
print(f"the source was at most {Count.furthest} elements ahead")
