"""A DataFrame of Spark Connect as a re-iterable: executors push as many of its batches as are requested."""

import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from reactivestreams.dropped import dropped
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sources.batch_push import PUSHED_SCHEMA, pusher
from reactivestreams.spark.sources.batch_server import BatchServer
from reactivestreams.spark.sources.partition_window import JOIN_TIMEOUT_SECONDS, translated
from reactivestreams.spark.sources.pushed_rows import PushedRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["PartitionRows"]


class PartitionRows(PushedRows):
    """Iterable over the rows or batches of a DataFrame; nothing is computed before the first `next` of an iteration.

    A task whose function raises, for example because its connection was closed, still reads all of its input before it
    fails. So a job is interrupted by its tag, which works from any thread in sessions of Spark Connect.

    Args:
        dataframe: A batch DataFrame of Spark Connect.
        form: One of `ROW_FORMS`.
        window: How many batches may be buffered besides the one that is read.
    """

    def __init__(self, dataframe: "DataFrame", *, form: str, window: int) -> None:
        super().__init__(form=form, window=window, origin="from_dataframe")
        self.dataframe = dataframe

    def schema(self) -> "StructType":
        """Return the DataFrame's schema."""
        return self.dataframe.schema

    def begin_job(self, server: BatchServer, name: str) -> Callable[[], None]:
        """Run the job in a thread and with a tag of the given name."""
        job = threading.Thread(target=self.run_job, args=(server, name), name=f"{name}-job", daemon=True)
        job.start()
        return partial(self.end_job, server, job, name)

    def run_job(self, server: BatchServer, tag: str) -> None:
        """Run the job that pushes all partitions."""
        try:
            self.dataframe.sparkSession.addTag(tag)
            pushed = self.dataframe.mapInArrow(pusher(server.address, server.token), PUSHED_SCHEMA)
            pushed.collect()
        except BaseException as error:
            failure = translated(error, is_stopped=is_stopped(self.dataframe.sparkSession, error))
            failure.__cause__ = error
            server.job_ended(failure)
        else:
            server.job_ended(None)

    def end_job(self, server: BatchServer, job: threading.Thread, tag: str) -> None:
        """Interrupt the job if it still runs, close the connections and join the threads."""
        if job.is_alive() and not server.is_over and not is_stopped(self.dataframe.sparkSession):
            try:
                self.dataframe.sparkSession.interruptTag(tag)
            except Exception as error:
                # No one can receive this error: the reader has closed, or has received another error.
                dropped("cancel", error, origin=self.origin)
        server.close()
        job.join(JOIN_TIMEOUT_SECONDS)

    def __repr__(self) -> str:
        return f"PartitionRows({self.dataframe!r}, form={self.form!r}, window={self.window})"
