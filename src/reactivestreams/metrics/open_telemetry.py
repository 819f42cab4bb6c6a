"""Metrics and spans for OpenTelemetry.

An exporter may raise or hang, and no stream may suffer from that. So a stream calls nothing of OpenTelemetry:

  - Counts are pulled. The instruments are observable: a reader of the SDK asks for their values in its own thread, when
    it exports, and adds up the totals of the runs that have ended and the words of those that run.
  - What has no observable form, a span and the duration in a histogram, is reported by a thread of each
    `OpenTelemetryMetrics`. A run that ends is put into a bounded queue, with its times; while what a span goes to, such
    as a SimpleSpanProcessor with an exporter, hangs, the queue fills, and the spans and durations of further runs are
    left out. Their counts are right all the same.

Instruments belong to a meter provider, which ignores a second set of the same name; so all `OpenTelemetryMetrics` of a
provider share one, a `_Book`.
"""

import atexit
import os
import time
from collections.abc import Callable, Iterable
from queue import Empty, SimpleQueue
from threading import Event, Lock, RLock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from reactivestreams.arguments import checked_timeout
from reactivestreams.errors import MissingExtraError
from rs_core.dropped import dropped
from rs_core.operators.tap import TappedRun
from rs_core.version import __version__

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import CallbackOptions, Histogram, MeterProvider, Observation
    from opentelemetry.trace import TracerProvider

__all__ = ["OpenTelemetryMetrics"]

SCOPE = "reactivestreams"
"""The name of the meter and the tracer."""

STREAM = "reactivestreams.stream"
"""The attribute with the name of the stream."""

OUTCOME = "reactivestreams.outcome"
"""The attribute with how a run has ended."""

MAX_SERIES = 1_000
"""How many names have series of their own; further ones are counted under `OVERFLOW`."""

OVERFLOW = "(other streams)"
"""The name of all streams for which there is no series."""

MAX_WAITING = 2_048
"""How many runs that have ended may wait for the thread that reports them; of further ones span and duration are left
out."""

IDLE_SECONDS = 1.0
"""After how long without a run that ends the thread that reports them ends."""

FLUSH_SECONDS = 5.0
"""How long the end of the program, and `flush`, wait for the reports of the runs that have ended."""


