"""The listener for the events of Spark's queries."""

from collections.abc import Callable
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from reactivestreams.spark.progress.query_display import QueryProgress

__all__ = ["WatchListener"]


class WatchListener(StreamingQueryListener):
    """Forwards the progress and the end of queries to a watch.

    Args:
        on_progress: Called with each micro-batch.
        on_end: Called with the id of a run that ended, and the text of its error or None.
    """

    def __init__(
        self, on_progress: Callable[[QueryProgress], object], on_end: Callable[[str, str | None], object]
    ) -> None:
        self.on_progress = on_progress
        self.on_end = on_end

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Do nothing: a query appears with its first micro-batch."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Forward a micro-batch."""
        self.on_progress(QueryProgress.of(event.progress))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Do nothing: there is no micro-batch."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802  # the name is Spark's
        """Forward the end of a run."""
        self.on_end(str(event.runId), event.exception)
