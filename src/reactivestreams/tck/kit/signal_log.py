"""The log of one check: its steps and every signal that a probe saw, in order."""

import threading
import time
from collections import deque
from dataclasses import asdict, dataclass

from reactivestreams.tck.kit.element_text import safe_repr

__all__ = ["CHECK_THREAD", "FEED", "SignalLog", "SignalRecord", "Step"]

CHECK_THREAD = "tck-check "
"""The prefix of the name of a thread that runs a check."""

FEED = "source of elements"
"""The name of the kit's subscriber that gets the elements for a subject; no reader needs its signals."""


@dataclass(frozen=True, slots=True)
class SignalRecord:
    """One call of a signal method.

    Attributes:
        at_seconds: The time since the start of the check.
        thread: Name of the thread.
        receiver: The called object, such as `"subscriber 1"`.
        signal: `on_subscribe`, `on_next`, `on_error`, `on_complete`, `request`, `cancel` or `subscribe`.
        argument: A short text of the argument, empty if there is none.
        order: The position among all entries of the log, including steps.
    """

    at_seconds: float
    thread: str
    receiver: str
    signal: str
    argument: str
    order: int

    def as_data(self) -> dict[str, object]:
        """Return the record as plain values, for JSON."""
        return asdict(self)


_Entry = tuple[float, str, str, str, str, int]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the check did or waited for."""

    at_seconds: float
    text: str
    order: int

    def as_data(self) -> dict[str, object]:
        """Return the step as plain values, for JSON."""
        return asdict(self)


class SignalLog:
    """Record signals and steps, from any thread at any time.

    Of a long check the first and the last entries are kept, `kept_entries` of each, and between them as many signals
    other than `on_next`, because a flood of elements must not hide a `cancel`; `omitted_signals` counts the rest.
    Values are converted to text immediately, so that the log keeps nothing alive (§3.13).

    Args:
        kept_entries: How many entries to keep at each end, and of the rarer ones between.

    Example:
        >>> log = SignalLog()
        >>> log.signal("subscriber 1", "request", 3)
        >>> [(record.receiver, record.signal, record.argument) for record in log.signals]
        [('subscriber 1', 'request', '3')]
    """

    def __init__(self, *, kept_entries: int = 200) -> None:
        self._started = time.monotonic()
        self._kept = kept_entries
        # The arguments of records: creating the records here would slow down every signal.
        self._first: list[_Entry] = []
        self._rare: list[_Entry] = []
        self._last: deque[_Entry] = deque(maxlen=kept_entries)
        self._first_steps: list[Step] = []
        self._last_steps: deque[Step] = deque(maxlen=kept_entries)
        self._order = 0
        self._signals = 0
        self._progress = 0
        self._progress_seconds = 0.0
        self._lock = threading.Lock()

    @property
    def elapsed_seconds(self) -> float:
        """The time since the log was made."""
        return time.monotonic() - self._started

    def signal(self, receiver: str, signal: str, *argument: object) -> None:
        """Record a signal to a receiver, with its argument if it has one."""
        if not argument:
            text = ""
        elif signal == "on_subscribe":
            text = f"<{type(argument[0]).__name__}>"  # its repr may be anything, and may wait for a lock
        else:
            text = safe_repr(argument[0])
        thread = threading.current_thread().name
        with self._lock:
            now = time.monotonic() - self._started
            entry = (now, thread, receiver, signal, text, self._order)
            self._order += 1
            self._signals += 1
            self._progress += 1
            self._progress_seconds = now
            if len(self._first) < self._kept:
                self._first.append(entry)
            elif signal != "on_next" and len(self._rare) < self._kept:
                self._rare.append(entry)
            else:
                self._last.append(entry)

    def step(self, text: str) -> None:
        """Record the next step of the check."""
        with self._lock:
            step = Step(self.elapsed_seconds, text, self._order)
            self._order += 1
            (self._first_steps if len(self._first_steps) < self._kept else self._last_steps).append(step)

    def progress(self) -> None:
        """Record progress of the subject that is not a signal, such as a report."""
        with self._lock:
            self._progress += 1
            self._progress_seconds = self.elapsed_seconds

    @property
    def progress_count(self) -> int:
        """The number of signals and other signs of progress."""
        return self._progress

    @property
    def progress_seconds(self) -> float:
        """The time of the last of them, since the start of the check; 0 before the first."""
        return self._progress_seconds

    @property
    def signals(self) -> tuple[SignalRecord, ...]:
        """The signals that were kept."""
        with self._lock:
            kept = [SignalRecord(*entry) for entry in (*self._first, *self._rare, *self._last)]
        return tuple(sorted(kept, key=lambda record: record.order))

    @property
    def omitted_signals(self) -> int:
        """How many signals between the first and the last were not kept."""
        with self._lock:
            return self._signals - len(self._first) - len(self._rare) - len(self._last)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that were kept."""
        with self._lock:
            return (*self._first_steps, *self._last_steps)
