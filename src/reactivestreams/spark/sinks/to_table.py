"""A table of Spark's catalog as the sink of a streaming query.

A batch is one partition of a Parquet table, or one transaction of a table of Delta Lake.
"""

import os
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError, ReactiveStreamsError
from reactivestreams.spark.choice_argument import checked_choice
from reactivestreams.spark.errors import SparkUnavailableError
from reactivestreams.spark.failures import failure_summary
from reactivestreams.spark.guarantees import SINK_GUARANTEES
from reactivestreams.spark.query_arguments import checked_arguments, checked_folder
from reactivestreams.spark.sessions.launch import WAREHOUSE_PREFIX
from reactivestreams.spark.sinks.running_query import RunningQuery, require_streaming, start_query
from reactivestreams.spark.sinks.to_path import (
    BATCH_COLUMN,
    CHANGES,
    BatchFolder,
    require_apart,
    require_free_column,
)
from reactivestreams.spark.storage.checkpoint_folder import written_query_id
from reactivestreams.spark.storage.file_system import file_system, require_listing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["to_table"]

DELTA_REMEDY = (
    "start the session with the archive of Delta for this Spark, such as spark.jars.packages="
    "io.delta:delta-spark_4.2_2.13:4.4.0 for Spark 4.2, and with spark.sql.extensions="
    "io.delta.sql.DeltaSparkSessionExtension and spark.sql.catalog.spark_catalog="
    "org.apache.spark.sql.delta.catalog.DeltaCatalog"
)


def to_table(
    df: "DataFrame",
    table: str,
    *,
    checkpoint: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    format: str | None = None,
    trigger: str | None = None,
    name: str | None = None,
    output_mode: str = "append",
) -> RunningQuery:
    """Start a streaming query that writes a table, each micro-batch once, also if Spark repeats it.

    The table is created if it is missing. Its readers see all of a batch or nothing, on every file system.

    A Parquet table is partitioned by `batch_id`, and a repeated batch replaces its partition. A batch is added to the
    catalog when it is complete. Batches that are in the table's folder but not in the catalog, for example after the
    loss of an in-memory catalog, are added first.

    A table of Delta Lake has the columns of `df`, and may have others, partitions and other writers. A batch is
    appended in one transaction (`txnAppId` is the id of the query, `txnVersion` that of the batch), and Delta skips a
    batch that its log has. Of two drivers that write the same batch at once, one fails with Delta's error about
    concurrent transactions, and skips the batch when it is started again. A new checkpoint is a new query, whose
    batches are all appended. Delta forgets queries only if the table has a `delta.setTransactionRetentionDuration`.

    Args:
        df: A streaming DataFrame; for Parquet without a column `batch_id`.
        table: Name of the table, such as `"delays"` or `"airline.delays"`.
        checkpoint: As for `to_path`.
        path: Folder for the files of a new table, as for `to_path`. None means that the catalog chooses it; then the
            catalog must outlive this process, unlike Spark's default in-memory catalog.
        format: `"parquet"` or `"delta"`, which needs the archive and the settings of Delta Lake in the session. None
            means the format of the table, and Parquet for a new one.
        trigger: As for `to_path`.
        name: Name of the query in Spark's displays.
        output_mode: As for `to_path`; for Delta only `"append"`, as nothing there tells which row is the latest.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is not allowed; the table has another format or other columns, or is a Parquet table not
            partitioned by `batch_id`; its files end with the session; the executors do not see a folder, or Spark does
            not reach one; or the checkpoint is among the files.
        ArgumentTypeError: An argument has the wrong type.
        CheckpointError: The Parquet table contains batches of another query.
        FolderInUseError: Another query of the same session uses the checkpoint.
        SparkUnavailableError: The session has no Delta Lake, or one for another Spark.
        OSError: The file system failed, or does not list a file as soon as it is written.

    Demand: Controlled by Spark; the executors write a batch.
    Errors: As for `to_path`.
    State: Spark's checkpoint and the table's folder.
    Threads: Spark's threads; through Spark Connect a process next to the server.

    Example:
        See the guide on sinks.
    """
    require_streaming(df, "to_table")
    if not isinstance(table, str):
        raise ArgumentTypeError(f"table must be a str, got {table!r}; pass the name of a table, such as 'delays'")
    quoted = quoted_name(table)
    formats = tuple(FORMATS) if format is None else (checked_choice("format", format, tuple(FORMATS)),)
    files = None if path is None else checked_folder("path", path, df.sparkSession)
    arguments = checked_arguments(
        df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode, output_modes=CHANGES
    )
    if files is not None:
        require_apart(files, arguments.checkpoint)
    session, kind = df.sparkSession, FORMATS[formats[0]]
    try:
        details = details_of(session, quoted)
        if details:
            found = str(details.get("Provider", "")).lower()
            if found not in formats:
                raise ArgumentError(
                    f"the format of the table {table} is {found!r}, but to_table is to write {' or '.join(formats)}; "
                    "name another table, or leave out format= for one of Delta or Parquet"
                )
            kind = FORMATS[found]
        kind.require_query(df, arguments.output_mode)
        if not details:
            if files is None:
                require_lasting_catalog(session, table)
            create(df, quoted, files, kind)
            details = details_of(session, quoted)
        kind.require_columns(df, table, quoted)
    except Exception as error:
        if isinstance(error, ReactiveStreamsError) or kind is not DeltaTable:
            raise
        raise SparkUnavailableError(
            f"Spark {session.version} cannot use the table {table} of Delta: {failure_summary(error)}; {DELTA_REMEDY}"
        ) from error
    folder = folder_of(session, table, details)
    require_apart(folder, arguments.checkpoint)
    write = kind(quoted, folder, arguments.checkpoint, session)
    return start_query(df, write, arguments, sink="to_table", guarantee=SINK_GUARANTEES[kind.guarantee])


