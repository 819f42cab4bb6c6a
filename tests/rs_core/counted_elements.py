"""A source of elements that counts what is done to it."""

from collections.abc import Callable, Iterator


def do_nothing() -> None:
    pass


class CountedElements:
    """An iterable of integers whose iterators count how often they are read and closed.

    Args:
        count: How many elements.
        on_iter: Called in `__iter__`.
        on_next: Called in `__next__`, before the element is returned.
        on_close: Called in `close`.
    """

    def __init__(
        self,
        count: int,
        *,
        on_iter: Callable[[], object] = do_nothing,
        on_next: Callable[[], object] = do_nothing,
        on_close: Callable[[], object] = do_nothing,
    ) -> None:
        self.count = count
        self.on_iter = on_iter
        self.on_next = on_next
        self.on_close = on_close
        self.readers: list[CountedReader] = []

    def __iter__(self) -> "CountedReader":
        self.readers.append(CountedReader(self))
        self.on_iter()
        return self.readers[-1]

    @property
    def reads(self) -> int:
        return sum(reader.reads for reader in self.readers)

    @property
    def close_calls(self) -> list[int]:
        """How often each iterator that was handed out was closed."""
        return [reader.close_calls for reader in self.readers]


class CountedReader(Iterator[int]):
    def __init__(self, elements: CountedElements) -> None:
        self.elements = elements
        self.reads = 0
        self.close_calls = 0

    def __next__(self) -> int:
        assert self.close_calls == 0, "read after it was closed"
        self.elements.on_next()
        if self.reads == self.elements.count:
            raise StopIteration
        self.reads += 1
        return self.reads - 1

    def close(self) -> None:
        self.close_calls += 1
        self.elements.on_close()
