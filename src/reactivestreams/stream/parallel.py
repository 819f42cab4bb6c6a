"""Rails: what `parallel` of a stream or a pipeline returns, until `sequential` joins them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.utility.parallel import (
    DEFAULT_PREFETCH,
    Parallel,
    checked_rail_prefetch,
    written_rails,
    written_run_on,
)
from reactivestreams.schedulers import PhysicalScheduler, Scheduler, SchedulerStatus
from reactivestreams.stream.pipelines import Operator, Pipeline, pipeline
from rs_core.operators.parallel import keeps_places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from reactivestreams.operators.combining.inputs import Source
    from reactivestreams.stream.stream import Stream

__all__ = ["ParallelPipeline", "ParallelStream"]

A = TypeVar("A")
T = TypeVar("T")
U = TypeVar("U")


class _Rails(Generic[T]):
    """A description, and what each rail behind it does; an immutable value."""

    __slots__ = ("_description", "_prefetch", "_rail", "_rail_prefetch", "_rails", "_scheduler")

    def __init__(self, description: Any, rails: int, prefetch: int) -> None:
        self._description = description
        self._rails = rails
        self._prefetch = prefetch
        self._scheduler: Scheduler | None = None
        self._rail_prefetch = DEFAULT_PREFETCH
        self._rail: Pipeline[Any, Any] = pipeline()

    def _copy(self) -> Any:
        copy = type(self)(self._description, self._rails, self._prefetch)
        copy._scheduler, copy._rail_prefetch, copy._rail = self._scheduler, self._rail_prefetch, self._rail
        return copy

    def run_on(self, scheduler: PhysicalScheduler | Scheduler, *, prefetch: int = DEFAULT_PREFETCH) -> Self:
        """Run the rails as tasks of a scheduler; called once, before the operators of the rails.

        Args:
            scheduler: A physical scheduler, such as `WorkerPool(workers=4)`, whose threads run as many rails at a time;
                or a Scheduler, which runs them at the same time if its affinity is `"any"`, else one after the other.
            prefetch: How many elements may wait in front of the operators of each rail, or be in them, from 1; 1 for
                calls that take long, so that a slow one delays no other element.

        Raises:
            ArgumentTypeError: It is no scheduler, or the prefetch is no integer.
            ArgumentError: The scheduler was disposed, or the prefetch is out of range; or the rails have a scheduler,
                or operators, which would run before it.

        Example:
            >>> from reactivestreams import Stream
            >>> from reactivestreams.schedulers import WorkerPool
            >>> import threading
            >>> with WorkerPool(workers=2, name="pool") as pool:
            ...     rails = Stream.range(2).parallel(2).run_on(pool, prefetch=1)
            ...     rails.map(lambda _: threading.current_thread().name.startswith("pool")).sequential().to_list()
            [True, True]
        """
        if self._scheduler is not None:
            raise ArgumentError(
                f"run_on({scheduler!r}): the rails run on {self._scheduler!r} already, and a rail has one scheduler; "
                f"call run_on once, and put observe_on(scheduler) into the rails by through() where they go elsewhere"
            )
        if self._rail.operators:
            raise ArgumentError(
                f"run_on({scheduler!r}) stands behind {self._rail!r}, but says where all operators of a rail run; call "
                f"it first: parallel(n).run_on(scheduler).map(function)"
            )
        if not isinstance(scheduler, PhysicalScheduler | Scheduler):
            raise ArgumentTypeError(
                f"run_on(scheduler) needs a scheduler, got {scheduler!r} ({type(scheduler).__name__}); pass e.g. "
                f"WorkerPool(workers=4); an Executor runs calls for map_in_executor(function, executor)"
            )
        if isinstance(scheduler, PhysicalScheduler):
            is_disposed = scheduler.is_disposed
        else:
            is_disposed = scheduler.status is SchedulerStatus.DISPOSED
        if is_disposed:
            raise ArgumentError(f"run_on(scheduler): {scheduler!r} was disposed and runs nothing; pass a new one")
        copy: Self = self._copy()
        copy._rail_prefetch = checked_rail_prefetch(prefetch, self._rails, operator="run_on")
        copy._scheduler = scheduler.common_root() if isinstance(scheduler, PhysicalScheduler) else scheduler
        return copy

    def _through(self, other: Any) -> Any:
        copy = self._copy()
        copy._rail = self._rail.through(other)
        return copy

    def _joined(self, ordered: bool) -> Any:
        if ordered:
            _require_order(self._rail.operators)
        parameters = (self._rails, self._rail, self._scheduler, self._prefetch, self._rail_prefetch, bool(ordered))
        return self._description._then(Parallel, parameters)

    if not TYPE_CHECKING:  # else type checkers would accept every name

        def __getattr__(self, name):
            from reactivestreams.stream.missing_names import missing_name

            kind = type(self).__name__
            whole = kind.removeprefix("Parallel")
            if name.startswith("_"):
                text = f"{kind} has no {name!r}"
            elif hasattr(Pipeline, name):
                text = (
                    f"{kind} has no {name!r}; through(lambda rail: rail.{name}(...)) adds it to each rail, and a "
                    f"{whole} has it: call it behind sequential()"
                )
            elif hasattr(type(self._description), name):
                text = f"{kind} has no {name!r}, which a {whole} has; call sequential() first, which joins the rails"
            else:
                raise missing_name(type(self), name)
            raise AttributeError(text, name=name, obj=None)

    def __repr__(self) -> str:
        from reactivestreams.stream.presentation import chain_text, shown_parameter

        calls = [written_rails(self._rails, self._prefetch)]
        calls += written_run_on(self._scheduler, self._rail_prefetch, shown_parameter)
        return chain_text(f"{self._description!r}.{'.'.join(calls)}", self._rail.nodes()[1:])


def _require_order(operators: Iterable[Operator]) -> None:
    """Refuse an operator that may have more than one result for an element, or a result later than in its turn."""
    for operator in operators:
        if operator.definition.stateful or not keeps_places(operator.definition.stage(*operator.parameters)):
            raise ArgumentError(
                f"sequential(ordered=True) needs operators with at most one result for each element, which depends on "
                f"that element alone, as map and filter have; {operator} has others. Put it behind sequential(), or "
                f"leave the order out"
            )


class ParallelStream(_Rails[T]):
    """The rails of a stream, to which operators are added; made by `Stream.parallel`. It is no Stream.

    Demand, errors, state and threads: see `parallel`. Operators that have no method here are added by `through`.

    Example:
        >>> from reactivestreams import Stream
        >>> rails = Stream.range(10).parallel(2).filter(lambda number: number % 2 == 0).map(str)
        >>> rails.sequential(ordered=True).to_list()
        ['0', '2', '4', '6', '8']
    """

    __slots__ = ()

    def map(self, function: Callable[[T], U]) -> ParallelStream[U]:
        """Pass on what a function returns for each element; see `Stream.map`."""
        return cast("ParallelStream[U]", self._through(pipeline().map(function)))

    def filter(self, predicate: Callable[[T], object]) -> ParallelStream[T]:
        """Pass on the elements for which a function returns a true value; see `Stream.filter`."""
        return cast("ParallelStream[T]", self._through(pipeline().filter(predicate)))

    def flat_map(
        self, function: Callable[[T], Source[U]], *, concurrency: int = 32, prefetch: int = 32
    ) -> ParallelStream[U]:
        """Pass on the elements of what a function returns for each element; see `Stream.flat_map`."""
        return cast(
            "ParallelStream[U]",
            self._through(pipeline().flat_map(function, concurrency=concurrency, prefetch=prefetch)),
        )

    def through(self, other: Pipeline[T, U] | Callable[[Pipeline[T, T]], Pipeline[T, U]]) -> ParallelStream[U]:
        """Add the operators of a pipeline to each rail, or those that a function adds to its pipeline.

        Args:
            other: A pipeline; or a function, which is called at once with the pipeline of a rail and returns one.

        Example:
            >>> from reactivestreams import Stream
            >>> rails = Stream.range(6).parallel(2).through(lambda rail: rail.scan(lambda total, each: total + each, 0))
            >>> sorted(rails.sequential().to_list())
            [0, 1, 2, 4, 6, 9]
        """
        return cast("ParallelStream[U]", self._through(other))

    def sequential(self, *, ordered: bool = False) -> Stream[T]:
        """Join the rails: return a stream of what they send.

        Args:
            ordered: Whether results come in the order of their elements. Then the operators of the rails have to have
                at most one result for each element, as `map` and `filter` have. False: as they come.

        Raises:
            ArgumentError: In order, an operator of the rails may have more results; the message names it.
        """
        return cast("Stream[T]", self._joined(ordered))


class ParallelPipeline(_Rails[T], Generic[A, T]):
    """The rails of a pipeline, with the methods of `ParallelStream`; made by `Pipeline.parallel`.

    On Spark, which runs partitions side by side itself, there are no rails: each partition goes through the operators
    of one, in order.

    Example:
        >>> from reactivestreams import Stream, pipeline
        >>> texts = pipeline().parallel(2).map(str).sequential(ordered=True)
        >>> Stream.range(3).through(texts).to_list()
        ['0', '1', '2']
    """

    __slots__ = ()

    def map(self, function: Callable[[T], U]) -> ParallelPipeline[A, U]:
        """Pass on what a function returns for each element; see `Pipeline.map`."""
        return cast("ParallelPipeline[A, U]", self._through(pipeline().map(function)))

    def filter(self, predicate: Callable[[T], object]) -> ParallelPipeline[A, T]:
        """Pass on the elements for which a function returns a true value; see `Pipeline.filter`."""
        return cast("ParallelPipeline[A, T]", self._through(pipeline().filter(predicate)))

    def flat_map(
        self, function: Callable[[T], Source[U]], *, concurrency: int = 32, prefetch: int = 32
    ) -> ParallelPipeline[A, U]:
        """Pass on the elements of what a function returns for each element; see `Pipeline.flat_map`."""
        return cast(
            "ParallelPipeline[A, U]",
            self._through(pipeline().flat_map(function, concurrency=concurrency, prefetch=prefetch)),
        )

    def through(self, other: Pipeline[T, U] | Callable[[Pipeline[T, T]], Pipeline[T, U]]) -> ParallelPipeline[A, U]:
        """Add the operators of a pipeline to each rail; see `ParallelStream.through`."""
        return cast("ParallelPipeline[A, U]", self._through(other))

    def sequential(self, *, ordered: bool = False) -> Pipeline[A, T]:
        """Join the rails: return a pipeline of what they send; see `ParallelStream.sequential`."""
        return cast("Pipeline[A, T]", self._joined(ordered))


def opened(description: Stream[Any] | Pipeline[Any, Any], parameters: tuple[Any, ...]) -> Any:
    """Return the rails behind a description, to which operators are added; `parameters` are those of `parallel`."""
    kind: type[Any] = ParallelPipeline if isinstance(description, Pipeline) else ParallelStream
    return kind(description, *parameters)