class ParquetTable:
    """Writes a batch into the folder of a table, as a partition that is in the catalog when it is complete.

    Args:
        table: Name of the table, quoted.
        folder: URI of its files.
        checkpoint: URI of the query's checkpoint.
        session: The session, with which the batches of the folder are added that the catalog does not have.

    Raises:
        CheckpointError: The folder contains batches of another query.
        OSError: The file system does not list a file as soon as it is written.
    """

    guarantee: str = "to_table"
    columns: tuple[str, ...] = (f"{BATCH_COLUMN} BIGINT",)
    """Columns of the table besides those of the query, as `CREATE TABLE` has them."""
    partitions: str = f" PARTITIONED BY ({BATCH_COLUMN})"

    def __init__(self, table: str, folder: str, checkpoint: str, session: "SparkSession") -> None:
        self.table = table
        self.folder: BatchFolder = BatchFolder(folder, checkpoint, session)
        self.has_begun: bool = False
        self.folder.require_own(session)
        require_listing(folder, session)
        if self.folder.has_batches(file_system(folder, session)):
            session.sql(f"ALTER TABLE {table} RECOVER PARTITIONS")

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Write a batch, and add it when it is complete, so that readers of the table see all of it or nothing."""
        session, partition = dataframe.sparkSession, f"PARTITION ({BATCH_COLUMN}={batch_id})"
        if not self.has_begun:
            # Only the first batch of a run may be a repeated one, which readers must not see while it is replaced.
            session.sql(f"ALTER TABLE {self.table} DROP IF EXISTS {partition}")
            self.has_begun = True
        self.folder(dataframe, batch_id)
        session.sql(f"ALTER TABLE {self.table} ADD IF NOT EXISTS {partition}")
        session.catalog.refreshTable(self.table)
        return True

    @staticmethod
    def require_query(df: "DataFrame", _output_mode: str) -> None:
        """Check that a query has no column `batch_id`.

        Raises:
            ArgumentError: It has one.
        """
        require_free_column(df, "to_table")

    @staticmethod
    def require_columns(df: "DataFrame", table: str, quoted: str) -> None:
        """Check that a table has the columns of a query, and a partition for each batch.

        Raises:
            ArgumentError: It has others.
        """
        columns = df.sparkSession.catalog.listColumns(quoted)
        own = [column.name for column in columns if not column.isPartition]
        partitions = [column.name for column in columns if column.isPartition]
        if partitions != [BATCH_COLUMN] or own != df.columns:
            raise ArgumentError(
                f"the table {table} has the columns {own} and the partitions {partitions}, but the query needs "
                f"{df.columns} partitioned by ['{BATCH_COLUMN}']; name a table that does not exist yet"
            )


class DeltaTable:
    """Appends a batch to a table of Delta, which skips it if the query has appended it already.

    Args:
        table: Name of the table, quoted.
        _folder: Not used: Delta knows it.
        checkpoint: URI of the query's checkpoint.
        _session: Not used.
    """

    guarantee: str = "to_table_delta"
    columns: tuple[str, ...] = ()
    """Columns of the table besides those of the query, as `CREATE TABLE` has them."""
    partitions: str = ""

    def __init__(self, table: str, _folder: str, checkpoint: str, _session: "SparkSession") -> None:
        self.table = table
        self.checkpoint = checkpoint
        self.query_id: str | None = None

    def __call__(self, dataframe: "DataFrame", batch_id: int) -> bool:
        """Append a batch, and return False for the first one of a run: if Delta skips it, Spark does not compute it."""
        is_first = self.query_id is None
        self.query_id = self.query_id or written_query_id(self.checkpoint, dataframe.sparkSession)
        writer = dataframe.writeTo(self.table).option("txnAppId", self.query_id)
        writer.option("txnVersion", batch_id).append()
        return not is_first

    @staticmethod
    def require_query(_df: "DataFrame", output_mode: str) -> None:
        """Check that a query only adds rows.

        Raises:
            ArgumentError: It has another output mode.
        """
        if output_mode != "append":
            raise ArgumentError(
                f"output_mode must be 'append' for a table of Delta, got {output_mode!r}: its rows do not say which of "
                "a key is the latest; pass for_each_batch a function with MERGE"
            )

    @staticmethod
    def require_columns(df: "DataFrame", table: str, quoted: str) -> None:
        """Check that a table has the columns of a query; others become NULL.

        Raises:
            ArgumentError: It lacks one, or has it with another type.
        """
        mine, theirs = (
            {field.name.lower(): field.dataType.simpleString() for field in frame.schema}
            for frame in (df, df.sparkSession.table(quoted))
        )
        if not mine.items() <= theirs.items():
            raise ArgumentError(
                f"the table {table} has the columns {theirs}, but the query has {mine}; rename and cast those of the "
                "query, or name a table that does not exist yet"
            )


Format = type[ParquetTable] | type[DeltaTable]

FORMATS: dict[str, Format] = {"parquet": ParquetTable, "delta": DeltaTable}
"""How tables are written, by their formats; an existing table has its own."""


def quoted_name(table: str) -> str:
    """Return a name with each of its parts quoted.

    Raises:
        ArgumentError: A part is empty.
    """
    parts = table.split(".")
    if not all(parts):
        raise ArgumentError(
            f"table must be a name, or names with dots between them, got {table!r}; pass one like 'delays'"
        )
    return ".".join(f"`{part.strip('`').replace('`', '``')}`" for part in parts)


def quoted_text(text: str) -> str:
    """Return a text as a literal of SQL."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def create(df: "DataFrame", quoted: str, folder: str | None, kind: Format) -> None:
    """Create the table."""
    location = "" if folder is None else " LOCATION " + quoted_text(folder)
    columns = [f"`{field.name.replace('`', '``')}` {field.dataType.simpleString()}" for field in df.schema]
    (name,) = (name for name, found in FORMATS.items() if found is kind)
    df.sparkSession.sql(
        f"CREATE TABLE {quoted} ({', '.join((*columns, *kind.columns))}) USING {name}{kind.partitions}{location}"
    )


