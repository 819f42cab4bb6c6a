"""The totals of a run's results, for the table and the page.

All are integers; means are computed where they are shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from reactivestreams.demo.flights_pipeline import Result

__all__ = ["Summary", "Totals", "summarize"]


@dataclass
class Totals:
    """The departed flights of one group."""

    flights: int = 0
    delay_sum: int = 0
    worst: int = 0
    alarms: int = 0

    def add(self, result: Result) -> None:
        """Count one departed flight."""
        self.worst = max(self.worst, result.delay) if self.flights else result.delay
        self.flights += 1
        self.delay_sum += result.delay
        self.alarms += result.alarm

    @property
    def mean(self) -> float:
        """The mean departure delay in minutes; 0 if there was no flight."""
        return self.delay_sum / self.flights if self.flights else 0.0


@dataclass
class Summary:
    """The totals of the results of one run."""

    rows: int
    """Source rows, including cancelled and rejected ones."""
    all: Totals = field(default_factory=Totals)
    by_hour_and_carrier: dict[tuple[int, str], Totals] = field(default_factory=dict[tuple[int, str], Totals])
    by_origin_and_carrier: dict[tuple[str, str], Totals] = field(default_factory=dict[tuple[str, str], Totals])
    by_day: dict[str, Totals] = field(default_factory=dict[str, Totals])
    rejected: list[Result] = field(default_factory=list[Result])

    @property
    def cancelled(self) -> int:
        """Rows without a result: flights that never departed."""
        return self.rows - self.all.flights - len(self.rejected)


def summarize(results: Iterable[Result], *, rows: int) -> Summary:
    """Return the totals of results; `rows` is the number of source rows."""
    summary = Summary(rows)
    for result in results:
        if result.problem:
            summary.rejected.append(result)
            continue
        summary.all.add(result)
        summary.by_hour_and_carrier.setdefault((result.hour, result.carrier), Totals()).add(result)
        summary.by_origin_and_carrier.setdefault((result.origin, result.carrier), Totals()).add(result)
        summary.by_day.setdefault(result.day, Totals()).add(result)
    return summary
