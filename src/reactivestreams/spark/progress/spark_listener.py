"""The listener through which Spark tells of its queries."""

from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from reactivestreams.spark.progress.progress_values import QueryProgress

if TYPE_CHECKING:
    from reactivestreams.spark.progress.query_progress import ProgressWatch

__all__ = ["listener_of"]


class WatchListener(StreamingQueryListener):
    """Passes progress and ends on to a watch."""

    def __init__(self, watch: "ProgressWatch") -> None:
        self.watch = watch

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Do nothing: a query is shown with its first micro-batch."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Pass a micro-batch on."""
        self.watch.on_progress(QueryProgress.of(event.progress))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Do nothing: there is no micro-batch."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Pass the end of a run on."""
        self.watch.on_end(str(event.runId), event.exception)


def listener_of(watch: "ProgressWatch") -> StreamingQueryListener:
    """Return the listener of a watch."""
    return WatchListener(watch)
