"""The engine of the demo: killed at random moments, it goes on from a checkpoint and gives what a thread gives."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reactivestreams.demo.comparison import Reference
from reactivestreams.demo.engine_query import (
    RESULTS_TABLE,
    ROWS_FILE,
    STORE_FILE,
    EngineSettings,
    HeldFile,
    line_of,
    row_of,
)
from reactivestreams.demo.engine_run import (
    KILLS,
    MAX_SAMPLES,
    EngineProcessError,
    engine_process,
    planned_kills,
    run_in_engine,
    stored_results,
    thinned,
)
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_pipeline import THRESHOLDS, Thresholds, flights_pipeline
from reactivestreams.demo.flights_runs import run_in_caller
from tests.demo.flight_lines import flight_line, write_flights

TOTAL = 6_000


class NoProgress:
    def begin(self, title: str, *, total: int) -> None: ...
    def advance(self, done: int) -> None: ...
    def note(self, text: str) -> None: ...
    def end(self) -> None: ...


@pytest.fixture
def rows(tmp_path: Path) -> FlightRows:
    lines = [
        flight_line(
            day=1 + row * 28 // TOTAL,
            sched_dep_time=100 * (row * 31 % 24) + row * 17 % 60,
            carrier=("UA", "9E", "B6")[row % 3],
            origin="corrupt \u2028" if row % 97 == 5 else "EWR",
            dep_delay="NA" if row % 41 == 0 else row * 7919 % 200 - 20,
        )
        for row in range(TOTAL)
    ]
    return FlightRows(write_flights(tmp_path / "flights.csv", lines))


def reference_of(rows: FlightRows) -> Reference:
    return run_in_caller(flights_pipeline(on_corrupt="reject"), rows, total=len(rows), progress=NoProgress())[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_killed_engine_gives_what_a_thread_gives(rows: FlightRows, seed: int) -> None:
    report, kills = run_in_engine(
        rows,
        total=TOTAL,
        reference=reference_of(rows),
        progress=NoProgress(),
        on_corrupt="reject",
        thresholds=THRESHOLDS,
        seed=seed,
    )

    assert report.difference is None
    assert (report.title, kills.kills, kills.seed) == ("Engine, killed three times", KILLS, seed)
    assert (kills.lives[0].recovered, kills.lives[-1].handled) == (0, TOTAL)
    for (killed, after), planned in zip(kills.gaps, planned_kills(TOTAL, seed), strict=True):
        assert planned.rows <= killed.handled
        assert after.recovered <= killed.handled
        assert killed.ended <= after.started <= after.samples[0][0]


@pytest.mark.slow
def test_next_process_goes_on_where_a_checkpoint_was_stored(rows: FlightRows, tmp_path: Path) -> None:
    expected = reference_of(rows)
    with (tmp_path / ROWS_FILE).open("w", encoding="utf-8", newline="") as file:
        file.writelines(map(line_of, rows))
    held = EngineSettings(str(tmp_path), "reject", THRESHOLDS, hold_at=2_000)
    among_held = {row for row, _, _ in [*rows][:2_000]} & {result.row for result in expected.results()}

    with engine_process(held) as process:
        assert process.read_line() == "0"
        while stored_count(tmp_path / STORE_FILE) < len(among_held):
            assert process.read_line()
    with engine_process(EngineSettings(str(tmp_path), "reject", THRESHOLDS, None)) as process:
        lines = [process.read_line()]
        while lines[-1]:
            lines.append(process.read_line())
        process.expect_end()

    assert (lines[0], lines[-2]) == ("2000", str(TOTAL))
    assert sorted(stored_results(tmp_path / STORE_FILE)) == expected.results()


def stored_count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (RESULTS_TABLE,)).fetchone():
            return 0
        (count,) = connection.execute(f"SELECT count(*) FROM {RESULTS_TABLE}").fetchone()
        return int(count)


@pytest.mark.slow
def test_failed_query_is_an_error_that_names_its_cause(rows: FlightRows) -> None:
    said = (
        r"the engine of the demo failed: it ended with status 1; its last error: .*CorruptRowError: row .*column origin"
    )
    with pytest.raises(EngineProcessError, match=said):
        run_in_engine(
            rows,
            total=TOTAL,
            reference=reference_of(rows),
            progress=NoProgress(),
            on_corrupt="error",
            thresholds=Thresholds(),
            seed=1,
        )


def test_seed_decides_about_one_moment_in_each_part() -> None:
    for seed in range(50):
        kills = planned_kills(300, seed)
        assert kills == planned_kills(300, seed)
        assert [(kill.rows - 1) // 100 for kill in kills] == [0, 1, 2]
    assert len({planned_kills(300, seed)[0].rows for seed in range(50)}) > 20


@pytest.mark.parametrize("total", [1, 2, 3])
def test_few_rows_have_a_kill_each(total: int) -> None:
    assert [kill.rows for kill in planned_kills(total, 7)] == list(range(1, total + 1))


@pytest.mark.parametrize("count", [1, 2, MAX_SAMPLES - 1, MAX_SAMPLES, MAX_SAMPLES + 1, 10 * MAX_SAMPLES])
def test_thinned_samples_keep_both_ends_and_are_bounded(count: int) -> None:
    kept = thinned([(float(place), place) for place in range(count)])

    assert len(kept) <= MAX_SAMPLES
    assert (kept[0][1], kept[-1][1]) == (0, count - 1)
    assert kept == sorted(set(kept))


@pytest.mark.parametrize("line", ["", ",", "a,b,\u2028c\x85", "x\ry", " "])
def test_row_survives_as_a_line(line: str) -> None:
    assert row_of(line_of((7, "2013-01-01T05:15", line)).removesuffix("\n")) == (7, "2013-01-01T05:15", line)
    assert row_of(line_of((7, "", line)).removesuffix("\n")) == (7, "", line)


def test_held_file_gives_no_row_beyond_the_held_one_and_does_not_end(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    path.write_text("a\nb\nc\nd\n")
    held = HeldFile(str(path), 3)
    held.open(0, None)
    assert held.read(2) == [(1, "a"), (2, "b")]
    bookmark = held.bookmark
    assert held.read(9) == [(3, "c")]
    assert held.read(9) == []
    held.close()
    after = HeldFile(str(path), 3)
    after.open(2, bookmark)
    assert (after.read(9), after.read(9)) == ([(3, "c")], [])
    after.close()
    free = HeldFile(str(path), None)
    free.open(2, bookmark)
    assert (free.read(9), free.read(9)) == ([(3, "c"), (4, "d")], None)
    free.close()