class OpenTelemetryMetrics:
    """Report the runs of streams with `tap` as metrics and spans of OpenTelemetry.

    It needs `pip install "reactive-streams-core[opentelemetry]"`, which brings the API alone: without an SDK that the
    program sets up, nothing is reported. Make one for a program. Metrics, each with the attribute
    `reactivestreams.stream`, the name given to `tap`:

        reactivestreams.elements         how many elements have passed
        reactivestreams.requests         how many requests
        reactivestreams.requested        how many elements these have requested; those without a limit do not add to it
        reactivestreams.waits            how often an element came after a request
        reactivestreams.wait.time        the time from these requests to these elements, in seconds
        reactivestreams.runs             how many runs have ended, by `reactivestreams.outcome` and `error.type`
        reactivestreams.runs.active      how many run
        reactivestreams.run.duration     a histogram of the seconds that runs took, by `reactivestreams.outcome`

    The span of a run has the name of the stream and is a child of the span that is current where the stream starts. A
    run that fails has the status of an error and records its exception; a cancelled one has no status.

    An exporter that hangs or raises does not reach a stream. Counts are exported by the SDK's own thread. Spans and
    durations are reported by a thread of this object; the first exception of one there goes to the hook for dropped
    signals. At most 2,048 ended runs wait for it, further ones have neither.

    Args:
        meter_provider: Whose meter; by default the global one, also if that is set later.
        tracer_provider: Whose tracer; by default the global one, also if that is set later.

    Raises:
        MissingExtraError: opentelemetry-api is not installed.

    Threads: any.

    Example:
        >>> from opentelemetry.sdk.metrics import MeterProvider
        >>> from opentelemetry.sdk.metrics.export import InMemoryMetricReader
        >>> from reactivestreams import Stream
        >>> from reactivestreams.metrics import OpenTelemetryMetrics
        >>> reader = InMemoryMetricReader()
        >>> metrics = OpenTelemetryMetrics(meter_provider=MeterProvider([reader]))
        >>> Stream.range(1000).tap(metrics, name="numbers").sum()
        499500
        >>> exported = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
        >>> elements = next(each for each in exported if each.name == "reactivestreams.elements")
        >>> [(dict(point.attributes), point.value) for point in elements.data.data_points]
        [({'reactivestreams.stream': 'numbers'}, 1000)]
    """

    def __init__(
        self, *, meter_provider: "MeterProvider | None" = None, tracer_provider: "TracerProvider | None" = None
    ) -> None:
        MissingExtraError.unless_installed("opentelemetry", extra="opentelemetry", purpose="OpenTelemetryMetrics")
        from opentelemetry.context import get_current
        from opentelemetry.trace import get_tracer

        self._get_context = get_current
        self.book: _Book = _book_of(meter_provider)
        self._tracer = get_tracer(SCOPE, __version__, tracer_provider)
        self.forget_waiting()
        self._has_lost = False
        self._has_failed = False
        _all.add(self)

    def run_started(self, run: TappedRun, /) -> None:
        """Count a run."""
        self.book.add(run, _Start(time.time_ns(), self._get_context()))

    def run_ended(self, run: TappedRun, error: BaseException | None, /) -> None:
        """Count how it has ended, and have that reported."""
        start = self.book.close(run)
        if start is None:
            return
        if self._ended.qsize() < MAX_WAITING:
            self._ended.put(_Ended(run, start, error))
            self._ensure_reporting()
        elif not self._has_lost:
            self._has_lost = True
            trouble = RuntimeError(
                f"{MAX_WAITING:,} ended runs wait to be reported: what their spans and durations go to hangs, so those "
                f"of further runs are left out; look at the span processors, and use one with a thread of its own"
            )
            dropped("run_ended", trouble, origin="OpenTelemetryMetrics")

    def forget_waiting(self) -> None:
        """Begin with an empty queue and without a thread; in a forked child these are the parent's."""
        self._ended: SimpleQueue[_Ended | Event] = SimpleQueue()  # whose put() may be interrupted by another put()
        self._reporting = Lock()  # the thread that reports has it

    def flush(self, *, timeout_seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until the runs that have ended are reported to the SDK; the end of the program does so, too.

        Call it before the shutdown of a provider.

        Args:
            timeout_seconds: How long, at most.

        Returns:
            Whether they were.
        """
        timeout = checked_timeout(timeout_seconds, operator="OpenTelemetryMetrics.flush")
        if self._ended.empty() and not self._reporting.locked():
            return True
        reached = Event()
        self._ended.put(reached)
        self._ensure_reporting()
        return reached.wait(timeout)

    def _ensure_reporting(self) -> None:
        """Start the thread, unless it runs; called after something was put into the queue."""
        if self._reporting.acquire(blocking=False):
            try:
                Thread(target=self._report_all, name="reactivestreams-metrics", daemon=True).start()
            except RuntimeError:  # the interpreter ends, or the system has no thread left
                self._reporting.release()
                raise

    def _report_all(self) -> None:
        while True:
            try:
                each = self._ended.get(timeout=IDLE_SECONDS)
            except Empty:
                self._reporting.release()
                # What was put before that, and found no thread to start, has to be reported by this one.
                if self._ended.empty() or not self._reporting.acquire(blocking=False):
                    return
                continue
            if isinstance(each, Event):
                each.set()
                continue
            try:
                self._report(each)
                self._has_lost = False
            except Exception as error:
                if not self._has_failed:
                    self._has_failed = True
                    dropped("run_ended", error, origin="OpenTelemetryMetrics")

    def _report(self, ended: "_Ended") -> None:
        from opentelemetry.trace import Status, StatusCode

        run, start, error = ended
        outcome: dict[str, Any] = {OUTCOME: run.outcome}
        if run.error_type is not None:
            outcome["error.type"] = run.error_type
        counts = {"reactivestreams.elements": run.elements, "reactivestreams.requested": run.requested}
        self.book.record(run, outcome)
        span = self._tracer.start_span(
            run.name,
            context=start.context,
            start_time=start.nanoseconds,
            attributes={STREAM: run.name, **outcome, **counts},
        )
        try:
            if error is not None:
                span.record_exception(error)
                span.set_status(Status(StatusCode.ERROR, f"{type(error).__name__}: {error}"))
        finally:
            span.end(start.nanoseconds + int(run.seconds * 1e9))


_all: "WeakSet[OpenTelemetryMetrics]" = WeakSet()


@atexit.register
def _flush_all() -> None:
    """Report what has ended; providers that were made before this module was loaded shut down later."""
    for each in list(_all):
        each.flush()


def _forget_parent() -> None:
    """Leave to the parent what it reports, and the locks that a thread of it may have had."""
    for each in list(_all):
        each.forget_waiting()
        each.book.forget_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_parent)


class _Start(NamedTuple):
    """When a run started, since 1970, and in which context."""

    nanoseconds: int
    context: "Context"


class _Ended(NamedTuple):
    """A run that is to be reported."""

    run: TappedRun
    start: _Start
    error: BaseException | None


# --- counts ----------------------------------------------------------------------------------------------------------


class _Series:
    """The runs of a name: the totals of those that have ended, and those that run."""

    def __init__(self) -> None:
        self.ended = _Counts()
        self.outcomes: dict[tuple[str, str | None], int] = {}
        self.running: dict[TappedRun, _Start] = {}

    def close(self, run: TappedRun) -> _Start | None:
        """Add a run to the totals; None: it was, or never ran."""
        start = self.running.pop(run, None)
        if start is not None:
            self.ended = self.ended.plus(run)
            outcome = run.outcome, run.error_type
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        return start

    def close_abandoned(self) -> None:
        for run in [run for run in self.running if run.outcome == "abandoned"]:
            self.close(run)


class _Counts(NamedTuple):
    """What is added up of runs."""

    elements: int = 0
    requests: int = 0
    requested: int = 0
    waits: int = 0
    waited_seconds: float = 0.0

    def plus(self, run: TappedRun) -> "_Counts":
        return _Counts(
            self.elements + run.elements,
            self.requests + run.requests,
            self.requested + run.requested,
            self.waits + run.waits,
            self.waited_seconds + run.waited_seconds,
        )


class _Book:
    """The counts of all runs that are reported to a meter provider, and its instruments.

    Streams add runs and take them off, the SDK reads: each for some steps under a lock. A run that runs is read outside
    of it, from a copy of the totals and the list of runs that belong together, so that no number ever goes back.
    """

    def __init__(self, provider: "MeterProvider | None") -> None:
        from opentelemetry.metrics import Observation, get_meter

        self._observation = Observation
        self.forget_lock()
        self._series: dict[str, _Series] = {}
        self._sweep_at = MAX_SERIES
        self._running = 0
        meter = get_meter(SCOPE, __version__, provider)
        counter, up_down = meter.create_observable_counter, meter.create_observable_up_down_counter
        for name, unit, text in (
            ("elements", "{element}", "Elements that have passed"),
            ("requests", "{request}", "Requests that have passed"),
            ("requested", "{element}", "Elements that were requested by requests with a limit"),
            ("waits", "{wait}", "Elements that came after a request"),
        ):
            counter(f"{SCOPE}.{name}", [self._counts(name)], unit, text)
        counter(f"{SCOPE}.wait.time", [self._counts("waited_seconds")], "s", "Time from requests to elements")
        counter(f"{SCOPE}.runs", [self._outcomes], "{run}", "Runs that have ended")
        up_down(f"{SCOPE}.runs.active", [self._active], "{run}", "Runs that have not ended")
        self._duration: Histogram = meter.create_histogram(
            f"{SCOPE}.run.duration", "s", "Time from the start to the end of a run"
        )

    def forget_lock(self) -> None:
        """Begin with a lock that nobody has."""
        self._lock = RLock()  # a stream may be ended by the garbage collector while this thread holds it

    def series_of(self, name: str) -> str:
        """Return the name of the series of a stream: its own, or that of all for which there is no room."""
        return name if name in self._series else OVERFLOW

    def add(self, run: TappedRun, start: _Start) -> None:
        """Count a run from now on."""
        with self._lock:
            self._running += 1
            if self._running >= self._sweep_at:  # else runs that nobody reads would add up
                self._close_abandoned()
                self._sweep_at = max(MAX_SERIES, 2 * self._running)
            if run.name not in self._series and len(self._series) < MAX_SERIES:
                self._series[run.name] = _Series()
            self._series.setdefault(self.series_of(run.name), _Series()).running[run] = start

    def close(self, run: TappedRun) -> _Start | None:
        """Keep the counts of a run that has ended; return its start; None: it was abandoned meanwhile."""
        with self._lock:
            start = self._series[self.series_of(run.name)].close(run)
            self._running -= start is not None
            return start

    def record(self, run: TappedRun, outcome: dict[str, Any]) -> None:
        """Note how long a run that has ended took."""
        self._duration.record(run.seconds, {STREAM: self.series_of(run.name), **outcome})

    def _close_abandoned(self) -> None:
        for series in self._series.values():
            series.close_abandoned()
        self._running = sum(len(series.running) for series in self._series.values())

    def _counts(self, name: str) -> "Callable[[CallbackOptions], Iterable[Observation]]":
        def observe(options: "CallbackOptions") -> "Iterable[Observation]":
            with self._lock:
                self._close_abandoned()
                seen = [(key, series.ended, list(series.running)) for key, series in self._series.items()]
            return [
                self._observation(getattr(ended, name) + sum(getattr(run, name) for run in running), {STREAM: key})
                for key, ended, running in seen
            ]

        return observe

    def _outcomes(self, options: "CallbackOptions") -> "Iterable[Observation]":
        with self._lock:
            self._close_abandoned()
            seen = [
                (key, outcome, error, count)
                for key, series in self._series.items()
                for (outcome, error), count in series.outcomes.items()
            ]
        return [
            self._observation(count, {STREAM: key, OUTCOME: outcome} | ({} if error is None else {"error.type": error}))
            for key, outcome, error, count in seen
        ]

    def _active(self, options: "CallbackOptions") -> "Iterable[Observation]":
        with self._lock:
            self._close_abandoned()
            seen = [(key, len(series.running)) for key, series in self._series.items()]
        return [self._observation(count, {STREAM: key}) for key, count in seen]


_books: "WeakKeyDictionary[object, _Book]" = WeakKeyDictionary()
_making_books = Lock()


class _GlobalProvider:
    """Stands for the global meter provider, which may be set after its instruments were made."""


_GLOBAL = _GlobalProvider()


def _book_of(provider: "MeterProvider | None") -> _Book:
    from opentelemetry.metrics import get_meter_provider

    key = _GLOBAL if provider is None or provider is get_meter_provider() else provider
    with _making_books:
        if key not in _books:
            _books[key] = _Book(None if key is _GLOBAL else provider)
        return _books[key]
