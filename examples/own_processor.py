"""Write a processor and an asynchronous subscriber of your own, and put them behind a publisher of other origin.

The processor turns lines into words. The subscriber stores them in the thread of a scheduler, so that the publisher
never waits for the store.

Prints:
    stored to
    stored be
    stored or
    stored not
    3 lines were read, all is stored
"""

import threading
from typing import Any

from reactivestreams import AsyncBaseSubscriber, BaseProcessor, Stream, WorkerScheduler


class Words(BaseProcessor[str, str]):
    """Emits the words of each line: none, one or many."""

    lines = 0

    def hook_on_next(self, element: str) -> None:
        self.lines += 1
        for word in element.split():
            self.emit(word)


class Store(AsyncBaseSubscriber[str]):
    """Stores words, one at a time, in the thread of the scheduler."""

    def __init__(self, scheduler: Any) -> None:
        super().__init__(scheduler=scheduler)
        self.is_complete = threading.Event()

    def hook_on_next(self, element: str) -> None:
        print(f"stored {element}")

    def hook_on_complete(self) -> None:
        self.is_complete.set()


with WorkerScheduler(name="store") as worker:
    words, store = Words(), Store(worker)
    words.subscribe(store)
    Stream.just("to be", "", "or not").subscribe(words)
    store.is_complete.wait()
print(f"{words.lines} lines were read, all is stored")
