"""What may be an input beside the one above: a stream, or whatever a stream can be made of."""

from collections.abc import AsyncIterable, Iterable
from typing import Any, TypeAlias, TypeVar, cast

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import Subscribable
from reactivestreams.sources.from_async_iterable import DEFAULT_PREFETCH as LOOP_PREFETCH
from reactivestreams.sources.from_async_iterable import FromAsyncIterable
from reactivestreams.sources.from_iterable import FromIterable
from reactivestreams.sources.from_publisher import DEFAULT_PREFETCH as PUBLISHER_PREFETCH
from reactivestreams.sources.from_publisher import FromPublisher
from reactivestreams.spec import Publisher
from rs_core.stream.description import Description, new_head

T = TypeVar("T")

Source: TypeAlias = Publisher[T] | Iterable[T] | AsyncIterable[T]
"""What elements can be taken from: a stream or another publisher, an iterable, an asynchronous iterable."""

DEFAULT_PREFETCH = 128
"""How many elements of each input are requested ahead where several run beside each other by default."""


def described(source: object, *, where: str) -> Description:
    """Return the description of a stream of the elements of a source.

    Args:
        source: A stream, a publisher, an iterable or an asynchronous iterable.
        where: The argument that it was given as, or the function that returned it, for the message.

    Raises:
        ArgumentTypeError: It is none of them.
    """
    if isinstance(source, Description) and isinstance(source, Subscribable):
        return source
    if isinstance(source, Publisher):
        publisher = cast("Publisher[object]", source)
        return _head(FromPublisher, FromPublisher.parameters(publisher, prefetch=PUBLISHER_PREFETCH))
    if isinstance(source, AsyncIterable):
        elements = cast("AsyncIterable[object]", source)
        return _head(FromAsyncIterable, FromAsyncIterable.parameters(elements, prefetch=LOOP_PREFETCH))
    if isinstance(source, Iterable) and not isinstance(source, Description):
        return _head(FromIterable, FromIterable.parameters(cast("Iterable[object]", source)))
    raise no_source(source, where)


def no_source(source: object, where: str) -> ArgumentTypeError:
    """Return the error for what no stream can be made of."""
    return ArgumentTypeError(
        f"{where} needs a stream, a publisher, an iterable or an asynchronous iterable, got {source!r:.200} "
        f"({type(source).__name__}); pass Stream.just(value) for a single element"
    )


def described_all(sources: Iterable[object], *, operator: str) -> tuple[Description, ...]:
    """Return the descriptions of the sources that an operator was given."""
    return tuple(described(source, where=f"{operator}(source {number})") for number, source in enumerate(sources, 1))


def _head(definition: Any, parameters: tuple[Any, ...]) -> Description:
    return cast("Description", new_head(Description, definition, parameters))
