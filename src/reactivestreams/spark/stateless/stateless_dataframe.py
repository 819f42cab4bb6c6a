"""The strategy for a pipeline without keys: one `mapInArrow`."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.spark.on_error.error_policy import ErrorPolicy
from reactivestreams.spark.on_error.tolerant_pipeline import TolerantStep
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan
from reactivestreams.spark.stateless.fused_expressions import with_fused_expressions
from reactivestreams.spark.steps.step_results import RowsIn, partition_number, results_until_failure
from reactivestreams.spark.worker_heap import freeze_heap
from reactivestreams.stream import Pipeline

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = ["StatelessTask", "stateless_dataframe"]


def stateless_dataframe(plan: PipelinePlan, df: "DataFrame", policy: ErrorPolicy) -> "DataFrame":
    """Return the DataFrame of a plan without keys, with the columns of the policy."""
    task = StatelessTask(plan.steps[0].pipeline, RowsIn(plan.form, policy.rows), policy)
    return df.mapInArrow(task, policy.output)


class StatelessTask:
    """Runs all operators on a partition. An instance is sent to the executors.

    Args:
        pipeline: The operators.
        source: Reads the rows.
        policy: What happens to rows that fail.
    """

    def __init__(self, pipeline: Pipeline[Any, Any], source: RowsIn, policy: ErrorPolicy) -> None:
        self.pipeline = pipeline
        self.source = source
        self.policy = policy

    def __call__(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Run the operators on one partition."""
        freeze_heap()
        policy = self.policy
        if not policy.is_tolerant:
            fused = with_fused_expressions(self.pipeline)
            yield from results_until_failure(
                fused, self.source, batches, schema=policy.result, applied_at=policy.applied_at
            )
            return
        writer = policy.writer(partition=partition_number())
        for results, failures in TolerantStep(self.pipeline, self.source, policy).pieces(batches):
            yield from writer.of(results, failures)
