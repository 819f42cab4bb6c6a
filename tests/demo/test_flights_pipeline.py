"""The pipeline against the model, on the real flights and on generated ones, and its answer to corrupt rows."""

import copy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams import Stream
from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_data import FLIGHT_ROWS
from reactivestreams.demo.flights_parsing import CorruptRowError, Row, parse_or_reject, scheduled_or_unknown
from reactivestreams.demo.flights_pipeline import (
    RESULT_COLUMNS,
    RESULT_SCHEMA,
    SEED,
    THRESHOLDS,
    Result,
    Thresholds,
    flights_pipeline,
    follow_day_and_window,
)
from reactivestreams.errors import ArgumentError
from tests.demo.flight_lines import elements, flight_line
from tests.models.flights_model import expected_results

SMALL = Thresholds(window_flights=3, raise_minutes=20, rearm_minutes=10)


def run(rows, **options):
    return Stream.from_iterable(rows).through(flights_pipeline(**options)).to_list()


def test_first_20_000_real_rows_give_what_the_model_gives(flights_csv: Path) -> None:
    rows = list(FlightRows(flights_csv, rows=20_000))

    assert run(rows) == expected_results(rows, THRESHOLDS)


@pytest.mark.slow
def test_all_real_rows_give_what_the_model_gives(flights_csv: Path) -> None:
    rows = list(FlightRows(flights_csv, expected_rows=FLIGHT_ROWS))

    results = run(rows)

    assert results == expected_results(rows, THRESHOLDS)
    assert len(results) == 328_521


@st.composite
def flights_by_day(draw: st.DrawFn) -> list[Row]:
    lines = []
    for day in range(1, draw(st.integers(1, 4)) + 1):
        for _ in range(draw(st.integers(0, 12))):
            delay = draw(st.none() | st.integers(-40, 90))
            lines.append(
                flight_line(
                    day=day,
                    origin=draw(st.sampled_from(["EWR", "JFK"])),
                    carrier=draw(st.sampled_from(["UA", "9E"])),
                    sched_dep_time=100 * draw(st.integers(0, 23)) + draw(st.integers(0, 59)),
                    hour=draw(st.integers(0, 23)),
                    dep_delay="" if delay is None else delay,
                )
            )
    return elements(*lines)


@given(
    rows=flights_by_day(),
    window=st.integers(1, 5),
    raise_minutes=st.integers(-10, 60),
    gap=st.integers(0, 30),
)
def test_generated_rows_give_what_the_model_gives(rows, window, raise_minutes, gap) -> None:
    thresholds = Thresholds(window, raise_minutes, raise_minutes - gap)

    assert run(rows, thresholds=thresholds) == expected_results(rows, thresholds)


def test_result_is_a_plain_tuple_of_the_named_columns() -> None:
    (result,) = run(elements(flight_line(dep_delay=-7)))

    assert type(result) is tuple
    assert Result._make(result)._asdict() == {
        **dict.fromkeys(RESULT_COLUMNS),
        "row": 1,
        "origin": "EWR",
        "carrier": "UA",
        "scheduled": "2013-01-01T05:15",
        "hour": 5,
        "delay": -7,
        "flights": 1,
        "delay_sum": -7,
        "worst": -7,
        "rolling_sum": -7,
        "rolling_count": 1,
        "alarm": 0,
        "problem": "",
    }


def test_schema_names_the_columns_in_order_with_their_types() -> None:
    assert [column.split() for column in RESULT_SCHEMA.split(", ")] == [
        [name, "string" if name in ("origin", "carrier", "scheduled", "problem") else "long"] for name in RESULT_COLUMNS
    ]


def test_cancelled_flight_leaves_no_result_and_a_diverted_one_does() -> None:
    rows = elements(flight_line(dep_delay="", arr_delay=""), flight_line(dep_delay=4, arr_delay=""))

    assert [result[0] for result in run(rows)] == [2]


def test_alarm_is_raised_once_and_again_after_the_mean_fell() -> None:
    delays = [20, 20, 20, 90, 15, 0, 0, 0, 30, 60]  # means of three: 20, 43, 42, 35, 5, 0, 10, 30
    rows = elements(*(flight_line(dep_delay=delay) for delay in delays))

    alarms = [result[0] for result in run(rows, thresholds=SMALL) if result[11]]

    assert alarms == [3, 10]


def test_day_is_that_of_the_scheduled_departure_and_flights_of_it_are_counted_in_order() -> None:
    rows = elements(
        flight_line(day=2, sched_dep_time=600, dep_delay=1),
        flight_line(day=1, sched_dep_time=2359, dep_delay=2),
        flight_line(day=2, sched_dep_time=0, dep_delay=4),
    )

    results = [Result._make(result) for result in run(rows)]

    assert [(result.row, result.day, result.flights, result.delay_sum) for result in results] == [
        (2, "2013-01-01", 1, 2),
        (3, "2013-01-02", 1, 4),
        (1, "2013-01-02", 2, 5),
    ]


def test_alarm_waits_for_a_full_window() -> None:
    rows = elements(flight_line(dep_delay=500), flight_line(dep_delay=500))

    assert [result[11] for result in run(rows, thresholds=SMALL)] == [0, 0]


