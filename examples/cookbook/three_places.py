"""Read in a thread, fetch in the event loop, compute in processes: one stream, in order, with bounded queues.

Each stage asks the one before for no more than it can hold, so the file is never read further than the processes need.

Prints:
    read in {'reader'}
    [('ant', 3), ('bee', 6), ('cat', 9), ('dog', 12)]
"""

import asyncio
import multiprocessing
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from reactivestreams import Stream, WorkerScheduler

readers: set[str] = set()


def read() -> Iterator[str]:
    """A blocking source, such as a file or a driver of a database."""
    for word in ("ant", "bee", "cat", "dog"):
        readers.add(threading.current_thread().name)
        yield word


async def fetch(word: str) -> tuple[str, int]:
    await asyncio.sleep(0.001)
    return word, ord(word[0]) - ord("a") + 1


def compute(pair: tuple[str, int]) -> tuple[str, int]:
    """What needs a processor of its own; a process can import it, since it is a function of this module."""
    word, number = pair
    return word, number * 3


def processes() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))


async def main() -> None:
    with WorkerScheduler(name="reader") as reader:
        words = Stream.defer(lambda: Stream.from_iterable(read())).subscribe_on(reader)
        fetched = words.map_async(fetch, concurrency=8)
        results = await fetched.map_in_executor(compute, processes, concurrency=4).to_list_async()
    print("read in", readers)
    print(results)


if __name__ == "__main__":
    asyncio.run(main())
