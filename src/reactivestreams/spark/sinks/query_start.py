"""The start of a sink's query."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.guarantees import PartGuarantee
from reactivestreams.spark.errors import NotSerializableError, SparkJobError
from reactivestreams.spark.failures import failure_summary
from reactivestreams.spark.plan.serialization import why_not_picklable
from reactivestreams.spark.query_arguments import QueryArguments
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.rows.dataframe_arguments import is_connect
from reactivestreams.spark.sinks.batch_function import BatchFunction
from reactivestreams.spark.sinks.running_query import RunningQuery, stop_cut_off
from reactivestreams.spark.stateful_query import is_stateful
from reactivestreams.spark.storage.checkpoint_folder import checkpoint_error, prepare_checkpoint

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["require_streaming", "start_query"]


def require_streaming(df: object, sink: str) -> None:
    """Check that an argument is a streaming DataFrame.

    Raises:
        ArgumentTypeError: It is not a DataFrame.
        ArgumentError: It is a batch DataFrame.
    """
    require_spark()
    from pyspark.sql import DataFrame

    if not isinstance(df, DataFrame):
        raise ArgumentTypeError(
            f"{sink}(df) needs a streaming DataFrame, got {df!r:.200}; make one with to_streaming_dataframe or "
            "session.readStream"
        )
    if not df.isStreaming:
        raise ArgumentError(
            f"{sink}(df) needs a streaming DataFrame, got a batch DataFrame, whose rows have no batch ids; write it "
            "with df.write"
        )


def start_query(
    df: "DataFrame",
    write: "Callable[[DataFrame, int], bool]",
    arguments: QueryArguments,
    *,
    sink: str,
    guarantee: PartGuarantee,
) -> RunningQuery:
    """Start a query whose batches a function writes.

    Args:
        df: A streaming DataFrame.
        write: As for `BatchFunction`.
        arguments: The arguments of the query.
        sink: Name of the sink.
        guarantee: The guarantee of the sink.

    Raises:
        FolderInUseError: Another query uses the checkpoint.
        NotSerializableError: The function cannot be sent to the server of Spark Connect.
        CheckpointError: The checkpoint is damaged.
        OSError: The file system of the checkpoint failed.
        SparkJobError: Spark cannot write the checkpoint.
    """
    from pyspark.errors import PySparkException

    function = BatchFunction(sink, write, is_stateful=is_stateful(df))
    stop_cut_off()
    if is_connect(df):
        require_serializable(function)
    prepare_checkpoint(arguments.checkpoint, df.sparkSession)
    try:
        query = arguments.writer(df).foreachBatch(function).start()
    except PySparkException as error:
        raise checkpoint_error(arguments.checkpoint, df.sparkSession, error) or error from error.__cause__
    except Exception as error:
        raise checkpoint_error(arguments.checkpoint, df.sparkSession, error) or SparkJobError(
            f"the query cannot start with the checkpoint {arguments.checkpoint}: {failure_summary(error)}; correct "
            "that, such as a missing permission, and start it again"
        ) from error
    return RunningQuery(
        query,
        session=df.sparkSession,
        function=function,
        checkpoint=arguments.checkpoint,
        guarantee=guarantee,
    )


def require_serializable(function: BatchFunction) -> None:
    """Check that a function can be sent to the server of Spark Connect.

    Raises:
        NotSerializableError: It cannot.
    """
    reason = why_not_picklable(function)
    if reason is not None:
        raise NotSerializableError(
            f"{function.sink} through Spark Connect runs in a process of the server, but its function cannot be "
            f"pickled: {reason}; open files, create locks and get sessions inside the function"
        )
