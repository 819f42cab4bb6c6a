"""from_iterable: send the elements of an iterable."""

from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from typing import Any, ClassVar, cast

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import (
    Checked,
    OperatorDefinition,
    Recovery,
    U,
    checked_recovery,
    written_recovery,
)
from rs_core.sources.basic import IterableSource, OneShot
from rs_core.stream.description import Description


class FromIterable(OperatorDefinition):
    """Send the elements of an iterable.

    Each subscription reads the iterable again. An iterator can be read once: a second subscription gets `on_error`.

    Args:
        iterable: The iterable to read; not a stream, which is already a source: use `from_publisher` for one. Its
            `next()` is called only on demand, so nothing is read ahead.
        recovery: How a stream recovered from saved state reads the iterable, if not in the default way; see Recovery.

    Demand: a request of n takes at most n elements. The end of a list, tuple, range, str or bytes is noticed with its
        last element; the end of any other iterable, with the request after that.
    Errors: an exception of the iterable becomes `on_error`.
    State: how many elements were taken; version 1.0.0.0.
    Recovery: `skips`: a recovered stream reads the iterable from its start and skips as many elements as were taken. It
        is `restarts` for a set, whose order may differ in the next process, and `none` for an iterator, which cannot be
        read again; a tree with these can only be saved with `allow_restart=True`. Pass `recovery="skips"` if a new
        iterator yields the same elements, and `recovery="exact"` if a new iterator continues after the elements that
        were yielded: then nothing is skipped.
    Threads: the iterable is read in the thread that drains the stream. When the stream ends early, a generator, or an
        iterator that was made here, is closed.
    Rules: §1.1, §1.4, §1.5, §3.13.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.from_iterable({"a": 1, "b": 2}).to_list()
        ['a', 'b']
    """

    id = "rx://sources/from_iterable"
    method = "from_iterable"
    is_read_by_iteration = True  # a list or tuple can also be read directly by the code that runs it
    recovery: ClassVar[Recovery | None] = "skips"

    @staticmethod
    def parameters(iterable: Iterable[U], *, recovery: Recovery | None = None) -> Checked[U]:
        """Return the checked parameters."""
        if isinstance(iterable, Description):
            raise ArgumentTypeError(
                f"from_iterable(iterable) got {iterable!r}, which is already a stream, and would be read by a "
                f"second one that blocks; use it as it is, or from_publisher(stream)"
            )
        checked: object = iterable  # a check of `iterable` itself would make its elements unknown to pyright
        stated = () if recovery is None else (checked_recovery(recovery, operator="from_iterable", default="none"),)
        if isinstance(checked, Iterator) and iter(iterable) is iterable:
            return Checked((OneShot(cast("Iterator[object]", checked)), *stated))
        if isinstance(checked, Iterable) or hasattr(checked, "__getitem__"):
            return Checked((iterable, *stated))
        if isinstance(checked, AsyncIterable):
            raise ArgumentTypeError(
                f"from_iterable(iterable) needs an iterable, got the asynchronous one {checked!r} "
                f"({type(iterable).__name__}); use from_async_iterable()"
            )
        raise ArgumentTypeError(
            f"from_iterable(iterable) needs an iterable, got {iterable!r} ({type(iterable).__name__}); "
            f"use just(...) for single elements"
        )

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery:
        """Return the given recovery, or the default for the iterable."""
        iterable, *stated = parameters
        if stated:
            return stated[0]  # type: ignore[no-any-return]
        if type(iterable) is OneShot:
            return "none"
        return "restarts" if isinstance(iterable, set | frozenset) else "skips"

    @classmethod
    def stage(cls, *parameters: Any) -> IterableSource:
        """Return a new live stage."""
        return IterableSource(parameters[0], cls.recovery_of(parameters) == "skips")

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        iterable, *stated = parameters
        return f"from_iterable({show(iterable)}{written_recovery(*stated)})"
