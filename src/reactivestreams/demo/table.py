"""The outcome as text: one row per run, the figures of the slow consumer, the verdict."""

from reactivestreams.demo.outcome import DemoOutcome
from reactivestreams.demo.slow_consumer import BAR_GROWTH_BYTES

__all__ = ["HEADINGS", "outcome_lines", "run_rows"]

MEBIBYTE = 1 << 20
HEADINGS = ("Run", "Results", "Seconds", "Set-up s", "Rows a second", "Compared")


def run_rows(outcome: DemoOutcome) -> list[tuple[str, ...]]:
    """Return one row of text per run, under `HEADINGS`; numbers are aligned to the right."""
    rows: list[tuple[str, ...]] = []
    for index, run in enumerate(outcome.runs):
        numbers = (
            f"{run.results:,}",
            f"{run.seconds:.2f}",
            f"{run.set_up_seconds:.1f}" if run.set_up_seconds else "-",
            f"{run.rows_per_second:,.0f}",
        )
        verdict = "reference" if index == 0 else "equal" if run.difference is None else "DIFFERS"
        rows.append((run.title, *numbers, verdict))
    widths = [max(len(row[column]) for row in [HEADINGS, *rows]) for column in range(len(HEADINGS))]
    return [(row[0], *(row[column].rjust(widths[column]) for column in range(1, 5)), row[5]) for row in rows]


def outcome_lines(outcome: DemoOutcome) -> list[str]:
    """Return the lines below the table."""
    summary, flow = outcome.summary, outcome.flow
    kept = "kept" if flow.is_bounded else "BROKEN"
    rows = (
        f"{summary.all.flights:,} flights departed, {summary.cancelled:,} cancelled, {len(summary.rejected):,} rejected"
    )
    kills = outcome.kills
    moments = "; ".join(f"{killed.handled:,}, went on from {after.recovered:,}" for killed, after in kills.gaps)
    lines = [
        f"{summary.rows:,} rows: {rows}; mean delay {summary.all.mean:.2f} min, alarms: {summary.all.alarms:,}.",
        f"Engine, killed with kill -9 after so many rows: {moments} (--seed {kills.seed}).",
        f"Slow consumer: produced minus taken at most {flow.fill_maximum:,}, bound {flow.fill_bound:,}: {kept}.",
    ]
    growth = flow.growth_bytes
    if growth is not None:
        verdict = "flat" if growth <= BAR_GROWTH_BYTES else "OVER THE BAR"
        measured = f"+{growth / MEBIBYTE:.2f} MiB, bar {BAR_GROWTH_BYTES / MEBIBYTE:g} MiB"
        lines.append(f"Memory from 10 % to 100 % of the rows: {measured}: {verdict}.")
    lines += [str(run.difference) for run in outcome.runs if run.difference is not None]
    lines.append("Results: equal." if outcome.is_equal else "Results: THEY DIFFER.")
    return lines
