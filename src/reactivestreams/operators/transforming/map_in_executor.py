"""map_in_executor: pass on what a function returns for each element, called in the workers of an executor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T, U
from reactivestreams.schedulers.delays import scheduler_for_delays
from reactivestreams.schedulers.executor_tasks import checked_executor, executor_tasks
from rs_core.operators.map_async import ExecutorMapStage

if TYPE_CHECKING:
    from concurrent.futures import Executor

DEFAULT_CONCURRENCY = 16
"""How many calls map_in_executor has begun at once unless it is told otherwise."""

MAX_CONCURRENCY = 2**16
"""The most calls that map_in_executor has begun at once."""

MAX_ELEMENTS = 2**24
"""The most elements that the calls of map_in_executor have at once: `concurrency` times `chunk`."""


class MapInExecutor(OperatorDefinition):
    """Pass on what a function returns for each element; several calls run at once, in the workers of an executor.

    Args:
        function: Called with each element in a worker: a thread, a process or an interpreter. For processes it has to
            be one that can be pickled, as functions of a module can.
        executor: A `concurrent.futures.Executor`, which stays its owner's; or a function without parameters that makes
            one for each subscription, which is shut down when the stream ends.
        concurrency: How many calls may run, or wait to be passed on, at once, from 1 to 65,536. The executor says how
            many of them have a worker.
        ordered: Whether results are passed on in the order of the elements; else as they come.
        chunk: How many elements a call gets, from 1; fewer only where no other call runs, and for the last elements.
            A call costs the way to a process and back, so many short ones belong into one. `concurrency` times `chunk`
            is 2**24 at most. Interpreters get one at a time.

    Demand: no more elements are given to calls than results are requested; `concurrency` times `chunk` elements are
        requested upstream at the start, and again when 75 % of them were taken.
    Errors: upstream's come behind the results; an exception of a call, where its result would have come, cancels the
        upstream and all calls that have not begun, and becomes `on_error`. So does a lost worker: BrokenExecutor. An
        exception of a call that still runs when the stream has ended goes to the hook for dropped signals.
    State: the elements whose results were not passed on; for them the function is called again. Version 1.0.0.0.
    Threads: calls run in the executor. Results go on in a task of the host's scheduler; without a host on the asyncio
        loop that runs where the stream is subscribed, or else on a scheduler that such streams share. `observe_on`
        takes them elsewhere. So a pool that forks its processes forks one with threads: with Python before 3.14 on
        Linux, give it `mp_context=multiprocessing.get_context("forkserver")`.
    Rules: §1.1, §1.3, §3.4, §3.5.
    Elsewhere: Reactor `flatMapSequential` of a `Mono` with `subscribeOn`, and `flatMap` for `ordered=False`; RxJava
        `concatMapEager`, and `flatMapSingle` for `ordered=False`; reactivex `flat_map`.

    Example:
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> from reactivestreams import Stream
        >>> with ThreadPoolExecutor(4) as pool:
        ...     Stream.just("a", "b", "c").map_in_executor(str.upper, pool).to_list()
        ['A', 'B', 'C']
    """

    id = "rx://operators/map_in_executor"
    method = "map_in_executor"
    serializable = False

    @staticmethod
    def parameters(
        function: Callable[[T], U],
        executor: Executor | Callable[[], Executor],
        *,
        concurrency: int = DEFAULT_CONCURRENCY,
        ordered: bool = True,
        chunk: int = 1,
    ) -> Checked[U]:
        """Return the checked parameters."""
        name = "map_in_executor"
        checked_callable(function, operator=name, name="function")
        calls = checked_count(concurrency, operator=name, name="concurrency", at_least=1, at_most=MAX_CONCURRENCY)
        most = MAX_ELEMENTS // calls
        size = checked_count(chunk, operator=name, name="chunk", at_least=1, at_most=most)
        checked_executor(executor, function, size, operator=name)
        return Checked((function, executor, calls, bool(ordered), size))

    @staticmethod
    def stage(
        function: Callable[[Any], Any],
        executor: Executor | Callable[[], Executor],
        concurrency: int,
        ordered: bool,
        chunk: int,
    ) -> ExecutorMapStage:
        """Return a new live stage."""
        find_tasks = partial(executor_tasks, executor, function, chunk, who="map_in_executor")
        return ExecutorMapStage(function, concurrency, ordered, find_tasks, chunk, scheduler_for_delays)
