"""Streams from Spark's DataFrames, and pipelines that run on Spark's executors.

Importing this package imports neither PySpark nor PyArrow, so that `find_java` and the checks of what is missing work
without them.
"""

from reactivestreams.spark.errors import (
    JavaNotFoundError,
    PartitionStateWarning,
    PipelineError,
    RowEncodingError,
    SparkJobError,
    SparkUnavailableError,
    UnorderedWarning,
    UnsupportedKeyError,
    UntravelableFunctionError,
)
from reactivestreams.spark.failures import pipeline_errors
from reactivestreams.spark.java import JavaInstallation, ensure_java, find_java
from reactivestreams.spark.pipeline import apply, explain
from reactivestreams.spark.plan import PipelinePlan
from reactivestreams.spark.session import session
from reactivestreams.spark.source import from_dataframe

__all__ = [
    "JavaInstallation",
    "JavaNotFoundError",
    "PartitionStateWarning",
    "PipelineError",
    "PipelinePlan",
    "RowEncodingError",
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
    "pipeline_errors",
    "session",
]
