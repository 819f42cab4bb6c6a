"""The operators as fluent methods, shared by `Stream` and `Pipeline`; each names its operator, which documents it."""

# The node that `_then` returns is of the caller's class, so its element type is stated by each method.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from reactivestreams.arguments import MAX_COUNT
from reactivestreams.operators.filtering.filter import Filter
from reactivestreams.operators.filtering.skip import Skip
from reactivestreams.operators.filtering.take import Take
from reactivestreams.operators.transforming.map import Map
from rs_core.stream.description import Description

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    import pyarrow as pa
    import pyarrow.compute as pc

    from reactivestreams.schedulers import Scheduler
    from reactivestreams.schedulers.loop_tasks import Loop
    from reactivestreams.stream.stream import Stream
    from rs_core.operators.python_stage import PythonStage

T = TypeVar("T")
U = TypeVar("U")


class OperatorMethods(Description, Generic[T]):
    """The methods that add an operator; each returns a new description and leaves this one as it is."""

    # Those that are used most have their argument checked in line: calling `parameters` costs a third of the node. The
    # others are loaded when they are first used.

    __slots__ = ()

    def map(self, function: Callable[[T], U]) -> Stream[U]:
        """Pass on what a function returns for each element: operators.Map."""
        return self._then_call(Map, function)

    def filter(self, predicate: Callable[[T], object]) -> Stream[T]:
        """Pass on the elements for which a predicate is true: operators.Filter."""
        return self._then_call(Filter, predicate)

    def take(self, count: int) -> Stream[T]:
        """Pass on the first elements, then complete: operators.Take."""
        return self._then(Take, (count,) if type(count) is int and 0 <= count <= MAX_COUNT else Take.parameters(count))

    def skip(self, count: int) -> Stream[T]:
        """Drop the first elements: operators.Skip."""
        return self._then(Skip, (count,) if type(count) is int and 0 <= count <= MAX_COUNT else Skip.parameters(count))

    def scan(self, function: Callable[[U, T], U], seed: U) -> Stream[U]:
        """Pass on a running fold: operators.Scan."""
        from reactivestreams.operators.transforming.scan import Scan

        return self._then(Scan, Scan.parameters(function, seed))

    def buffer(self, count: int) -> Stream[list[T]]:
        """Join neighboring elements into lists: operators.Buffer."""
        from reactivestreams.operators.transforming.buffer import Buffer

        return self._then(Buffer, Buffer.parameters(count))

    def flat_map(self, function: Callable[[T], Iterable[U]], *, prefetch: int = 32) -> Stream[U]:
        """Pass on the elements of an iterable for each element: operators.FlatMap."""
        from reactivestreams.operators.transforming.flat_map import FlatMap

        return self._then(FlatMap, FlatMap.parameters(function, prefetch))

    def map_async(
        self,
        function: Callable[[T], Awaitable[U]],
        *,
        concurrency: int = 16,
        ordered: bool = True,
        loop: Loop | None = None,
    ) -> Stream[U]:
        """Pass on what a coroutine function returns for each element: operators.MapAsync."""
        from reactivestreams.operators.transforming.map_async import MapAsync

        return self._then(MapAsync, MapAsync.parameters(function, concurrency, ordered, loop))

    def do(
        self,
        on_next: Callable[[T], object] | None = None,
        *,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
    ) -> Stream[T]:
        """Call functions for signals that pass: operators.Do."""
        from reactivestreams.operators.utility.do import Do

        return self._then(Do, Do.parameters(on_next, on_error, on_complete))

    def observe_on(self, scheduler: Scheduler, *, prefetch: int = 1024) -> Stream[T]:
        """Pass signals on in the threads of a scheduler: operators.ObserveOn."""
        from reactivestreams.operators.utility.observe_on import ObserveOn

        return self._then(ObserveOn, ObserveOn.parameters(scheduler, prefetch))

    def lift(self, stage_class: type[PythonStage[T, U]], *parameters: object) -> Stream[U]:
        """Put an operator of one's own into the stream: operators.Lift."""
        from reactivestreams.operators.transforming.lift import Lift

        return self._then(Lift, Lift.parameters(stage_class, *parameters))

    def map_batches(self, function: Callable[[pa.RecordBatch], pa.RecordBatch]) -> Stream[pa.RecordBatch]:
        """Pass on the Arrow batch that a function returns for each one: operators.MapBatches."""
        from reactivestreams.operators.arrow.map_batches import MapBatches

        return self._then(MapBatches, MapBatches.parameters(function))

    def filter_batches(self, predicate: pc.Expression | Callable[[pa.RecordBatch], object]) -> Stream[pa.RecordBatch]:
        """Keep the rows of each Arrow batch for which a condition is true: operators.FilterBatches."""
        from reactivestreams.operators.arrow.filter_batches import FilterBatches

        return self._then(FilterBatches, FilterBatches.parameters(predicate))

    def project(self, /, *names: str, **computed: pc.Expression) -> Stream[pa.RecordBatch]:
        """Pass on some columns of each Arrow batch, and computed ones: operators.Project."""
        from reactivestreams.operators.arrow.project import Project

        return self._then(Project, Project.parameters(names, computed))

    def with_columns(self, /, **computed: pc.Expression) -> Stream[pa.RecordBatch]:
        """Add computed columns to each Arrow batch: operators.WithColumns."""
        from reactivestreams.operators.arrow.with_columns import WithColumns

        return self._then(WithColumns, WithColumns.parameters(computed))

    def _add(self, operator: Any) -> Any:
        return self._then(operator.definition, operator.parameters, operator.assembly)
