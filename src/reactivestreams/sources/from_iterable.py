"""from_iterable: send the elements of an iterable."""

from collections.abc import Iterable, Iterator
from typing import Any

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import OperatorDefinition
from rs_core.source_stages import IterableSource, OneShot


class FromIterable(OperatorDefinition):
    """Send the elements of an iterable.

    An iterable is read anew by every subscription. An iterator can be read once: its second subscription gets
    `on_error`.

    Args:
        iterable: What to read. Its `next()` is called for demand only, so nothing is read ahead.

    Demand: n requested are at most n taken. The end of a list, tuple, range, str or bytes is seen with its last
        element; that of any other iterable by the request after it.
    Errors: an exception of the iterable becomes `on_error`.
    State: how many elements were taken; a loaded source skips as many. Version 1.0.0.0.
    Threads: the iterable is read in the thread that drains the stream. When the stream ends early, an iterator that
        was made here and a generator are closed.
    Rules: §1.1, §1.4, §1.5, §3.13.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.from_iterable({"a": 1, "b": 2}).to_list()
        ['a', 'b']
    """

    id = "rx://sources/from_iterable"
    method = "from_iterable"
    stage = IterableSource

    @staticmethod
    def parameters(iterable: Any) -> tuple[Any]:
        """Return the checked parameters."""
        checked: object = iterable  # a check of `iterable` itself would make its elements unknown to pyright
        if isinstance(checked, Iterator) and iter(iterable) is iterable:
            return (OneShot(iterable),)
        if isinstance(checked, Iterable) or hasattr(checked, "__getitem__"):
            return (iterable,)
        raise ArgumentTypeError(
            f"from_iterable(iterable) needs an iterable, got {iterable!r} ({type(iterable).__name__}); "
            f"use just(...) for single elements"
        )
