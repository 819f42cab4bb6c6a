"""Write a publisher and a subscriber of your own; the base classes keep the 43 rules.

The publisher yields its elements in a generator, which runs for demand only. The subscriber asks for two at a time.

Prints:
    page 1 is fetched
    got line 1 of page 1
    got line 2 of page 1
    page 2 is fetched
    got line 1 of page 2
    that is enough
"""

from collections.abc import Iterator
from typing import Any

from reactivestreams import BasePublisher, BaseSubscriber


class Pages(BasePublisher):
    """Lines of pages that are fetched one after the other, when somebody wants them."""

    def generate(self, demand: Any) -> Iterator[str]:
        for page in range(1, 1_000):
            print(f"page {page} is fetched")
            for line in (1, 2):
                yield f"line {line} of page {page}"


class FirstThree(BaseSubscriber):
    """Takes three lines, then cancels."""

    def __init__(self) -> None:
        self.count = 0

    def hook_on_subscribe(self) -> None:
        self.request(1)

    def hook_on_next(self, element: str) -> None:
        print(f"got {element}")
        self.count += 1
        if self.count < 3:
            self.request(1)
        else:
            self.cancel()
            print("that is enough")


Pages().subscribe(FirstThree())
