"""A table of Apache Iceberg as the sink of a streaming query: each batch is one commit of the table.

Spark's executors write the Parquet files of a batch, and this process adds them to the table by PyIceberg. So nothing
of Iceberg is needed inside Spark, for whose newest versions it has no release.

Invariants:
    I1  a file is written into a folder that no other attempt has, and never changed after that.
    I2  a commit replaces exactly the snapshot of the table in which its batch was looked for, so of two attempts at a
        batch one finds the other.
"""

import os
import random
import re
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from reactivestreams.errors import ArgumentError, ArgumentTypeError, ReactiveStreamsError
from reactivestreams.spark.error_line import one_line
from reactivestreams.spark.errors import SparkUnavailableError
from reactivestreams.spark.guarantees import SINK_GUARANTEES
from reactivestreams.spark.query_arguments import checked_arguments, checked_folder
from reactivestreams.spark.rows.arrow_values import arrow_schema, spark_schema
from reactivestreams.spark.sinks.running_query import RunningQuery, require_streaming, start_query
from reactivestreams.spark.storage.checkpoint_folder import written_query_id

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.table import Table
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["COMMIT_ATTEMPTS", "IcebergTable", "to_iceberg"]

COMMIT_ATTEMPTS = 10
"""How often the commit of a batch is tried while other writers of the table come first."""

LONGEST_WAIT_SECONDS = 5.0
"""Longest pause between two attempts; the first ones are shorter."""

QUERY, BATCH = "spark.sql.streaming.queryId", "spark.sql.streaming.epochId"
"""Names, in the summary of a snapshot, of the ids of its query and of its batch; those of Iceberg's own Spark sink."""

SMALL_INTEGERS = re.compile(r"\b(tiny|small)int\b")
"""Types that Iceberg has not; it reads their files as `int`."""

UTC_DATE = "date_add(DATE'1970-01-01', CAST(floor(unix_micros({0}) / 86400000000) AS INT))"
DATES = {"date": "{0}", "timestamp_ntz": "CAST({0} AS DATE)", "timestamp": UTC_DATE}
"""The day of a value, as Iceberg counts days."""

HOURS = {"timestamp_ntz": "date_trunc('HOUR', {0})", "timestamp": "floor(unix_micros({0}) / 3600000000)"}
"""The hour of a value."""

PARTITIONS: dict[str, Callable[[str, str], str]] = {
    "identity": lambda column, _kind: column,
    "year": lambda column, kind: f"trunc({DATES[kind].format(column)}, 'YEAR')",
    "month": lambda column, kind: f"trunc({DATES[kind].format(column)}, 'MONTH')",
    "day": lambda column, kind: DATES[kind].format(column),
    "hour": lambda column, kind: HOURS[kind].format(column),
}
"""What is equal where Iceberg's partitions are, by the name of the transform, as an expression of SQL."""

TIMESTAMPS = "spark.sql.parquet.outputTimestampType"
"""Spark's option for the type of timestamps in Parquet files."""


