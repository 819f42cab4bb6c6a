"""The rows of a flights file by scheduled departure: their order, what is held, and files that are no flights."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams.demo.flight_rows import FlightRows
from reactivestreams.demo.flights_data import FLIGHT_ROWS, FlightsDataError
from reactivestreams.demo.flights_parsing import scheduled_or_unknown
from reactivestreams.errors import ArgumentError
from tests.demo.flight_lines import GOOD_LINE, flight_line, write_flights


def scheduled_at(month: int, day: int, time: int) -> str:
    return flight_line(month=month, day=day, sched_dep_time=time)


def test_rows_come_by_scheduled_departure_and_keep_their_numbers(tmp_path: Path) -> None:
    lines = [scheduled_at(10, 1, 900), scheduled_at(2, 1, 1000), scheduled_at(2, 1, 955), scheduled_at(1, 31, 2359)]

    assert list(FlightRows(write_flights(tmp_path / "flights.csv", lines))) == [
        (4, "2013-01-31T23:59", lines[3]),
        (3, "2013-02-01T09:55", lines[2]),
        (2, "2013-02-01T10:00", lines[1]),
        (1, "2013-10-01T09:00", lines[0]),
    ]


def test_equal_times_keep_the_order_of_the_file(tmp_path: Path) -> None:
    lines = [scheduled_at(3, 1, 600), *(flight_line(flight=number) for number in range(20))]

    rows = FlightRows(write_flights(tmp_path / "flights.csv", lines))

    assert [row for row, _, _ in rows] == [*range(2, 22), 1]


def test_cancelled_flight_has_its_place_by_schedule(tmp_path: Path) -> None:
    lines = [scheduled_at(3, 1, 600), flight_line(dep_time="", dep_delay="", month=2)]

    assert [row for row, _, _ in FlightRows(write_flights(tmp_path / "flights.csv", lines))] == [2, 1]


def test_rows_without_a_time_come_first_in_the_order_of_the_file(tmp_path: Path) -> None:
    lines = [GOOD_LINE, "second", flight_line(sched_dep_time="soon"), "", flight_line(year=2012, hour="x")]

    rows = list(FlightRows(write_flights(tmp_path / "flights.csv", lines)))

    assert [(row, scheduled) for row, scheduled, _ in rows] == [
        (2, ""),
        (3, ""),
        (4, ""),
        (5, "2012-01-01T05:15"),
        (1, "2013-01-01T05:15"),
    ]


@pytest.mark.parametrize(
    ("cells", "scheduled"),
    [
        ({"sched_dep_time": 0}, "2013-01-01T00:00"),
        ({"sched_dep_time": 2400}, "2013-01-01T24:00"),
        ({"year": 800, "sched_dep_time": "0905"}, "0800-01-01T09:05"),
        ({"sched_dep_time": 2401}, ""),
        ({"sched_dep_time": 1260}, ""),
        ({"sched_dep_time": -5}, ""),
        ({"sched_dep_time": ""}, ""),
        ({"sched_dep_time": "NA"}, ""),
        ({"month": 2, "day": 29}, ""),
        ({"dest": "IAH,more"}, ""),
    ],
)
def test_scheduled_departure_of_a_line(cells: dict[str, object], scheduled: str) -> None:
    assert scheduled_or_unknown(flight_line(**cells)) == scheduled


@given(
    times=st.lists(
        st.tuples(st.integers(1, 12), st.integers(1, 28), st.integers(0, 23), st.integers(0, 59)), min_size=1
    )
)
def test_order_is_that_of_the_times_as_numbers(tmp_path_factory: pytest.TempPathFactory, times) -> None:
    path = tmp_path_factory.mktemp("generated") / "flights.csv"
    lines = [scheduled_at(month, day, 100 * hour + minute) for month, day, hour, minute in times]

    rows = [row for row, _, _ in FlightRows(write_flights(path, lines))]

    assert rows == [row for _, row in sorted((time, row) for row, time in enumerate(times, 1))]


@pytest.mark.slow
def test_real_flights_come_once_each_in_the_order_of_their_hours(flights_csv: Path) -> None:
    rows = FlightRows(flights_csv, expected_rows=FLIGHT_ROWS)

    numbers = bytearray(FLIGHT_ROWS + 1)
    last, hour, moved = ("", 0), "", 0
    for number, scheduled, line in rows:
        numbers[number] += 1
        moved += number < last[1]
        assert (scheduled, number) > last
        following = line.rpartition(",")[2]  # the scheduled hour in UTC, which the order is not made from
        assert following >= hour
        last, hour = (scheduled, number), following

    assert (len(rows), rows.file_rows) == (FLIGHT_ROWS, FLIGHT_ROWS)
    assert numbers == b"\0" + b"\1" * FLIGHT_ROWS
    assert moved > 50_000


def test_first_rows_of_the_file_can_be_asked_for_again_and_again(tmp_path: Path) -> None:
    lines = [scheduled_at(3, 1, 600), scheduled_at(2, 1, 600), scheduled_at(1, 1, 600)]
    rows = FlightRows(write_flights(tmp_path / "flights.csv", lines), rows=2)

    assert [row for row, _, _ in rows] == [row for row, _, _ in rows] == [2, 1]
    assert (len(rows), rows.file_rows) == (2, 3)


@pytest.mark.parametrize("end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("last", [b"\n", b""], ids=["ended", "open"])
def test_line_end_is_no_part_of_the_line(tmp_path: Path, end: bytes, last: bytes) -> None:
    path = write_flights(tmp_path / "flights.csv", ["a", "b"])
    path.write_bytes((path.read_bytes().rstrip(b"\n") + last).replace(b"\n", end))

    assert list(FlightRows(path)) == [(1, "", "a"), (2, "", "b")]


def test_byte_that_is_no_utf8_is_kept_visible(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", ["a"])
    path.write_bytes(path.read_bytes() + b"\xff\n")

    assert list(FlightRows(path)) == [(1, "", "a"), (2, "", "\N{REPLACEMENT CHARACTER}")]


@pytest.mark.parametrize("wanted", [1, 3])
def test_file_with_another_number_of_rows_is_refused(tmp_path: Path, wanted: int) -> None:
    path = write_flights(tmp_path / "flights.csv", ["a", "b"])

    with pytest.raises(FlightsDataError, match=f"has 2 rows, {wanted} are needed"):
        FlightRows(path, expected_rows=wanted)


def test_file_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("name,age\nx,1\n")

    with pytest.raises(FlightsDataError, match="has the header 'name,age'"):
        FlightRows(path)


@pytest.mark.parametrize("rows", [0, -1, 3])
def test_less_than_one_row_and_more_than_there_are_is_refused(tmp_path: Path, rows: int) -> None:
    path = write_flights(tmp_path / "flights.csv", ["a", "b"])

    with pytest.raises(ArgumentError, match=f"must be 1 to 2, got {rows}"):
        FlightRows(path, rows=rows)


def test_nothing_is_read_ahead_of_demand(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", ["x" * 1_000] * 20)
    rows = iter(FlightRows(path))
    assert [next(rows)[0] for _ in range(2)] == [1, 2]
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 18 * 1_001)

    with pytest.raises(FlightsDataError, match="was changed while the demo read it; run the demo again"):
        next(rows)


def test_file_that_was_changed_since_is_refused(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", ["a", "b"])
    rows = FlightRows(path)
    os.utime(path, (1, 1))

    with pytest.raises(FlightsDataError, match="was changed while the demo read it"):
        next(iter(rows))
