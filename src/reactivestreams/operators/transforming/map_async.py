"""map_async: pass on what a coroutine function returns for each element."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable_of_any_kind, checked_count, checked_loop
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.schedulers.loop_tasks import loop_tasks
from rs_core.operators.map_async import AsyncMapStage

if TYPE_CHECKING:
    from reactivestreams.schedulers.loop_tasks import Loop

DEFAULT_CONCURRENCY = 16
"""How many calls map_async has running at once unless it is told otherwise."""

MAX_CONCURRENCY = 2**16
"""The most calls that map_async has running at once."""


class MapAsync(OperatorDefinition):
    """Pass on what a coroutine function returns for each element; several calls run at once, in an event loop.

    Args:
        function: A coroutine function, called with each element in the thread of the event loop.
        concurrency: How many calls may run, or wait to be passed on, at once, from 1 to 65,536.
        ordered: Whether results are passed on in the order of the elements; else as they come.
        loop: The asyncio event loop that runs the calls, or the token of a trio run; None: the one that runs where the
            stream is subscribed.

    Demand: no more calls are begun than results are requested; `concurrency` elements are requested upstream at the
        start, and again when 75 % of them were taken.
    Errors: upstream's come behind the results; an exception of a call, where its result would have come, cancels the
        upstream and all other calls and becomes `on_error`. WrongEventLoopError where there is no loop.
    State: the elements whose results were not passed on; for them the function is called again. Version 1.0.0.0.
    Threads: calls run in the loop's thread; results go on in it, or in the thread that requests.
    Rules: §1.1, §1.3, §3.4, §3.5.
    Elsewhere: Reactor `flatMapSequential` of a `Mono`, and `flatMap` for `ordered=False`; RxJava `concatMapEager`, and
        `flatMapSingle` for `ordered=False`; reactivex `flat_map`.

    Example:
        >>> import asyncio
        >>> from reactivestreams import Stream
        >>> async def fetch(number):
        ...     await asyncio.sleep(0.001)
        ...     return number * 2
        >>> async def main():
        ...     return await Stream.range(5).map_async(fetch, concurrency=3).to_list_async()
        >>> asyncio.run(main())
        [0, 2, 4, 6, 8]
    """

    id = "rx://operators/map_async"
    method = "map_async"
    serializable = False

    @staticmethod
    def parameters(
        function: Callable[[T], Awaitable[U]],
        *,
        concurrency: int = DEFAULT_CONCURRENCY,
        ordered: bool = True,
        loop: Loop | None = None,
    ) -> Checked[U]:
        """Return the checked parameters."""
        return Checked(
            (
                checked_callable_of_any_kind(function, operator="map_async", name="function"),
                checked_count(
                    concurrency, operator="map_async", name="concurrency", at_least=1, at_most=MAX_CONCURRENCY
                ),
                bool(ordered),
                checked_loop(loop, operator="map_async"),
            )
        )

    @staticmethod
    def stage(
        function: Callable[[Any], Awaitable[Any]], concurrency: int, ordered: bool, loop: Loop | None
    ) -> AsyncMapStage:
        """Return a new live stage."""
        return AsyncMapStage(function, concurrency, ordered, partial(loop_tasks, loop, who="map_async"))
