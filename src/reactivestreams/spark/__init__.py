"""Streams from Spark's DataFrames, and pipelines that run on Spark's executors.

Importing this package imports neither PySpark nor PyArrow, so that `find_java` and the checks of what is missing work
without them.
"""

from rs_core.lazy_names import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "reactivestreams.guarantees": ("Guarantee", "PartGuarantee"),
        "reactivestreams.spark.errors": (
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
        ),
        "reactivestreams.spark.guarantees": ("sink_guarantee", "source_guarantee"),
        "reactivestreams.spark.apply_pipeline": ("apply", "explain"),
        "reactivestreams.spark.failures": ("pipeline_errors",),
        "reactivestreams.spark.on_error.error_policy": ("DeadLetterResult", "SkippedRows", "SkippingResult"),
        "reactivestreams.spark.plan.pipeline_plan": ("PipelinePlan",),
        "reactivestreams.spark.progress.progress_page": ("progress_page",),
        "reactivestreams.spark.progress.query_display": ("QueryProgress",),
        "reactivestreams.spark.progress.query_progress": ("ProgressWatch", "query_progress"),
        "reactivestreams.spark.storage.write_ahead_log": ("WriteAheadLog",),
        "reactivestreams.spark.sessions.java": ("JavaInstallation", "ensure_java", "find_java"),
        "reactivestreams.spark.sessions.session": ("session",),
        "reactivestreams.spark.sessions.archive": ("package", "package_settings"),
        "reactivestreams.spark.sessions.ship": ("ship",),
        "reactivestreams.spark.sinks.for_each_batch": ("for_each_batch",),
        "reactivestreams.spark.sinks.running_query": ("RunningQuery",),
        "reactivestreams.spark.sinks.to_dataframe": ("to_dataframe",),
        "reactivestreams.spark.sinks.to_iceberg": ("to_iceberg",),
        "reactivestreams.spark.sinks.to_path": ("to_path",),
        "reactivestreams.spark.sinks.to_streaming_dataframe": ("close_bridge", "to_streaming_dataframe"),
        "reactivestreams.spark.sinks.to_table": ("to_table",),
        "reactivestreams.spark.sources.from_dataframe": ("from_dataframe",),
        "reactivestreams.spark.sources.from_query": ("MicroBatch", "from_query"),
    },
)
