"""The figures of the page: the engine's processes, flow and memory of the slow-consumer run, alarms over the year.

Each is drawn for a width in CSS pixels.
"""

from datetime import date

from reactivestreams.demo.engine_run import KillReport
from reactivestreams.demo.slow_consumer import BAR_GROWTH_BYTES, FlowReport
from reactivestreams.demo.summary import Summary
from reactivestreams.drawing.charts import Plot, svg, ticks

__all__ = ["alarms_by_week", "buffer_fill", "flow_close_up", "killed_engine", "memory_growth"]

MEBIBYTE = 1 << 20
DAYS_A_WEEK = 7


def marks(low: float, high: float, count: int) -> list[tuple[float, str]]:
    return [(value, f"{value:,.6g}") for value in ticks(low, high, count=count)]


def killed_engine(kills: KillReport, *, width: float) -> str:
    """Draw how many rows each process of the engine had handled, each kill, and the gaps between the processes."""
    end = kills.lives[-1].ended
    top = kills.total * 1.06
    plot = Plot(width, 280, (0, 0), (end, top), left=62)
    body = plot.axes(
        marks(0, end, 4 if width < 500 else 10),
        [(value, name) for value, name in marks(0, kills.total, 5) if value == int(value)],
        x_title="seconds since the start",
        y_title="rows handled",
    )
    begins = [(0.0, kills.lives[0])] + [(killed.ended, after) for killed, after in kills.gaps]
    for begin, life in begins:
        ready = life.samples[0][0]
        body.append(plot.band([(begin, 0), (ready, 0)], [(begin, kills.total), (ready, kills.total)], css="gap"))
    for killed, after in kills.gaps:
        body.append(plot.line([(killed.ended, killed.handled), after.samples[0]], css="thin back"))
        name = f"kill -9 at {killed.ended:.2f} s, after {killed.handled:,} rows; goes on from {after.recovered:,}"
        body.append(plot.mark(killed.ended, name, css="kill"))
    for life in kills.lives:
        body.append(plot.line([*life.samples, (life.ended, life.handled)], css="fill"))
    moments = "; ".join(f"{killed.handled:,}, goes on from {after.recovered:,}" for killed, after in kills.gaps)
    label = (
        f"Rows handled over {end:.1f} seconds by {len(kills.lives)} processes, up to {kills.total:,}. "
        f"Killed after so many rows: {moments}."
    )
    return svg(width, plot.height, body, label=label, kind="kills")


def flow_close_up(flow: FlowReport, *, width: float) -> str:
    """Draw the fill of the first elements, sample by sample, and each request; empty if there are none."""
    samples = flow.close_up
    if len(samples) < 2:
        return ""
    fill = [(sample.seconds * 1000, sample.fill) for sample in samples]
    end = fill[-1][0]
    top = max(flow.fill_bound, *(count for _, count in fill)) * 1.22
    plot = Plot(width, 260, (0, 0), (end, top))
    requests = [request for request in flow.close_up_requests if request.seconds * 1000 <= end]
    body = [
        *plot.axes(
            marks(0, end, 4 if width < 500 else 9),
            marks(0, flow.fill_bound, 5),
            x_title="milliseconds since the start",
            y_title="elements",
        ),
        *(
            plot.mark(
                request.seconds * 1000, f"request({request.n:,}) at {request.seconds * 1000:.1f} ms", css="demand"
            )
            for request in requests
        ),
        plot.band([(at, 0) for at, _ in fill], fill, css="fill"),
        plot.line(fill, css="fill"),
        plot.level(flow.fill_bound, f"bound {flow.fill_bound:,}", css="limit"),
    ]
    fills = [count for _, count in fill]
    label = (
        f"Buffer fill and requests over the first {end:,.0f} milliseconds. Fill stays between {min(fills):,} and "
        f"{max(fills):,} elements, the bound is {flow.fill_bound:,}. {len(requests)} requests reached the source."
    )
    return svg(width, plot.height, body, label=label, kind="flow")


