"""Watching streaming queries: history, display and a stream of their progress."""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TextIO, cast

from reactivestreams.dropped import dropped
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spark.jvm_calls import query_session
from reactivestreams.spark.progress.progress_page import page, progress_page
from reactivestreams.spark.progress.query_display import QueryDisplay, QueryProgress, open_display
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.sessions.stopped_session import is_stopped
from reactivestreams.spark.sinks.running_query import RunningQuery
from reactivestreams.stream import Stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import StreamingQuery

    from reactivestreams import StreamEmitter

__all__ = ["MAX_HISTORY", "STREAM_CAPACITY", "ProgressWatch", "query_progress"]

MAX_HISTORY = 10_000
"""Maximum number of micro-batches in the history of a watch; the oldest are dropped."""

STREAM_CAPACITY = 256
"""Maximum number of values that wait for demand in a stream of progress; the oldest are dropped."""


def query_progress(
    query_or_session: "RunningQuery | StreamingQuery | SparkSession",
    *,
    display: bool = True,
    stream: TextIO | None = None,
) -> "ProgressWatch":
    """Watch the progress of a streaming query, or of all queries of a session.

    Args:
        query_or_session: A query, as returned by a sink or Spark's `start()`, or a session, which includes the queries
            of `from_query`.
        display: Whether to show it: bars if rich is installed and `stream` is a terminal, else lines.
        stream: Where to show it; by default standard error.

    Returns:
        The watch. `close()` or the end of its `with` block ends it.

    Raises:
        ArgumentTypeError: The argument is neither a query nor a session.

    Threads: Spark's event thread shows and stores the values.
    """
    require_spark()
    session, query = watched(query_or_session)
    run_id = None if query is None else str(query.runId)
    shown = open_display(sys.stderr if stream is None else stream) if display else None
    watch = ProgressWatch(session, run_id, shown)
    try:
        watch.open()
        if query is not None and not query.isActive:
            # Spark reports only ends from here on, so an earlier end is checked here.
            watch.on_end(str(query.runId), None)
    except BaseException:
        watch.close()
        raise
    return watch


def watched(query_or_session: Any) -> "tuple[SparkSession, StreamingQuery | None]":
    """Return the session to listen to, and the query, or None for all queries."""
    if isinstance(query_or_session, RunningQuery):
        return query_or_session.session, query_or_session.query
    if hasattr(query_or_session, "streams") and hasattr(query_or_session, "readStream"):
        return cast("SparkSession", query_or_session), None
    if hasattr(query_or_session, "runId") and hasattr(query_or_session, "awaitTermination"):
        from pyspark.sql import SparkSession

        return query_session(query_or_session) or SparkSession.active(), query_or_session
    raise ArgumentTypeError(
        f"query_progress needs a streaming query or a session, got {query_or_session!r:.200}; pass what a sink or "
        "writeStream.start() returned, or session()"
    )


