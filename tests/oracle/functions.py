"""The functions of the pipelines that are compared: each result follows from the element alone, also whether it raises.

So a pipeline gives the same however often, and wherever, it calls them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from reactivestreams import Collector, OnComplete, OnError, OnNext, Stream, pipeline
from reactivestreams.metrics import MemoryMetrics
from rs_core.authors.publisher import BasePublisher
from tests.contracts.executors import InlineExecutor
from tests.models.stream_model import ModelError, checksum, counted, keeps, key_of, repeated
from tests.oracle.models import name_of
from tests.rs_core.deep_chains import HERE, Ask, PassOn
from tests.rs_core.random_streams import Failing, Reread

__all__ = [
    "EXECUTOR",
    "HERE",
    "Ask",
    "Collector",
    "Emitting",
    "Failing",
    "ModelError",
    "PassOn",
    "Read",
    "Reread",
    "Stream",
    "awaited",
    "batched",
    "checksum",
    "counted",
    "described",
    "differ",
    "drops",
    "endless",
    "fails",
    "halved",
    "handled",
    "indexed",
    "is_named",
    "is_odd_place",
    "keeps",
    "key_of",
    "later",
    "maybe",
    "metrics",
    "mixed",
    "noted",
    "paired",
    "pipeline",
    "read_later",
    "renamed",
    "repeated",
    "rows",
    "rows_of",
    "same",
    "small",
    "streamed",
]

metrics = MemoryMetrics()

EXECUTOR = InlineExecutor()


def fails(one_of: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that raises for about one last argument of so many, else does what another one does."""

    def raising(*arguments: Any) -> Any:
        if checksum(arguments[-1]) % one_of == 0:
            raise ModelError(f"no {arguments[-1]!r}")
        return function(*arguments)

    return raising


def small(element: Any) -> int:
    """Return a small number for any element."""
    return checksum(element) % 41 - 9


def paired(element: Any) -> tuple[Any, int]:
    return element, checksum(element) % 5


def described(*parts: Any) -> str:
    return f"{len(parts)}:{parts[-1]!r:.9}"


def mixed(total: Any, element: Any) -> int:
    """Return a number that depends on all elements, and on their order."""
    return (31 * checksum(total) + checksum(element)) % 1009


def differ(one: Any, following: Any) -> bool:
    return key_of(one) != key_of(following)


def drops(one_of: int) -> Callable[[Any], bool]:
    return lambda element: not keeps(one_of)(element)


def indexed(element: Any, index: int) -> int:
    return 100 * index + small(element)


def is_odd_place(element: Any, index: int) -> bool:
    return (checksum(element) + index) % 2 == 1


def maybe(element: Any) -> int | None:
    """Return a number for most elements."""
    return small(element) if keeps(4)(element) else None


def same(one: Any, other: Any) -> bool:
    return key_of(one) == key_of(other)


def handled(element: Any, sink: Any) -> None:
    """Send a number for most elements; end the stream, with or without an error, at some."""
    choice = checksum(element) % 23
    if choice < 17:
        sink.emit(small(element))
    if choice in (16, 17):
        sink.complete()
    if choice == 18:
        sink.fail(ModelError(f"not handled: {element!r}"))


def later(before: Any, following: Any) -> Any:
    return following


def halved(number: int) -> tuple[int, ...]:
    """Return the number without its last bit, and the bit; nothing where that would go on for ever."""
    return (number // 2, number % 2) if number > 1 else ()


def noted(notification: OnNext | OnError | OnComplete) -> tuple[Any, ...]:
    match notification:
        case OnNext(element):
            return "next", element
        case OnError(error):
            return "error", name_of(error)
        case _:
            return ("complete",)


def renamed(error: Exception) -> Exception:
    return ModelError(f"renamed {name_of(error)}")


def is_named(one_of: int) -> Callable[[Exception], bool]:
    return lambda error: checksum(name_of(error)) % one_of != 0


def streamed(function: Callable[[Any], Any]) -> Callable[[Any], Stream[Any]]:
    """Return a function that returns a stream of what another one returns."""
    return lambda element: Stream.from_iterable(function(element)).map(lambda part: part)


def read_later(function: Callable[[Any], Any], loop: Any) -> Callable[[Any], Stream[Any]]:
    """Return a function that returns a stream of what another one returns, which waits for the loop now and then."""
    return lambda element: Stream.from_async_iterable(Read(function(element)), loop=loop, recovery="skips")


def endless(element: Any) -> Iterator[Any]:
    """Yield an element some times, then raise."""
    for _ in range(checksum(element) % 4):
        yield element
    raise ModelError(f"no more of {element!r}")


def awaited(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a coroutine function that waits for some turns of the loop before it does what a function does."""

    async def waiting(element: Any) -> Any:
        for _ in range(checksum(element) % 4):
            await asyncio.sleep(0)
        return function(element)

    return waiting


def rows_of(element: Any) -> list[dict[str, Any]]:
    """Return up to three rows for any element."""
    first = checksum(element) % 100
    return [{"number": first + row, "text": "ab"[row % 2]} for row in range(first % 4)]


def batched(element: Any) -> Any:
    """Return an Arrow batch of the rows of an element."""
    import pyarrow as pa

    schema = pa.schema([("number", pa.int64()), ("text", pa.string())])
    return pa.RecordBatch.from_pylist(rows_of(element), schema=schema)


def rows(batch: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a batch, without the names of the columns."""
    return [tuple(row.values()) for row in batch.to_pylist()]


class Read:
    """An asynchronous iterable of what an iterable gives, its error too, that lets the loop turn in between."""

    def __init__(self, elements: Any) -> None:
        self.elements = elements

    async def __aiter__(self) -> AsyncIterator[Any]:
        for number, element in enumerate(self.elements):
            if number % 3 == 1:
                await asyncio.sleep(0)
            yield element

    def __repr__(self) -> str:
        return f"Read({self.elements!r})"


class Emitting(BasePublisher[Any]):
    """A publisher of what an iterable gives, its error too, by the base class for authors."""

    def __init__(self, elements: Any) -> None:
        self.elements = elements

    def generate(self, demand: Any) -> Iterator[Any]:
        yield from self.elements

    def __repr__(self) -> str:
        return f"Emitting({self.elements!r})"
