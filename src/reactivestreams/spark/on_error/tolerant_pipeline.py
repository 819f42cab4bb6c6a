"""A pipeline whose failing elements travel on as failures, so that one bad row does not end its partition.

An element is a pair as in `numbered_pipeline`. Where a function raises, a `FailedRow` takes the place of the pair and
passes the operators behind it untouched.
"""

from collections.abc import Callable, Iterator
from typing import Any

from reactivestreams.operators import Do, Filter, FilterBatches, FlatMap, Map, MapBatches, Project, WithColumns
from reactivestreams.spark.on_error.row_failures import FailedRow
from reactivestreams.spark.plan.pipeline_plan import short_name
from reactivestreams.spark.rows.row_encoding import short_repr
from reactivestreams.spark.steps.numbered_pipeline import Pair
from reactivestreams.stream import Operator, Pipeline, pipeline

__all__ = ["Outcome", "failed", "first_unguarded", "guarded", "message_of"]

Outcome = Pair | FailedRow
"""An element with its row's number, or the failure that took its place."""


def guarded(described: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Return the pipeline that does with outcomes what the given one does with elements, and fails on none."""
    chain = pipeline()
    for operator in described.operators:
        for wrapped in GUARDS[operator.definition](operator):
            chain = chain._add(wrapped)
    return chain


def first_unguarded(described: Pipeline[Any, Any]) -> Operator | None:
    """Return the first operator that cannot leave an element out; None where there is none."""
    return next((operator for operator in described.operators if operator.definition not in GUARDS), None)


def failed(pair: Pair, operator: Operator, error: Exception) -> FailedRow:
    """Return what takes the place of a pair on which an operator failed."""
    return FailedRow(
        number=pair[0],
        element=short_repr(pair[1]),
        error=type(error).__name__,
        message=message_of(error),
        operator=short_name(operator),
        line=str(operator.assembly),
    )


def message_of(error: BaseException) -> str:
    """Return the text of an exception, whose class may be anybody's."""
    try:
        return str(error)
    except Exception as second:
        return f"<{type(error).__name__} whose text raises {type(second).__name__}>"


def guarded_map(operator: Operator) -> list[Operator]:
    """Guard an operator that gives one element for each."""
    function: Callable[[Any], Any] = operator.parameters[0]

    def call(outcome: Outcome) -> Outcome:
        if type(outcome) is FailedRow:
            return outcome
        assert isinstance(outcome, tuple)
        try:
            return outcome[0], function(outcome[1])
        except Exception as error:
            return failed(outcome, operator, error)

    return [Operator(Map, (call,), operator.assembly)]


def guarded_filter(operator: Operator) -> list[Operator]:
    """Guard filter: an element gives itself, a failure, or nothing."""
    predicate: Callable[[Any], object] = operator.parameters[0]

    def call(outcome: Outcome) -> Outcome | None:
        if type(outcome) is FailedRow:
            return outcome
        assert isinstance(outcome, tuple)
        try:
            return outcome if predicate(outcome[1]) else None
        except Exception as error:
            return failed(outcome, operator, error)

    return [Operator(Map, (call,), operator.assembly), Operator(Filter, (is_there,), operator.assembly)]


def is_there(outcome: Outcome | None) -> bool:
    """Tell whether an element was kept."""
    return outcome is not None


def guarded_flat_map(operator: Operator) -> list[Operator]:
    """Guard flat_map: what an iterable gave before it failed stays."""
    function, prefetch = operator.parameters

    def call(outcome: Outcome) -> Iterator[Outcome]:
        if type(outcome) is FailedRow:
            yield outcome
            return
        assert isinstance(outcome, tuple)
        try:
            for part in function(outcome[1]):
                yield outcome[0], part
        except Exception as error:
            yield failed(outcome, operator, error)

    return [Operator(FlatMap, (call, prefetch), operator.assembly)]


def guarded_do(operator: Operator) -> list[Operator]:
    """Guard do: its first function looks at elements; the others, at the end, are no row's."""
    on_next, *others = operator.parameters
    steps = []
    if on_next is not None:

        def call(outcome: Outcome) -> Outcome:
            if type(outcome) is FailedRow:
                return outcome
            assert isinstance(outcome, tuple)
            try:
                on_next(outcome[1])
            except Exception as error:
                return failed(outcome, operator, error)
            return outcome

        steps.append(Operator(Map, (call,), operator.assembly))
    if any(others):
        steps.append(Operator(Do, (None, *others), operator.assembly))
    return steps


GUARDS: dict[type, Callable[[Operator], list[Operator]]] = {
    Map: guarded_map,
    Filter: guarded_filter,
    FlatMap: guarded_flat_map,
    Do: guarded_do,
    MapBatches: guarded_map,
    FilterBatches: guarded_map,
    Project: guarded_map,
    WithColumns: guarded_map,
}
"""The operators without state: what they do with an element depends on no other, so that one can be left out."""
