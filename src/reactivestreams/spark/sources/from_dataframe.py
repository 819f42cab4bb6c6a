"""A DataFrame as a stream that computes what is requested."""

from typing import TYPE_CHECKING, Any

from reactivestreams.spark.rows.dataframe_arguments import checked_count, require_batch_dataframe
from reactivestreams.spark.rows.row_forms import checked_form
from reactivestreams.spark.sources.dataframe_rows import dataframe_rows
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["DEFAULT_WINDOW", "MAX_WINDOW", "from_dataframe"]

DEFAULT_WINDOW = 3
MAX_WINDOW = 64


def from_dataframe(df: "DataFrame", *, as_: str = "rows", window: int = DEFAULT_WINDOW) -> Stream[Any]:
    """Make a stream of a DataFrame's rows, in order, that computes partitions on demand.

    Each partition is computed by its own Spark job, a bounded number of them at a time. Each job has a cost, so
    `coalesce` a DataFrame with many small partitions first. A stage before the last one, such as a sort, is computed
    completely at the first request.

    Through Spark Connect one job computes all partitions at the first request. The server holds the result, at most
    `spark.driver.maxResultSize` (1 GiB unless the server was started with another), and sends it as it is read.

    Args:
        df: A batch DataFrame.
        as_: Form of the elements: `"rows"` (Spark's `Row`, whose columns are attributes), `"tuples"` (the fastest form
            for single rows), `"dicts"` (a third as fast), or `"batches"` (`pyarrow.RecordBatch`, by far the fastest;
            empty batches are left out).
        window: How many partitions may be computed ahead of the one that is read, 1 to 64; memory holds each of them
            completely. Through Spark Connect it has no effect.

    Returns:
        The stream. Each subscription reads the DataFrame again.

    Raises:
        ArgumentError: `as_` or `window` has an invalid value, or `df` is a streaming DataFrame.
        ArgumentTypeError: An argument has the wrong type.

    Demand: Nothing is planned or computed before the first request. At most `window` + 1 partitions are computed beyond
        the requested elements, including the partition of the last element. Through Spark Connect all
        partitions are computed at the first request.
    Errors: `PipelineError` if a pipeline that `apply` put into the DataFrame failed, else `SparkJobError` with Spark's
        exception as its cause. Both arrive after the elements of the partitions before.
    State: How many elements were sent; a loaded stream reads and skips as many.
    Threads: Signals run in the thread that requests. It waits for the job of the next partition; if another thread
        cancels meanwhile, this takes effect when that partition has arrived. Jobs run in up to `window` threads, which
        end with the subscription.
    Rules: 1.1, 1.3, 3.3, 3.13, as for every source that iterates; 3.4 is bent, since a request may wait for Spark.

    Example:
        See the guide on Spark.
    """
    require_batch_dataframe(df)
    form = checked_form(as_, df.schema)
    size = checked_count("window", window, DEFAULT_WINDOW, 1, MAX_WINDOW)
    return Stream.from_iterable(dataframe_rows(df, form=form, window=size), recovery="restarts")
