"""The errors and warnings of the Spark part."""

from typing import Self

from reactivestreams.errors import ReactiveStreamsError

__all__ = [
    "BridgeError",
    "CheckpointError",
    "FolderInUseError",
    "JavaNotFoundError",
    "NotSerializableError",
    "PackageError",
    "PartitionStateWarning",
    "PipelineError",
    "ReplayError",
    "RowEncodingError",
    "SessionKindError",
    "SparkConnectionError",
    "SparkJobError",
    "SparkUnavailableError",
    "UnorderedWarning",
    "UnsupportedKeyError",
    "UntestedSparkWarning",
    "WriteAheadLogError",
]


class JavaNotFoundError(ReactiveStreamsError, RuntimeError):
    """Report that no Java for Spark was found; the message lists each candidate and what to install."""


class PackageError(ReactiveStreamsError, RuntimeError):
    """Report that this package cannot be shipped to executors: it is not compiled, or compiled for another platform."""


class SparkUnavailableError(ReactiveStreamsError, ImportError):
    """Report that PySpark, PyArrow or Delta Lake is missing or that its version is not supported."""


class SessionKindError(ReactiveStreamsError, RuntimeError):
    """Report that a classic session was requested while a Spark Connect session runs, or the other way round."""


class SparkConnectionError(ReactiveStreamsError, ConnectionError):
    """Report a Spark Connect server that does not answer, or that refuses a session."""


class CheckpointError(ReactiveStreamsError, ValueError):
    """Report an unusable checkpoint: missing, damaged, from another query or pipeline, or from a later release."""


class SparkJobError(ReactiveStreamsError, RuntimeError):
    """Report a Spark job or query that failed or that ended with its session; the cause is Spark's exception."""


class RowEncodingError(ReactiveStreamsError, ValueError):
    """Report a row that does not fit the schema of the result; the message names the column, the value and the row.

    Args:
        message: What happened.
        row: Representation of the row of the result.
        rule: Id of the rule that was broken, if any.
    """

    def __init__(self, message: str, *, row: str = "?", rule: str | None = None) -> None:
        super().__init__(message, rule=rule)
        self.row = row


class UnsupportedKeyError(ReactiveStreamsError, TypeError):
    """Report a key whose type does not have the same hash in every process."""


class NotSerializableError(ReactiveStreamsError, TypeError):
    """Report a function or another parameter of an operator that cannot be sent to another process."""


class PipelineError(ReactiveStreamsError, RuntimeError):
    """Report a pipeline that failed on an executor.

    Args:
        message: The error, in one line.
        operator: Name of the operator that failed, such as `"map"`; `"?"` if unknown.
        assembly: Place where the user built the operator, as `file:line in function`; `"?"` if unknown.
        row: Representation of the row that was being processed; `"?"` if unknown.
        cause: Type and message of the exception that the user's function raised.
        row_number: Number of the row, from 0, among the rows that its task read; None if unknown.
        partition: Number of the task's partition; None if unknown.
        key: Representation of the row's key; `""` if the step of the pipeline has no key.
        rule: Id of the rule that was broken, if any.
    """

    def __init__(
        self,
        message: str,
        *,
        operator: str = "?",
        assembly: str = "?",
        row: str = "?",
        cause: str = "",
        row_number: int | None = None,
        partition: int | None = None,
        key: str = "",
        rule: str | None = None,
    ) -> None:
        super().__init__(message, rule=rule)
        # Plain attributes, because BaseException.__reduce__ copies the instance dictionary to other processes.
        self.operator = operator
        self.assembly = assembly
        self.row = row
        self.cause = cause
        self.row_number = row_number
        self.partition = partition
        self.key = key

    @classmethod
    def of_row(
        cls,
        *,
        operator: str,
        assembly: str,
        row: str,
        cause: str,
        row_number: int | None = None,
        partition: int | None = None,
        key: str = "",
    ) -> Self:
        """Return the error for a function that raised while it processed a row."""
        of_key = f" of key {key}" if key else ""
        of_partition = "" if partition is None else f" of partition {partition}"
        place = "" if row_number is None else f" (number {row_number}{of_partition})"
        message = (
            f"operator {operator}, built at {assembly}, failed on row {row}{of_key}{place}: {cause}; "
            "correct the function, or remove such rows by a filter before it"
        )
        return cls(
            message,
            operator=operator,
            assembly=assembly,
            row=row,
            cause=cause,
            row_number=row_number,
            partition=partition,
            key=key,
        )


class BridgeError(ReactiveStreamsError, ConnectionError):
    """Report that the connection between Spark and the publisher on the driver was refused, broken or misused."""


class ReplayError(ReactiveStreamsError, RuntimeError):
    """Report that a query requests elements that cannot be read again."""


class WriteAheadLogError(ReactiveStreamsError, RuntimeError):
    """Report that a write-ahead log cannot be written or read; the message names the file and the remedy."""


class FolderInUseError(ReactiveStreamsError, RuntimeError):
    """Report a checkpoint or a log that another process, query or subscription is using."""


class PartitionStateWarning(UserWarning):
    """Warn that an operator with state but without a key starts again in each partition."""


class UnorderedWarning(UserWarning):
    """Warn that the order of the rows of a key is not defined."""


class UntestedSparkWarning(UserWarning):
    """Warn that PySpark is newer than the versions with which this package was tested."""
