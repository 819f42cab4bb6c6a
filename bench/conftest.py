"""What holds for every benchmark: only the release build is measured."""

from types import ModuleType, SimpleNamespace

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from bench.conditions import wrong_profile
from bench.native_harness import forwarding_harness, native_harness


def pytest_sessionstart() -> None:
    message = wrong_profile()
    if message is not None:
        raise pytest.UsageError(message)


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    return native_harness(tmp_path_factory.mktemp("native"))


@pytest.fixture(scope="session")
def forwarding(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return forwarding_harness(tmp_path_factory.mktemp("forwarding"))


@pytest.fixture(autouse=True)
def grouped_by_subject(request: pytest.FixtureRequest, benchmark: BenchmarkFixture) -> None:
    """Compare only what one file measures."""
    benchmark.group = request.path.stem.removeprefix("bench_")