@given(delays=st.lists(st.integers(-60, 600), max_size=60))
def test_state_is_bounded_and_never_changed_in_place(delays) -> None:
    state = SEED
    for row, delay in enumerate(delays, 1):
        before = copy.deepcopy(state)
        following = follow_day_and_window(SMALL, state, (row, "EWR", "UA", "2013-01-01T05:15", 5, delay, ""))
        assert state == before
        state = following
        assert len(state[4]) <= SMALL.window_flights


@pytest.mark.parametrize(
    ("cells", "column", "value", "reason"),
    [
        ({"dep_delay": "two"}, "dep_delay", "'two'", "no whole number"),
        ({"dep_delay": "1_0"}, "dep_delay", "'1_0'", "no whole number"),
        ({"dep_delay": " 3"}, "dep_delay", "' 3'", "no whole number"),
        ({"dep_delay": "2.5"}, "dep_delay", "'2.5'", "no whole number"),
        ({"dep_delay": "9999999"}, "dep_delay", "'9999999'", "outside -527040 to 527040"),
        ({"hour": "25"}, "hour", "'25'", "outside 0 to 24"),
        ({"hour": ""}, "hour", "''", "no whole number"),
        ({"sched_dep_time": "1260"}, "sched_dep_time", "'1260'", "not a time of day"),
        ({"sched_dep_time": "2401"}, "sched_dep_time", "'2401'", "outside 0 to 2400"),
        ({"sched_dep_time": ""}, "sched_dep_time", "''", "no whole number"),
        ({"origin": "ewr"}, "origin", "'ewr'", "not a code of 3 capital letters or digits"),
        ({"carrier": "U\N{REPLACEMENT CHARACTER}"}, "carrier", "'U\N{REPLACEMENT CHARACTER}'", "not a code of 2"),
        ({"month": "2", "day": "30"}, "year, month, day", "'2013-2-30'", "no date"),
        ({"month": "13"}, "month", "'13'", "outside 1 to 12"),
        ({"day": "1,1"}, "the whole line", "'2013,1,1,1,", "20 cells, where a flight has 19"),
    ],
)
def test_corrupt_row_fails_the_run_and_says_what_to_do(cells, column, value, reason) -> None:
    rows = elements(flight_line(), flight_line(**cells), flight_line())

    with pytest.raises(CorruptRowError) as caught:
        run(rows)

    message = str(caught.value)
    assert message.startswith(f"row 2 (line 3 of the file), column {column}: {value}")
    assert reason in message
    assert message.endswith('repair the row, or use on_corrupt="reject" to list such rows in the results')


@given(line=st.text() | st.lists(st.text(max_size=4), min_size=19, max_size=19).map(",".join))
def test_any_line_gives_a_flight_or_says_what_is_wrong(line: str) -> None:
    row, *_, delay, problem = parse_or_reject((7, scheduled_or_unknown(line), line))

    assert row == 7
    assert problem == "" or problem.startswith("row 7 (line 8 of the file), column ")
    assert problem == "" or delay == 0


@given(
    column=st.sampled_from(["year", "month", "day", "sched_dep_time", "hour", "dep_delay", "origin", "carrier"]),
    cell=st.text(),
)
def test_any_cell_gives_a_flight_or_says_what_is_wrong(column: str, cell: str) -> None:
    line = flight_line(**{column: cell})

    *_, problem = parse_or_reject((7, scheduled_or_unknown(line), line))

    assert problem == "" or problem.startswith("row 7 (line 8 of the file), column ")


def test_number_of_many_digits_is_out_of_range() -> None:
    with pytest.raises(CorruptRowError, match=r"column dep_delay: '999.* is outside -527040 to 527040"):
        run(elements(flight_line(dep_delay="9" * 10_000)))


def test_long_corrupt_value_is_shortened_in_the_message() -> None:
    with pytest.raises(CorruptRowError) as caught:
        run(elements("x" * 100_000))

    assert len(str(caught.value)) < 400


def test_rejected_rows_are_counted_and_listed_between_the_results() -> None:
    rows = elements(flight_line(), flight_line(hour="x"), "", flight_line())

    results = [Result._make(result) for result in run(rows, on_corrupt="reject")]

    assert [(result.row, result.carrier, result.flights, bool(result.problem)) for result in results] == [
        (3, "", 1, True),  # its line tells no time
        (1, "UA", 1, False),
        (2, "", 2, True),
        (4, "UA", 2, False),
    ]
    assert "column hour: 'x' is no whole number" in results[2].problem
    assert [result.scheduled for result in results] == ["", *["2013-01-01T05:15"] * 3]


def test_rejecting_changes_nothing_where_no_row_is_corrupt(flights_csv: Path) -> None:
    rows = FlightRows(flights_csv, rows=2_000)

    assert run(rows, on_corrupt="reject") == run(rows)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"on_corrupt": "ignore"}, "'ignore'"),
        ({"thresholds": Thresholds(window_flights=0)}, "got 0"),
        ({"thresholds": Thresholds(raise_minutes=10, rearm_minutes=11)}, "at 11"),
    ],
)
def test_bad_option_is_refused_when_the_pipeline_is_described(options, said) -> None:
    with pytest.raises(ArgumentError, match=said):
        flights_pipeline(**options)
