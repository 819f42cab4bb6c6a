"""from_iterable: send the elements of an iterable."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.operators.definition import OperatorDefinition, Recovery, checked_recovery, written_recovery
from rs_core.sources.basic import IterableSource, OneShot
from rs_core.stream.description import Description


class FromIterable(OperatorDefinition):
    """Send the elements of an iterable.

    An iterable is read anew by every subscription. An iterator can be read once: its second subscription gets
    `on_error`.

    Args:
        iterable: What to read; no stream, which is a source already: `from_publisher` takes one. Its `next()` is called
            for demand only, so nothing is read ahead.
        recovery: What a stream does with it that is recovered from saved state, where that is not the default; see
            Recovery.

    Demand: n requested are at most n taken. The end of a list, tuple, range, str or bytes is seen with its last
        element; that of any other iterable by the request after it.
    Errors: an exception of the iterable becomes `on_error`.
    State: how many elements were taken; version 1.0.0.0.
    Recovery: `skips`: a recovered stream reads the iterable from its start and drops as many elements as were taken. It
        is `restarts` for a set, whose order may be another in the next process, and `none` for an iterator, since one
        that was read cannot be read again; a tree with these is saved with `allow_restart=True` only. State
        `recovery="skips"` where a new iterator gives the same elements, and `recovery="exact"` where it goes on by
        itself after what it gave: then nothing is dropped.
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
    is_read_by_iteration = True  # what runs it for a list or a tuple may as well read that itself
    recovery: ClassVar[Recovery | None] = "skips"

    @staticmethod
    def parameters(iterable: Any, recovery: object = None) -> tuple[Any, ...]:
        """Return the checked parameters."""
        if isinstance(iterable, Description):
            raise ArgumentTypeError(
                f"from_iterable(iterable) got {iterable!r}, which is a stream already, and would be read by a "
                f"second one that blocks; use it as it is, or from_publisher(stream)"
            )
        checked: object = iterable  # a check of `iterable` itself would make its elements unknown to pyright
        stated = () if recovery is None else (checked_recovery(recovery, operator="from_iterable", default="none"),)
        if isinstance(checked, Iterator) and iter(iterable) is iterable:
            return (OneShot(iterable), *stated)
        if isinstance(checked, Iterable) or hasattr(checked, "__getitem__"):
            return (iterable, *stated)
        raise ArgumentTypeError(
            f"from_iterable(iterable) needs an iterable, got {iterable!r} ({type(iterable).__name__}); "
            f"use just(...) for single elements"
        )

    @classmethod
    def recovery_of(cls, parameters: tuple[Any, ...]) -> Recovery:
        """Return what was stated, or what fits the iterable."""
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