def buffer_fill(flow: FlowReport, *, width: float) -> str:
    """Draw the minimum and the maximum fill of each interval over the whole run."""
    seconds = flow.interval_seconds
    if len(seconds) < 2:
        return ""
    top = max(flow.fill_bound, flow.fill_maximum) * 1.12
    plot = Plot(width, 220, (0, 0), (seconds[-1], top))
    low = list(zip(seconds, flow.interval_low, strict=True))
    high = list(zip(seconds, flow.interval_high, strict=True))
    body = [
        *plot.axes(
            marks(0, seconds[-1], 5 if width < 500 else 10),
            marks(0, top, 5),
            x_title="seconds since the start",
            y_title="elements",
        ),
        plot.band(low, high, css="fill"),
        plot.line(high, css="fill"),
        plot.line(low, css="fill thin"),
        plot.level(flow.fill_bound, f"bound {flow.fill_bound:,}", css="limit"),
    ]
    label = (
        f"Minimum and maximum buffer fill over the {seconds[-1]:.1f} seconds of the run. "
        f"The maximum was {flow.fill_maximum:,} elements, the bound is {flow.fill_bound:,}."
    )
    return svg(width, plot.height, body, label=label, kind="flow")


def memory_growth(flow: FlowReport, *, width: float) -> str:
    """Draw resident memory relative to its value at 10 % of the rows; empty if the system does not provide it."""
    growth = flow.growth_bytes
    if growth is None:
        return ""
    first = len(flow.interval_resident) // 10 - 1
    origin = flow.interval_resident[first]
    values = [(bytes_ - origin) / MEBIBYTE for bytes_ in flow.interval_resident]
    bar = BAR_GROWTH_BYTES / MEBIBYTE
    low, high = min(-1.0, *values), max(bar, *values)
    plot = Plot(width, 200, (0, low - 0.1), (100, high * 1.18))
    share = [100 * (index + 1) / len(values) for index in range(len(values))]
    body = [
        *plot.axes(
            [(value, f"{value} %") for value in ((10, 25, 50, 75, 100) if width >= 500 else (10, 50, 100))],
            marks(low - 0.1, high * 1.18, 4),
            x_title="rows taken",
            y_title="MiB more than at 10 %",
        ),
        plot.line(list(zip(share, values, strict=True)), css="memory"),
        plot.level(bar, f"bar {bar:g} MiB", css="limit"),
    ]
    label = (
        "Resident memory over the run, relative to 10 % of the rows. "
        f"It grows by at most {growth / MEBIBYTE:.2f} MiB; the bar is {bar:g} MiB."
    )
    return svg(width, plot.height, body, label=label, kind="memory")


def alarms_by_week(summary: Summary, *, width: float) -> str:
    """Draw the alarms of each week of the year of the flights; empty if there was no flight."""
    if not summary.by_day:
        return ""
    year = min(summary.by_day)[:4]
    start = date(int(year), 1, 1)
    weeks = [0] * 53
    for day, totals in summary.by_day.items():
        if day[:4] == year:
            weeks[(date.fromisoformat(day) - start).days // DAYS_A_WEEK] += totals.alarms
    top = max(4, *weeks) * 1.1
    plot = Plot(width, 210, (0, 0), (len(weeks), top), left=40)
    months = [date(int(year), month, 1) for month in range(1, 13, 1 if width >= 500 else 2)]
    month_marks = [((month - start).days / DAYS_A_WEEK, f"{month:%b}") for month in months]
    body = plot.axes(
        [(at + 0.9, name) for at, name in month_marks],
        [(value, f"{value:g}") for value in ticks(0, top, count=4) if value == int(value)],
        x_title=f"weeks of {year}",
        y_title="alarms a week",
    )
    for week, alarms in enumerate(weeks):
        if alarms:
            first = date.fromordinal(start.toordinal() + week * DAYS_A_WEEK)
            body.append(
                plot.bar(week + 0.1, week + 0.9, alarms, f"week of {first:%d %B}: alarms {alarms}", css="alarm")
            )
    busiest = weeks.index(max(weeks))
    first = date.fromordinal(start.toordinal() + busiest * DAYS_A_WEEK)
    label = f"Alarms a week over {year}, {sum(weeks):,} in all. Most, {weeks[busiest]}, in the week of {first:%d %B}."
    return svg(width, plot.height, body, label=label, kind="alarms")
