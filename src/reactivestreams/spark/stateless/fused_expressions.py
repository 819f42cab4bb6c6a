"""Neighboring operators of expressions as one plan of Acero, since to run a plan costs as much as most expressions."""

from itertools import groupby
from typing import TYPE_CHECKING, Any

from reactivestreams.operators import FilterBatches, Project, WithColumns
from reactivestreams.operators.arrow.expressions import one_batch
from reactivestreams.stream import Operator, Pipeline, Stream
from reactivestreams.stream import pipeline as no_operators

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["FusedExpressions", "with_fused_expressions"]


def with_fused_expressions(pipeline: Pipeline[Any, Any]) -> Pipeline[Any, Any]:
    """Return a pipeline that does the same with a plan for neighboring operators of expressions."""
    fused, start = no_operators(), 0
    for has_expressions, run in groupby(pipeline.operators, key=is_of_expressions):
        stop = start + len([*run])
        part = pipeline.slice(start, stop)
        is_longer = has_expressions and stop - start > 1
        fused = fused.map(FusedExpressions(part)) if is_longer else fused.through(part)
        start = stop
    return fused


def is_of_expressions(operator: Operator) -> bool:
    """Tell whether an operator computes expressions alone."""
    if issubclass(operator.definition, FilterBatches):
        return not callable(operator.parameters[0].predicate)
    return issubclass(operator.definition, (Project, WithColumns))


class FusedExpressions:
    """Returns what operators of expressions make of a batch.

    Where the plan fails, the operators run one after the other, so that the error is that of one of them.

    Args:
        stages: The operators.
    """

    def __init__(self, stages: Pipeline[Any, Any]) -> None:
        self.stages = stages
        self.names: list[str] | None = None
        """The columns of the batch before."""
        self.nodes: list[tuple[str, Any]] = []
        """The nodes of the plan for these columns."""

    def __call__(self, batch: "pa.RecordBatch") -> "pa.RecordBatch":
        """Return the batch of the last operator."""
        import pyarrow as pa
        from pyarrow import acero

        try:
            names = batch.schema.names
            if names != self.names:
                self.nodes, self.names = self.planned(names), names
            source = acero.TableSourceNodeOptions(pa.Table.from_batches([batch]))
            plan = acero.Declaration("table_source", source)
            for kind, options in self.nodes:
                plan = acero.Declaration(kind, options, [plan])
            return one_batch(plan.to_table(use_threads=False))
        except Exception:
            result: pa.RecordBatch = Stream.just(batch).through(self.stages).first()
            return result

    def planned(self, names: list[str]) -> list[tuple[str, Any]]:
        """Return the nodes for a batch with some columns.

        Raises:
            LookupError, ValueError: An operator does not fit them.
        """
        import pyarrow.compute as pc
        from pyarrow import acero

        nodes: list[tuple[str, Any]] = []
        for operator in self.stages.operators:
            (what,) = operator.parameters
            if issubclass(operator.definition, FilterBatches):
                nodes.append(("filter", acero.FilterNodeOptions(what.predicate)))
                continue
            named = what.names if issubclass(operator.definition, Project) else what.computed
            unfit = next((name for name in named if names.count(name) > 1), None)
            if unfit is not None:
                raise LookupError(unfit)
            if issubclass(operator.definition, Project):
                columns = {name: pc.field(names.index(name)) for name in what.names} | what.computed
                names, values = [*columns], [*columns.values()]
            else:
                names, values = [*names], [pc.field(place) for place in range(len(names))]
                for name, value in what.computed.items():
                    if name in names:
                        values[names.index(name)] = value
                    else:
                        names.append(name)
                        values.append(value)
            nodes.append(("project", acero.ProjectNodeOptions(values, names)))
        return nodes