def to_iceberg(
    df: "DataFrame",
    table: str,
    *,
    catalog: Mapping[str, str] | str,
    checkpoint: str | os.PathLike[str],
    trigger: str | None = None,
    name: str | None = None,
) -> RunningQuery:
    """Start a streaming query that appends to a table of Apache Iceberg, each micro-batch once.

    The executors write Parquet files into the table's folder, and PyIceberg adds those of a batch in one commit, whose
    summary has the ids of the query and of the batch, as that of Iceberg's own Spark sink. A batch that the table's
    snapshots have is skipped. Of two drivers that write the same batch at once, one finds the other's commit. Files of
    an attempt that was killed belong to no snapshot; Iceberg's maintenance removes them as orphans. The table is made
    if it is missing. Spark needs nothing of Iceberg.

    Args:
        df: A streaming DataFrame.
        table: Name of the table in the catalog, with its namespace, such as `"airline.delays"`.
        catalog: Properties of the catalog, as for PyIceberg's `load_catalog`, such as `{"type": "rest", "uri": ...}`,
            or its name in PyIceberg's configuration. Batches are committed in the driver; through Spark Connect the
            properties go to a process next to the server.
        checkpoint: As for `to_path`.
        trigger: As for `to_path`.
        name: Name of the query in Spark's displays.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is not allowed; the catalog does not give the table; it has other columns, columns
            that must not be NULL, or is partitioned by a transform other than identity, year, month, day and hour; or
            the executors do not see a folder, or Spark does not reach one.
        ArgumentTypeError: An argument has the wrong type.
        FolderInUseError: Another query of the same session uses the checkpoint.
        SparkUnavailableError: PyIceberg is not installed.
        OSError: The file system of the checkpoint failed, or does not list a file as soon as it is written.

    Demand: Controlled by Spark; the executors write a batch.
    Errors: As for `to_path`; a batch fails, too, if others commit first `COMMIT_ATTEMPTS` times.
    State: Spark's checkpoint and the table's snapshots. When all snapshots of a query have expired, a repeated batch is
        appended again.
    Threads: Spark's threads; through Spark Connect a process next to the server.

    Example:
        See the guide on sinks.
    """
    require_streaming(df, "to_iceberg")
    if not isinstance(table, str):
        raise ArgumentTypeError(f"table must be a str, got {table!r}; pass a name such as 'airline.delays'")
    if not isinstance(catalog, str | Mapping):
        raise ArgumentTypeError(
            f"catalog must be a dict or a str, got {catalog!r:.200}; pass properties such as {{'type': 'rest', 'uri': "
            "...}, or the name of a catalog in PyIceberg's configuration"
        )
    arguments = checked_arguments(df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode="append")
    target = IcebergTable(table, catalog, arguments.checkpoint)
    try:
        found = target.load_or_create(df)
    except ReactiveStreamsError:
        raise
    except Exception as error:
        raise ArgumentError(
            f"the catalog does not give the table {table!r}: {one_line(error)}; correct the properties of the catalog, "
            "create the namespace, or write the name as 'namespace.table'"
        ) from error
    target.require_columns(df, found)
    target.folder = checked_folder(f"the folder of the table {table}", spark_uri(data_folder(found)), df.sparkSession)
    return start_query(df, target, arguments, sink="to_iceberg", guarantee=SINK_GUARANTEES["to_iceberg"])


