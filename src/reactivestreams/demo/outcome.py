"""The outcome of the demo, for the table, the page and JSON."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from reactivestreams.demo.engine_run import KillReport
from reactivestreams.demo.flights_pipeline import Thresholds
from reactivestreams.demo.flights_runs import RunReport
from reactivestreams.demo.slow_consumer import FlowReport
from reactivestreams.demo.summary import Summary

__all__ = ["DemoOutcome", "versions"]


@dataclass(frozen=True)
class DemoOutcome:
    """The runs, the totals of their results, and whether they agree."""

    runs: Sequence[RunReport]
    """The others are compared with the first one."""
    summary: Summary
    flow: FlowReport
    kills: KillReport
    thresholds: Thresholds
    pipeline: Any
    airlines: Mapping[str, str]
    airports: Mapping[str, str]
    """Names by code; a code without a name is shown alone."""
    source: str
    """A description of the origin of the rows."""
    file_rows: int
    """The number of rows of the complete file."""

    @property
    def is_equal(self) -> bool:
        """Whether every run has the results of the first."""
        return all(run.difference is None for run in self.runs)

    @property
    def is_good(self) -> bool:
        """Whether the results are equal and the slow consumer's buffer stayed within its bound."""
        return self.is_equal and self.flow.is_bounded

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON data; sums are whole minutes, memory is in bytes."""
        return {
            "equal": self.is_equal,
            "good": self.is_good,
            "rows": self.summary.rows,
            "flights": self.summary.all.flights,
            "cancelled": self.summary.cancelled,
            "rejected": len(self.summary.rejected),
            "rejected_rows": [{"row": result.row, "problem": result.problem} for result in self.summary.rejected],
            "delay_sum_minutes": self.summary.all.delay_sum,
            "alarms": self.summary.all.alarms,
            "keys": len(self.summary.by_origin_and_carrier),
            "runs": [
                {
                    "name": run.name,
                    "results": run.results,
                    "seconds": round(run.seconds, 3),
                    "set_up_seconds": round(run.set_up_seconds, 3),
                    "rows_per_second": round(run.rows_per_second),
                    "difference": None if run.difference is None else str(run.difference),
                }
                for run in self.runs
            ],
            "slow_consumer": {
                "produced": self.flow.produced,
                "taken": self.flow.taken,
                "fill_maximum": self.flow.fill_maximum,
                "fill_bound": self.flow.fill_bound,
                "requested": self.flow.requested,
                "requests": self.flow.request_count,
                "growth_bytes": self.flow.growth_bytes,
            },
            "kills": {
                "seed": self.kills.seed,
                "moments": [
                    {
                        "handled": killed.handled,
                        "recovered": after.recovered,
                        "gap_seconds": round(after.samples[0][0] - killed.ended, 3),
                    }
                    for killed, after in self.kills.gaps
                ],
            },
            "versions": versions(),
        }


def versions() -> dict[str, str]:
    """Return the versions of the programs involved, by name."""
    found = {"Python": platform.python_version()}
    for name in ("reactive-streams-core", "pyspark", "pyarrow"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {**found, "system": f"{platform.system()} {platform.machine()}"}