class ProgressWatch:
    """The history of the micro-batches of watched queries, and streams of them.

    Roles: Spark's *event thread* calls `on_progress` and `on_end`; any thread may call the rest.

    Invariants, true whenever the lock is free:

    - I1: history and rows count the same micro-batches, except those that history has dropped.
    - I2: after close nothing is added, and all streams have been completed.
    - I3: after the end of the watched run all streams have been completed.

    Progress: no call waits for another thread longer than it takes to append and to show.
    """

    def __init__(self, session: "SparkSession", run_id: str | None, display: QueryDisplay | None) -> None:
        self._session = session
        self._run_id = run_id
        self._display = display
        self._lock = threading.RLock()
        self._history: deque[QueryProgress] = deque(maxlen=MAX_HISTORY)
        self._rows = 0
        self._totals: dict[str, int] = {}
        """Rows of each run that has not ended."""
        self._emitters: list[StreamEmitter[QueryProgress]] = []
        self._closed = False
        self._run_ended = False
        self._listener: Any = None

    @property
    def history(self) -> list[QueryProgress]:
        """The micro-batches so far, oldest first, at most `MAX_HISTORY`."""
        with self._lock:
            return list(self._history)

    @property
    def rows(self) -> int:
        """How many rows were read since the watch began."""
        with self._lock:
            return self._rows

    def stream(self) -> Stream[QueryProgress]:
        """Return the micro-batches from now on as a stream, which ends with the watched query or the watch.

        If one of them has already ended, the stream is empty.

        Demand: at most `STREAM_CAPACITY` values wait for demand; then the oldest are dropped.
        """
        return Stream.create(self._add_emitter, on_overflow="drop_oldest", capacity=STREAM_CAPACITY)

    def page(self, path: str | os.PathLike[str]) -> Path:
        """Write a page with charts of the history: `progress_page`.

        Args:
            path: The file, ending in `.html`.

        Returns:
            The path.

        Raises:
            ArgumentError: The path does not end in `.html`, or no micro-batch has ended yet.
            ArgumentTypeError: The value is not a path.
        """
        return progress_page(path, self.history)

    def open(self) -> None:
        """Start to listen; called by `query_progress`."""
        from reactivestreams.spark.progress.spark_listener import WatchListener

        listener = WatchListener(self.on_progress, self.on_end)
        self._session.streams.addListener(listener)
        self._listener = listener

    def close(self) -> None:
        """End the watch and its streams. Further calls do nothing."""
        with self._lock:
            was_closed, self._closed = self._closed, True
        if was_closed:
            return
        try:
            if self._listener is not None and not is_stopped(self._session):
                self._session.streams.removeListener(self._listener)
        finally:
            self._complete()
            with self._lock:
                shown, self._display = self._display, None
                if shown is not None:
                    shown.close()

    def on_progress(self, progress: QueryProgress) -> None:
        """Add a micro-batch; called by the listener."""
        if self._run_id not in (None, progress.run_id):
            return
        with self._lock:
            if self._closed:
                return
            self._history.append(progress)
            self._rows += progress.rows
            total = self._totals[progress.run_id] = self._totals.get(progress.run_id, 0) + progress.rows
            emitters = list(self._emitters)
            self._show(lambda display: display.show(progress, total))
        for emitter in emitters:
            emitter.emit(progress)

    def on_end(self, run_id: str, error: str | None) -> None:
        """Handle the end of a run; called by the listener."""
        if self._run_id not in (None, run_id):
            return
        with self._lock:
            self._totals.pop(run_id, None)
            if not self._closed:
                self._show(lambda display: display.end(run_id, error))
            self._run_ended = self._run_id is not None
        if self._run_ended:
            self._complete()

    def _show(self, call: Callable[[QueryDisplay], None]) -> None:
        """Call the display; a display that fails, for example on a closed stream, is not called again."""
        display = self._display
        if display is None:
            return
        try:
            call(display)
        except Exception as error:
            self._display = None
            with suppress(Exception):  # it has already failed, and may have a thread that draws
                display.close()
            dropped("on_error", error, origin="the display of query_progress")

    def _add_emitter(self, emitter: "StreamEmitter[QueryProgress]") -> None:
        with self._lock:
            if not self._closed and not self._run_ended:
                self._emitters = [known for known in self._emitters if not known.is_cancelled]
                self._emitters.append(emitter)
                return
        emitter.complete()

    def _complete(self) -> None:
        with self._lock:
            emitters, self._emitters = self._emitters, []
        for emitter in emitters:
            emitter.complete()

    def __repr__(self) -> str:
        with self._lock:
            state = "closed" if self._closed else "ended" if self._run_ended else "on"
            return f"ProgressWatch({state}, {len(self._history):,} micro-batches, {self._rows:,} rows)"

    def _repr_html_(self) -> str:
        """Return the page of the history for a notebook, in a frame of its own, since it has a style sheet."""
        history = self.history
        if not history:
            return f"<pre>{escape(repr(self))}</pre>"
        queries = len({progress.query for progress in history})
        height = 160 + 960 * queries
        return f'<iframe srcdoc="{escape(page(history))}" width="100%" height="{height}" frameborder="0"></iframe>'

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
