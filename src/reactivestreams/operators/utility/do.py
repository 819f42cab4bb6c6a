"""do: call functions for signals that pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reactivestreams.arguments import checked_callable
from reactivestreams.errors import ArgumentError
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.element import DoStage


class Do(OperatorDefinition):
    """Call a function for each signal of a kind and pass the signal on unchanged.

    Args:
        on_next: Called with each element before it is passed on, or None.
        on_error: Called with the error before it is passed on, or None.
        on_complete: Called without arguments before the completion is passed on, or None.

    Demand: n requested are n requested upstream.
    Errors: upstream's are passed on; an exception of a function takes the place of the signal it was called for.
    State: none but whether it is disposed; version 1.0.0.0.
    Threads: the functions run in the thread that drains the stream.
    Rules: §1.3, §1.7.
    Elsewhere: Reactor `doOnNext`, `doOnError`, `doOnComplete`; RxJava `doOnNext`, `doOnError`, `doOnComplete`;
        reactivex `do_action`.

    Example:
        >>> from reactivestreams import Stream
        >>> seen = []
        >>> Stream.just(1, 2).do(on_next=seen.append, on_complete=lambda: seen.append("end")).run()
        >>> seen
        [1, 2, 'end']
    """

    id = "rx://operators/do"
    method = "do"
    stage = DoStage

    @staticmethod
    def parameters(
        on_next: Callable[[T], object] | None = None,
        *,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
    ) -> Checked[T]:
        """Return the checked parameters."""
        functions = {"on_next": on_next, "on_error": on_error, "on_complete": on_complete}
        given = {name: function for name, function in functions.items() if function is not None}
        if not given:
            raise ArgumentError("do() needs at least one function; pass on_next=, on_error= or on_complete=")
        for name, function in given.items():
            checked_callable(function, operator="do", name=name)
        return Checked((on_next, on_error, on_complete))

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the call of the method as one would write it."""
        names = ("on_next", "on_error", "on_complete")
        given = zip(names, parameters, strict=True)
        return f"do({', '.join(f'{name}={show(function)}' for name, function in given if function is not None)})"