class IcebergTable:
    """Writes a batch as files of a table, and adds them if the table does not have the batch.

    Args:
        table: Name of the table.
        properties: The properties of the catalog, or its name.
        checkpoint: URI of the query's checkpoint.
    """

    def __init__(self, table: str, properties: Mapping[str, str] | str, checkpoint: str) -> None:
        self.table = table
        self.properties: str | dict[str, str] = properties if isinstance(properties, str) else dict(properties)
        self.checkpoint = checkpoint
        self.folder: str = ""
        self.query_id: str | None = None

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Write a batch; return False, and compute nothing, if the table has it already."""
        self.query_id = self.query_id or written_query_id(self.checkpoint, dataframe.sparkSession)
        with self.catalog() as catalog:
            table = catalog.load_table(self.table)
            if self.has(table, batch_id):
                return False
            attempt = f"{self.query_id}-{batch_id}-{secrets.token_hex(8)}"
            self.write(dataframe, table, attempt)
            files = [f"{data_folder(table)}/{attempt}{rest}" for rest in self.written(dataframe.sparkSession, attempt)]
            files = [file for file in files if rows_of(table, file)]
            if files:
                self.commit(catalog, files, batch_id)
            return True

    def catalog(self) -> "Catalog":
        """Return the catalog; each batch has its own, whose connections may not last as long as a query."""
        try:
            from pyiceberg.catalog import load_catalog
        except ImportError as error:
            raise SparkUnavailableError(
                f'to_iceberg needs PyIceberg ({error}); pip install "reactive-streams-core[spark,iceberg]"'
            ) from error
        return load_catalog(self.properties) if isinstance(self.properties, str) else load_catalog(**self.properties)

    def load_or_create(self, df: "DataFrame") -> "Table":
        """Return the table, after it was made if it is missing."""
        with self.catalog() as catalog:
            if catalog.table_exists(self.table):
                return catalog.load_table(self.table)
            return catalog.create_table_if_not_exists(self.table, arrow_schema(df.schema.toNullable()))

    def require_columns(self, df: "DataFrame", table: "Table") -> None:
        """Check that a table has the columns of a query; others become NULL.

        Raises:
            ArgumentError: It lacks one, or has it with another type; one must not be NULL; or the table is partitioned
                by what a query cannot write.
        """
        import pyarrow as pa

        mine = {name: SMALL_INTEGERS.sub("int", kind) for name, kind in types_of(df.schema).items()}
        # Of the others Spark may not have the type.
        theirs = types_of(spark_schema(pa.schema([field for field in table.schema().as_arrow() if field.name in mine])))
        if not mine.items() <= theirs.items():
            raise ArgumentError(
                f"the table {self.table} has {theirs} of the columns of the query, but this has {mine}; rename and "
                "cast those of the query, or name a table that does not exist yet"
            )
        required = [field.name for field in table.schema().fields if field.required]
        if required:
            raise ArgumentError(
                f"the table {self.table} has columns that must not be NULL, {required}, and Spark's files do not "
                "promise that; make them optional with update_schema().make_column_optional(name)"
            )
        others = [
            f"{field.transform}({table.schema().find_column_name(field.source_id)})"
            for field in table.spec().fields
            if str(field.transform) not in PARTITIONS
            or field.source_id not in {column.field_id for column in table.schema().fields}
        ]
        if others:
            raise ArgumentError(
                f"the table {self.table} is partitioned by {', '.join(others)}, but to_iceberg can write partitions by "
                f"{', '.join(PARTITIONS)} of columns; use another table, or for_each_batch with a writer of Iceberg"
            )

    def has(self, table: "Table", batch_id: int) -> bool:
        """Return whether a table has a batch of this query, or a later one."""
        return any(
            summary.additional_properties.get(QUERY) == self.query_id
            and int(summary.additional_properties.get(BATCH, -1)) >= batch_id
            for summary in summaries(table)
        )

    def write(self, dataframe: "DataFrame", table: "Table", attempt: str) -> None:
        """Write the files of a batch, each with rows of one partition, into a folder of their own."""
        from pyspark.sql import functions

        kinds, parts = types_of(dataframe.schema), {}
        for field in table.spec().fields:
            column = str(table.schema().find_column_name(field.source_id))
            if column in kinds:  # else all of its values are NULL
                part = PARTITIONS[str(field.transform)](f"`{column}`", kinds[column])
                parts[f"partition-{field.field_id}"] = functions.expr(part)
        writer = dataframe.withColumns(parts).write.partitionBy(*parts) if parts else dataframe.write
        writer = writer.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
        conf = dataframe.sparkSession.conf
        before = str(conf.get(TIMESTAMPS))
        conf.set(TIMESTAMPS, "TIMESTAMP_MICROS")  # Spark's default has nanoseconds and no time zone
        try:
            writer.parquet(f"{self.folder}/{attempt}")
        finally:
            conf.set(TIMESTAMPS, before)

    def written(self, session: "SparkSession", attempt: str) -> Iterator[str]:
        """Yield the files of an attempt, without the name of its folder."""
        for file in session.read.schema("none int").parquet(f"{self.folder}/{attempt}").inputFiles():
            yield unquote(file).partition(attempt)[2]

    def commit(self, catalog: "Catalog", files: list[str], batch_id: int) -> None:
        """Add files to the table, unless it has the batch.

        Raises:
            CommitFailedException: Others were first each time.
        """
        from pyiceberg.exceptions import CommitFailedException

        summary = {QUERY: str(self.query_id), BATCH: str(batch_id)}
        for attempt in range(1, COMMIT_ATTEMPTS + 1):
            table = catalog.load_table(self.table)
            if self.has(table, batch_id):
                return
            # PyIceberg itself would try again on top of what others have committed, and not look for the batch there.
            once = {**table.metadata.properties, "commit.retry.num-retries": "0"}
            table.metadata = table.metadata.model_copy(update={"properties": once})
            try:
                table.add_files(files, snapshot_properties=summary, check_duplicate_files=False)
            except CommitFailedException:
                if attempt == COMMIT_ATTEMPTS:
                    raise
                time.sleep(random.uniform(0, min(0.1 * 2**attempt, LONGEST_WAIT_SECONDS)))
            else:
                return


def summaries(table: "Table") -> Iterator[Any]:
    """Yield the summaries of a table's snapshot and of those before it, the latest first."""
    snapshot = table.current_snapshot()
    while snapshot is not None:
        if snapshot.summary is not None:
            yield snapshot.summary
        parent = snapshot.parent_snapshot_id
        snapshot = None if parent is None else table.snapshot_by_id(parent)


def rows_of(table: "Table", file: str) -> int:
    """Return the number of rows of a Parquet file; Spark writes an empty one for an empty batch."""
    from pyarrow.parquet import read_metadata

    with table.io.new_input(file).open() as content:
        return int(read_metadata(content).num_rows)


def data_folder(table: "Table") -> str:
    """Return the URI of the folder for the files of a table."""
    return str(table.properties.get("write.data.path") or f"{table.location()}/data").rstrip("/")


def spark_uri(uri: str) -> str:
    """Return a URI of Iceberg as Spark knows it, whose file system for S3 has a name of its own."""
    scheme, mark, rest = uri.partition("://")
    return f"s3a://{rest}" if mark and scheme in ("s3", "s3n") else uri


def types_of(schema: Any) -> dict[str, str]:
    """Return the columns of a schema of Spark with their types."""
    return {field.name: field.dataType.simpleString() for field in schema}
