"""Metrics that stay in the program, for tests and for a prompt."""

from collections import deque

from reactivestreams.arguments import checked_count
from rs_core.operators.tap import TappedRun

__all__ = ["MemoryMetrics"]

DEFAULT_MAX_RUNS = 1_000
"""How many runs are kept unless it is told otherwise."""

_HEADINGS = ("name", "outcome", "elements", "requested", "requests", "longest wait", "seconds")


class MemoryMetrics:
    """Keep the last runs of streams with `tap`, also while they run; `print` shows a table.

    Args:
        max_runs: How many, from 1; by default 1,000. The oldest make room.

    Threads: any.

    Example:
        >>> from reactivestreams import Stream
        >>> from reactivestreams.metrics import MemoryMetrics
        >>> metrics = MemoryMetrics()
        >>> quotients = Stream.just(4, 2, 0).tap(metrics, name="in").map(lambda n: 4 // n).tap(metrics, name="out")
        >>> quotients.on_error_resume(Stream.empty()).to_list()
        [1, 2]
        >>> [(run.name, run.elements, run.outcome, run.error_type) for run in metrics.runs]
        [('out', 2, 'failed', 'ZeroDivisionError'), ('in', 3, 'cancelled', None)]
    """

    def __init__(self, *, max_runs: int = DEFAULT_MAX_RUNS) -> None:
        self._runs: deque[TappedRun] = deque(
            maxlen=checked_count(max_runs, operator="MemoryMetrics", name="max_runs", at_least=1)
        )

    @property
    def runs(self) -> tuple[TappedRun, ...]:
        """The runs in the order in which they started; of several in one stream the last one is the first to start."""
        return tuple(self._runs.copy())  # copied in one step, whatever starts meanwhile

    def __getitem__(self, name: str) -> TappedRun:
        """Return the last run of a name.

        Raises:
            KeyError: None has started, or too many after it.
        """
        for run in reversed(self.runs):
            if run.name == name:
                return run
        raise KeyError(name)

    def run_started(self, run: TappedRun, /) -> None:
        """Keep a run."""
        self._runs.append(run)

    def run_ended(self, run: TappedRun, error: BaseException | None, /) -> None:
        """Do nothing: the run itself says how it has ended."""

    def __str__(self) -> str:
        rows = [_HEADINGS, *(_cells(run) for run in self.runs)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        )

    def __repr__(self) -> str:
        return f"<MemoryMetrics of {len(self._runs)} runs>"


def _cells(run: TappedRun) -> tuple[str, ...]:
    return (
        run.name,
        run.outcome if run.error_type is None else f"{run.outcome}: {run.error_type}",
        f"{run.elements:,}",
        "unbounded" if run.is_unbounded else f"{run.requested:,}",
        f"{run.requests:,}",
        f"{run.longest_wait_seconds:.3f}",
        f"{run.seconds:.3f}",
    )
