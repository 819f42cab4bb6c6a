"""flat_map: pass on the elements of an iterable for each element."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from rs_core.operators.flatten import FlatMapStage

DEFAULT_PREFETCH = 32
"""How many elements flat_map requests ahead unless it is told otherwise."""


class FlatMap(OperatorDefinition):
    """Pass on the elements of the iterable that a function returns for each element, one iterable after the other.

    Args:
        function: Called with each element; returns an iterable, which is read as elements are requested. A stream, a
            publisher or an asynchronous iterable is refused, since reading it would block the thread that drains:
            return `stream.to_list()` of one that ends.
        prefetch: How many elements may be requested upstream and not yet expanded, from 1 to 2**24.

    Demand: `prefetch` requested upstream at the start; replenished when 75 % of them were expanded.
    Errors: upstream's come behind the elements that are still queued; an exception of the function or of an iterable
        cancels the upstream and becomes `on_error`, and so does an ArgumentTypeError where the function returns none.
    State: the queue, the element that is being expanded and how many of its elements were passed on; the function must
        return equal elements again for it. Version 1.0.0.0.
    Threads: the function and the iterables run in the thread that drains the stream.
    Rules: §1.1, §1.3, §1.4.
    Elsewhere: Reactor `concatMapIterable`; RxJava `concatMapIterable`; reactivex `flat_map`.

    Example:
        >>> from reactivestreams import Stream
        >>> Stream.just("ab", "c").flat_map(list).to_list()
        ['a', 'b', 'c']
    """

    id = "rx://operators/flat_map"
    method = "flat_map"
    stage = FlatMapStage

    @staticmethod
    def parameters(function: Callable[[T], Iterable[U]], *, prefetch: int = DEFAULT_PREFETCH) -> Checked[U]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_callable(function, operator="flat_map", name="function"),
                checked_count(prefetch, operator="flat_map", name="prefetch", at_least=1, at_most=2**24),
            )
        )

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        function, prefetch = parameters
        ahead = "" if prefetch == DEFAULT_PREFETCH else f", prefetch={prefetch}"
        return f"flat_map({show(function)}{ahead})"
