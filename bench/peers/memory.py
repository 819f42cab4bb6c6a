"""How many elements does a source make ahead of a consumer that has stopped?"""

import threading
from collections.abc import Callable, Iterable, Iterator

ELEMENTS = 20_000
ELEMENT_BYTES = 1024
STILL_SECONDS = 0.1
"""The source is taken to have stopped when it has made nothing for so long."""

RunAhead = Callable[[Iterable[bytes], Callable[[bytes], None]], None]
"""Run a stream of the elements, and call the consumer with each."""


class Feed:
    """A source that counts what it has made."""

    def __init__(self) -> None:
        self.made = 0

    def __iter__(self) -> Iterator[bytes]:
        for _ in range(ELEMENTS):
            self.made += 1
            yield bytes(ELEMENT_BYTES)


def ahead(run: RunAhead) -> int:
    """Stop the consumer at its first element, until the source has stopped as well; return how many others it has made.

    All of them, where nothing bounds it.
    """
    feed, found = Feed(), list[int]()

    def consume(element: bytes) -> None:
        if not found:
            made = -1
            while made != feed.made:
                made = feed.made
                threading.Event().wait(STILL_SECONDS)
            found.append(made - 1)

    run(feed, consume)
    return found[0]


def is_bounded(elements: int) -> bool:
    return elements < ELEMENTS - 1
