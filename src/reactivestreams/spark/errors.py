"""The errors of the Spark part: what is missing on this machine, and what failed on an executor."""

from typing import Self

from reactivestreams.errors import ReactiveStreamsError

__all__ = [
    "BridgeError",
    "CheckpointError",
    "FolderInUseError",
    "JavaNotFoundError",
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
    "UntravelableFunctionError",
    "WriteAheadLogError",
]


class JavaNotFoundError(ReactiveStreamsError, RuntimeError):
    """Report that no Java that runs Spark was found; the message lists each candidate and what to install."""


class PackageError(ReactiveStreamsError, RuntimeError):
    """Report that this package cannot be shipped to executors: not compiled, or not for what they run."""


class SparkUnavailableError(ReactiveStreamsError, ImportError):
    """Report that PySpark or PyArrow is missing or has a version this project does not support."""


class SessionKindError(ReactiveStreamsError, RuntimeError):
    """Report that a classic session was asked for where one of Spark Connect runs, or the other way round."""


class SparkConnectionError(ReactiveStreamsError, ConnectionError):
    """Report a Spark Connect server that does not answer, or that refuses a session."""


class CheckpointError(ReactiveStreamsError, ValueError):
    """Report a checkpoint that cannot serve: missing, damaged, of another query or pipeline, or of a later release."""


class SparkJobError(ReactiveStreamsError, RuntimeError):
    """Report a job or a query of Spark that failed, or ended with its session; the cause is Spark's own exception."""


class RowEncodingError(ReactiveStreamsError, ValueError):
    """Report a row that does not fit the schema of the result; the message names column, value and row.

    Args:
        message: What happened.
        row: Representation of the row of the result.
        rule: Id of the rule that was broken, if any.
    """

    def __init__(self, message: str, *, row: str = "?", rule: str | None = None) -> None:
        super().__init__(message, rule=rule)
        self.row = row


class UnsupportedKeyError(ReactiveStreamsError, TypeError):
    """Report a key whose type has no hash that is the same in every process."""


class UntravelableFunctionError(ReactiveStreamsError, TypeError):
    """Report a function, or another parameter of an operator, that cannot be sent to another process."""


class PipelineError(ReactiveStreamsError, RuntimeError):
    """Report a pipeline that failed on an executor.

    Args:
        message: What happened, in one line.
        operator: Name of the operator that failed, such as `"map"`; `"?"` where it is not known.
        assembly: Place where the user built the operator, as `file:line in function`; `"?"` where it is not known.
        row: Representation of the row that was being processed; `"?"` where it is not known.
        cause: Type and message of the exception that the user's function raised.
        row_number: Number of the row, from 0, among those that its task had read; None where it is not known.
        partition: Number of the task's partition; None where it is not known.
        key: Representation of the row's key, where the step of the pipeline has one; else `""`.
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
        # Plain attributes: BaseException.__reduce__ carries the instance dictionary into copies and other processes.
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
        """Return the error of a function that raised while it processed a row."""
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
    """Report a connection between Spark and the driver's publisher that was refused, broken or misused."""


class ReplayError(ReactiveStreamsError, RuntimeError):
    """Report elements that a query asks for and that nobody can give again."""


class WriteAheadLogError(ReactiveStreamsError, RuntimeError):
    """Report a write-ahead log that cannot be written or read; the message names the file and what to do."""


class FolderInUseError(ReactiveStreamsError, RuntimeError):
    """Report a checkpoint or a log that another process, or another query or subscription of this one, is using."""


class PartitionStateWarning(UserWarning):
    """Warn that an operator with state but without a key starts anew in each partition."""


class UnorderedWarning(UserWarning):
    """Warn that a keyed pipeline gets the rows of a key in no promised order."""
