"""A table of Spark's catalog as the sink of a streaming query: each batch is one partition of the table."""

import os
from typing import TYPE_CHECKING

from reactivestreams.errors import ArgumentError, ArgumentTypeError
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
from reactivestreams.spark.storage.file_system import file_system, require_listing

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["to_table"]


def to_table(
    df: "DataFrame",
    table: str,
    *,
    checkpoint: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    trigger: str | None = None,
    name: str | None = None,
    output_mode: str = "append",
) -> RunningQuery:
    """Start a streaming query that writes a table, each micro-batch once, also if Spark repeats it.

    The table is a Parquet table partitioned by `batch_id`; it is created if it is missing. A batch is added to the
    catalog when it is complete, so readers of the table see all of it or nothing, on every file system. Batches that
    are in its folder but not in the catalog, for example after the loss of an in-memory catalog, are added first.

    Args:
        df: A streaming DataFrame without a column `batch_id`.
        table: Name of the table, such as `"delays"` or `"airline.delays"`.
        checkpoint: As for `to_path`.
        path: Folder for the files of a new table, as for `to_path`. None means that the catalog chooses it; then the
            catalog must outlive this process, unlike Spark's default in-memory catalog.
        trigger: As for `to_path`.
        name: Name of the query in Spark's displays.
        output_mode: As for `to_path`.

    Returns:
        The handle of the running query.

    Raises:
        ArgumentError: A value is not allowed; the table has other columns or is not partitioned by `batch_id`; its
            files end with the session; the executors do not see a folder, or Spark does not reach one; or the
            checkpoint is among the files.
        ArgumentTypeError: An argument has the wrong type.
        CheckpointError: The table contains batches of another query.
        FolderInUseError: Another query of the same session uses the checkpoint.
        OSError: The file system failed, or does not list a file as soon as it is written.

    Demand: Controlled by Spark; the executors write a batch.
    Errors: As for `to_path`.
    State: Spark's checkpoint and the table's folder.
    Threads: Spark's threads; through Spark Connect a process next to the server.

    Example:
        See the guide on sinks.
    """
    require_streaming(df, "to_table")
    require_free_column(df, "to_table")
    if not isinstance(table, str):
        raise ArgumentTypeError(f"table must be a str, got {table!r}; pass the name of a table, such as 'delays'")
    quoted = quoted_name(table)
    files = None if path is None else checked_folder("path", path, df.sparkSession)
    arguments = checked_arguments(
        df, checkpoint=checkpoint, trigger=trigger, name=name, output_mode=output_mode, output_modes=CHANGES
    )
    if files is not None:
        require_apart(files, arguments.checkpoint)
    session = df.sparkSession
    if not session.catalog.tableExists(quoted):
        if files is None:
            require_lasting_catalog(session, table)
        create(df, quoted, files)
    folder = folder_of(session, table, quoted, df)
    require_apart(folder, arguments.checkpoint)
    batches = BatchFolder(folder, arguments.checkpoint, session)
    batches.require_own(session)
    require_listing(folder, session)
    if batches.has_batches(file_system(folder, session)):
        session.sql(f"ALTER TABLE {quoted} RECOVER PARTITIONS")
    return start_query(
        df,
        BatchPartition(batches, quoted),
        arguments,
        sink="to_table",
        guarantee=SINK_GUARANTEES["to_table"],
    )


class BatchPartition:
    """Writes a batch into the folder of a table and adds it to the catalog.

    Args:
        folder: Writes the files.
        table: Name of the table, quoted.
    """

    def __init__(self, folder: BatchFolder, table: str) -> None:
        self.folder = folder
        self.table = table
        self.has_begun: bool = False

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


def create(df: "DataFrame", quoted: str, folder: str | None) -> None:
    """Create the table."""
    location = "" if folder is None else " LOCATION " + quoted_text(folder)
    columns = ", ".join(f"`{field.name.replace('`', '``')}` {field.dataType.simpleString()}" for field in df.schema)
    kind = f"USING parquet PARTITIONED BY ({BATCH_COLUMN}){location}"
    df.sparkSession.sql(f"CREATE TABLE {quoted} ({columns}, {BATCH_COLUMN} BIGINT) {kind}")


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


def folder_of(session: "SparkSession", table: str, quoted: str, df: "DataFrame") -> str:
    """Check that a table fits the query, and return the URI of its files.

    Raises:
        ArgumentError: It does not fit.
    """
    columns = session.catalog.listColumns(quoted)
    own = [column.name for column in columns if not column.isPartition]
    partitions = [column.name for column in columns if column.isPartition]
    if partitions != [BATCH_COLUMN] or own != df.columns:
        raise ArgumentError(
            f"the table {table} has the columns {own} and the partitions {partitions}, but the query needs "
            f"{df.columns} partitioned by ['{BATCH_COLUMN}']; name a table that does not exist yet"
        )
    details = {row[0]: row[1] for row in session.sql(f"DESCRIBE FORMATTED {quoted}").collect()}
    if str(details.get("Provider", "")).lower() != "parquet":
        raise ArgumentError(
            f"the format of the table {table} is {details.get('Provider')!r}, but to_table writes Parquet; name "
            "another table"
        )
    if details.get("Type") == "MANAGED":
        require_lasting_catalog(session, table)
    # The inverse of `spark_path`.
    scheme, mark, path = str(details["Location"]).partition(":")
    location = "/" + path.lstrip("/") if mark and scheme == "file" else scheme + mark + path
    return checked_folder(f"the location of the table {table}", location, session)
