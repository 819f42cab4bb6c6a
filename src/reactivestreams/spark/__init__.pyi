from reactivestreams.guarantees import Guarantee, PartGuarantee
from reactivestreams.spark.apply_pipeline import apply, explain
from reactivestreams.spark.errors import (
    BridgeError,
    CheckpointError,
    FolderInUseError,
    JavaNotFoundError,
    NotSerializableError,
    PackageError,
    PartitionStateWarning,
    PipelineError,
    ReplayError,
    RowEncodingError,
    SessionKindError,
    SparkConnectionError,
    SparkJobError,
    SparkUnavailableError,
    UnorderedWarning,
    UnsupportedKeyError,
    UntestedSparkWarning,
    WriteAheadLogError,
)
from reactivestreams.spark.failures import pipeline_errors
from reactivestreams.spark.guarantees import sink_guarantee, source_guarantee
from reactivestreams.spark.on_error.error_policy import DeadLetterResult, SkippedRows, SkippingResult
from reactivestreams.spark.plan.pipeline_plan import PipelinePlan
from reactivestreams.spark.progress.progress_page import progress_page
from reactivestreams.spark.progress.query_display import QueryProgress
from reactivestreams.spark.progress.query_progress import ProgressWatch, query_progress
from reactivestreams.spark.sessions.archive import package, package_settings
from reactivestreams.spark.sessions.java import JavaInstallation, ensure_java, find_java
from reactivestreams.spark.sessions.session import session
from reactivestreams.spark.sessions.ship import ship
from reactivestreams.spark.sinks.for_each_batch import for_each_batch
from reactivestreams.spark.sinks.running_query import RunningQuery
from reactivestreams.spark.sinks.to_dataframe import to_dataframe
from reactivestreams.spark.sinks.to_iceberg import to_iceberg
from reactivestreams.spark.sinks.to_path import to_path
from reactivestreams.spark.sinks.to_streaming_dataframe import close_bridge, to_streaming_dataframe
from reactivestreams.spark.sinks.to_table import to_table
from reactivestreams.spark.sources.from_dataframe import from_dataframe
from reactivestreams.spark.sources.from_query import MicroBatch, from_query
from reactivestreams.spark.storage.write_ahead_log import WriteAheadLog

__all__ = [
    "BridgeError",
    "CheckpointError",
    "DeadLetterResult",
    "FolderInUseError",
    "Guarantee",
    "JavaInstallation",
    "JavaNotFoundError",
    "MicroBatch",
    "NotSerializableError",
    "PackageError",
    "PartGuarantee",
    "PartitionStateWarning",
    "PipelineError",
    "PipelinePlan",
    "ProgressWatch",
    "QueryProgress",
    "ReplayError",
    "RowEncodingError",
    "RunningQuery",
    "SessionKindError",
    "SkippedRows",
    "SkippingResult",
    "SparkConnectionError",
    "SparkJobError",
    "SparkUnavailableError",
    "UnorderedWarning",
    "UnsupportedKeyError",
    "UntestedSparkWarning",
    "WriteAheadLog",
    "WriteAheadLogError",
    "apply",
    "close_bridge",
    "ensure_java",
    "explain",
    "find_java",
    "for_each_batch",
    "from_dataframe",
    "from_query",
    "package",
    "package_settings",
    "pipeline_errors",
    "progress_page",
    "query_progress",
    "session",
    "ship",
    "sink_guarantee",
    "source_guarantee",
    "to_dataframe",
    "to_iceberg",
    "to_path",
    "to_streaming_dataframe",
    "to_table",
]
