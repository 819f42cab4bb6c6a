"""A DataFrame as a stream that computes what is asked for."""

from typing import TYPE_CHECKING, Any

from reactivestreams.spark.rows.dataframe_arguments import (
    checked_count,
    is_connect,
    require_batch_dataframe,
)
from reactivestreams.spark.rows.row_forms import checked_form
from reactivestreams.spark.sources.dataframe_rows import DataFrameRows
from reactivestreams.spark.sources.partition_rows import PartitionRows
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["DEFAULT_WINDOW", "MAX_WINDOW", "dataframe_rows", "from_dataframe"]

DEFAULT_WINDOW = 3
MAX_WINDOW = 64


def from_dataframe(df: "DataFrame", *, as_: str = "rows", window: int = DEFAULT_WINDOW) -> Stream[Any]:
    """Make a stream of a DataFrame's rows, in its order, that computes partitions as they are asked for.

    Each partition is computed by a Spark job of its own, a bounded number of them at a time. A DataFrame of many small
    partitions pays for each job: `coalesce` it first. A stage before the last one, such as a sort, is computed whole at
    the first request.

    Through Spark Connect one job computes all partitions, and its tasks push their batches to this process, each when
    there is room for it: to a port on the loopback address, so the executors have to run on this machine. A task that
    Spark starts anew skips as many batches as were delivered before, so its partition has to come out the same again.

    Args:
        df: A batch DataFrame.
        as_: Form of the elements: `"rows"` (Spark's `Row`, whose columns are attributes), `"tuples"` (the quickest of
            single rows), `"dicts"` (a third of their pace), or `"batches"` (`pyarrow.RecordBatch`, quickest by far;
            empty ones are left out).
        window: How many partitions may be computed beyond the one that is being read, 1 to 64; each is held in memory
            whole. Through Spark Connect: how many batches may lie here beyond the one that is wanted next.

    Returns:
        The stream. Each subscription reads the DataFrame anew.

    Raises:
        ArgumentError: `as_` or `window` has a value that cannot be, or `df` is a streaming DataFrame.
        ArgumentTypeError: An argument has the wrong type.

    Demand: Nothing is planned or computed before the first request. Beyond the elements requested at most `window` + 1
        partitions are computed, the one that holds the last element among them. Through Spark Connect at most
        `window` + 1 batches lie here, and each task that runs holds one more.
    Errors: `PipelineError` where a pipeline that `apply` put into the DataFrame failed, else `SparkJobError` with
        Spark's own exception as its cause; both come after the elements of the partitions before.
    State: How many elements were sent; a loaded stream reads and skips as many.
    Threads: Signals run in the thread that requests. It waits for the job of the next partition; a cancellation from
        another thread meanwhile takes effect when that partition has arrived. Jobs run in up to `window` threads, which
        end with the subscription; through Spark Connect in one, beside one for the sockets.
    Rules: 1.1, 1.3, 3.3, 3.13, as every source that iterates; 3.4 is bent, since a request may have to wait for Spark.

    Example:
        The guide on Spark has one that is run.
    """
    require_batch_dataframe(df)
    form = checked_form(as_, df.schema)
    size = checked_count("window", window, DEFAULT_WINDOW, 1, MAX_WINDOW)
    return Stream.from_iterable(dataframe_rows(df, form=form, window=size), recovery="restarts")


def dataframe_rows(df: Any, *, form: str, window: int) -> PartitionRows | DataFrameRows:
    """Return the rows of a DataFrame as a re-iterable, by the way that its session has."""
    rows = PartitionRows if is_connect(df) else DataFrameRows
    return rows(df, form=form, window=window)
