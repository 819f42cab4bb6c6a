"""parallel: run the same operators on several rails at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from reactivestreams.arguments import checked_count
from reactivestreams.operators.definition import Checked, OperatorDefinition, T
from rs_core.operators.parallel import ParallelStage

if TYPE_CHECKING:
    from reactivestreams.schedulers import Scheduler
    from rs_core.stream.description import Description

DEFAULT_PREFETCH = 128
"""How many elements wait before the rails, in each of them and behind each, unless it is told otherwise."""

MAX_RAILS = 1024
"""How many rails a stream may have."""

MAX_ELEMENTS = 2**24
"""How many elements may wait in all rails together."""


class Parallel(OperatorDefinition):
    """Run the same operators on several rails at a time, and join what the rails send.

    `parallel(n)` returns a `ParallelStream`. `run_on(pool)` says which threads run the rails, then come the operators
    of each rail, `map`, `filter` and others, and `sequential()` joins the rails to a stream again. Nothing runs before.
    The elements go to the rails in turn; one that has no room is left out. With `sequential(ordered=True)` the results
    come in the order of their elements. On an interpreter without a GIL, functions in Python run on several cores at a
    time; with a GIL it is for functions that release it. Without `run_on` the rails run in one thread, one after the
    other.

    Args:
        n: How many rails, from 1 to 1024.
        prefetch: How many elements may be requested upstream and not yet handed out, and how many results of each rail
            may wait to be requested, from 1; `n` times `prefetch` is at most 2**24. `run_on(prefetch=)` says how many
            may wait in front of the operators of each rail.

    Demand: `prefetch` requested upstream at the start; replenished when 75 % of them were handed out. So at most
        `prefetch` and, for each rail, `prefetch` and that of `run_on` were requested and not passed on.
    Errors: an error of a rail cancels the others and the upstream, and goes on at once; in order, after the results of
        older elements. Upstream's comes after what the rails made of the elements before it.
    State: what waits in front of, in and behind the rails, and which rail is next; version 1.0.0.0. The operators of
        each rail save theirs.
    Threads: the operators of a rail run as tasks of the scheduler, those of different rails at the same time. Signals
        go on in the thread of one of the rails, one at a time; `observe_on` takes them elsewhere. The upstream is run
        by these threads, too, one at a time.
    Rules: §1.1, §1.3, §1.7, §3.4, §3.5.
    Elsewhere: Reactor `parallel`; RxJava `parallel`; reactivex none.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.schedulers import WorkerPool
        >>> with WorkerPool(workers=2) as pool:
        ...     rails = Stream.range(6).parallel(2).run_on(pool).map(lambda number: number * number)
        ...     rails.sequential(ordered=True).to_list()
        [0, 1, 4, 9, 16, 25]
    """

    id = "rx://operators/parallel"
    method = "parallel"
    opens = "Parallel"
    node_parameters: ClassVar[tuple[str, ...]] = ("n", "rail", "scheduler", "prefetch", "rail_prefetch", "ordered")
    serializable = False  # on Spark, which runs partitions side by side itself, the operators of a rail take its place

    @staticmethod
    def parameters(n: int, *, prefetch: int = DEFAULT_PREFETCH) -> Checked[T]:
        """Return the checked parameters."""
        rails = checked_count(n, operator="parallel", name="n", at_least=1, at_most=MAX_RAILS)
        return Checked((rails, checked_rail_prefetch(prefetch, rails, operator="parallel")))

    @staticmethod
    def stage(
        n: int,
        rail: Description,
        scheduler: Scheduler | None,
        prefetch: int,
        rail_prefetch: int,
        ordered: bool,
    ) -> ParallelStage:
        """Return a new live stage."""
        operators = tuple((node.definition, node.parameters, node.assembly) for node in rail.nodes()[1:])
        return ParallelStage(n, operators, scheduler, prefetch, rail_prefetch, ordered)

    @classmethod
    def written(cls, parameters: tuple[Any, ...], show: Callable[[object], str]) -> str:
        """Return the calls of the methods as one would write them."""
        n, rail, scheduler, prefetch, rail_prefetch, ordered = parameters
        calls = [written_rails(n, prefetch), *written_run_on(scheduler, rail_prefetch, show)]
        calls += [node.definition.written(node.parameters, show) for node in rail.nodes()[1:]]
        return ".".join([*calls, "sequential(ordered=True)" if ordered else "sequential()"])


def checked_rail_prefetch(prefetch: object, rails: int, *, operator: str) -> int:
    """Return how many elements may wait in each of the rails, or raise like `checked_count`."""
    return checked_count(prefetch, operator=operator, name="prefetch", at_least=1, at_most=MAX_ELEMENTS // rails)


def written_rails(rails: int, prefetch: int) -> str:
    """Return the call that opens rails."""
    return f"parallel({rails}{'' if prefetch == DEFAULT_PREFETCH else f', prefetch={prefetch}'})"


def written_run_on(scheduler: object, prefetch: int, show: Callable[[object], str]) -> list[str]:
    """Return the call that says where rails run; none, if there was none."""
    if scheduler is None:
        return []
    return [f"run_on({show(scheduler)}{'' if prefetch == DEFAULT_PREFETCH else f', prefetch={prefetch}'})"]
