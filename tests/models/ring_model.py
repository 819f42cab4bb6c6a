"""A bounded queue as plain Python would write it: the oracle of the property tests."""

from collections import deque
from collections.abc import Iterator


class RingModel:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.elements: deque[object] = deque()

    def offer(self, element: object) -> bool:
        if len(self.elements) == self.capacity:
            return False
        self.elements.append(element)
        return True

    def offer_batch(self, elements: Iterator[object]) -> int:
        before = len(self.elements)
        while len(self.elements) < self.capacity:
            try:
                self.elements.append(next(elements))
            except StopIteration:
                break
        return len(self.elements) - before

    def poll(self, otherwise: object) -> object:
        return self.elements.popleft() if self.elements else otherwise

    def peek(self, otherwise: object) -> object:
        return self.elements[0] if self.elements else otherwise

    def drain(self, limit: int) -> list[object]:
        return [self.elements.popleft() for _ in range(min(limit, len(self.elements)))]
