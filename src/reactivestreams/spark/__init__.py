"""Streams from Spark's DataFrames, and pipelines that run on Spark's executors.

Importing this package imports neither PySpark nor PyArrow, so that `find_java` and the checks of what is missing work
without them.
"""

from reactivestreams.spark.errors import (
    CheckpointError,
    JavaNotFoundError,
    PackageError,
    PartitionStateWarning,
    PipelineError,
    RowEncodingError,
    SessionKindError,
    SparkConnectionError,
    SparkJobError,
    SparkUnavailableError,
    UnorderedWarning,
    UnsupportedKeyError,
    UntravelableFunctionError,
)
from reactivestreams.spark.guarantees import Guarantee, PartGuarantee
from reactivestreams.spark.pipelines.apply_pipeline import apply, explain
from reactivestreams.spark.pipelines.failures import pipeline_errors
from reactivestreams.spark.pipelines.outcomes import DeadLetterResult, SkippedRows, SkippingResult
from reactivestreams.spark.pipelines.plan import PipelinePlan
from reactivestreams.spark.sessions.java import JavaInstallation, ensure_java, find_java
from reactivestreams.spark.sessions.session import session
from reactivestreams.spark.shipping.archive import package, package_settings
from reactivestreams.spark.shipping.ship import ship
from reactivestreams.spark.sources.from_dataframe import from_dataframe

__all__ = [
    "CheckpointError",
    "DeadLetterResult",
    "Guarantee",
    "JavaInstallation",
    "JavaNotFoundError",
    "PackageError",
    "PartGuarantee",
    "PartitionStateWarning",
    "PipelineError",
    "PipelinePlan",
    "RowEncodingError",
    "SessionKindError",
    "SkippedRows",
    "SkippingResult",
    "SparkConnectionError",
    "SparkJobError",
    "SparkUnavailableError",
    "UnorderedWarning",
    "UnsupportedKeyError",
    "UntravelableFunctionError",
    "apply",
    "ensure_java",
    "explain",
    "find_java",
    "from_dataframe",
    "package",
    "package_settings",
    "pipeline_errors",
    "session",
    "ship",
]