def require_lasting_catalog(session: "SparkSession", table: str) -> None:
    """Check that a table in a folder of the catalog's choice outlives this process, like the checkpoint.

    Raises:
        ArgumentError: It ends with the process.
    """
    warehouse = session.conf.get("spark.sql.warehouse.dir") or ""
    if session.conf.get("spark.sql.catalogImplementation") == "in-memory" or WAREHOUSE_PREFIX in warehouse:
        raise ArgumentError(
            f"the table {table} is in {warehouse}, where the catalog puts it, and ends with Spark's session, because "
            "the catalog or that folder does; the checkpoint remains, so the rows before a restart would be lost; name "
            "a new table and pass path=, the folder for its files"
        )


def details_of(session: "SparkSession", quoted: str) -> dict[str, str]:
    """Return what Spark's catalog has on a table; empty if there is no such table."""
    if not session.catalog.tableExists(quoted):
        return {}
    return {row[0]: row[1] for row in session.sql(f"DESCRIBE FORMATTED {quoted}").collect()}


def folder_of(session: "SparkSession", table: str, details: dict[str, str]) -> str:
    """Check that a table outlives this process, and return the URI of its files.

    Raises:
        ArgumentError: It does not, or the executors do not see its files.
    """
    if details.get("Type") == "MANAGED":
        require_lasting_catalog(session, table)
    # The inverse of `spark_path`.
    scheme, mark, path = str(details["Location"]).partition(":")
    location = "/" + path.lstrip("/") if mark and scheme == "file" else scheme + mark + path
    return checked_folder(f"the location of the table {table}", location, session)
