"""The oldest versions that the extras promise really work: the tests of what uses them pass on them."""

import os
import re
import sys
import tomllib

import pytest

from tests.commands import output_of
from tests.packaging.installing import ROOT, fetched

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]

TESTS = {
    "rich": ("tests/cli/test_output.py", "tests/cli/test_progress.py"),
    "shtab": ("tests/cli/test_completion.py::test_the_script_has_each_option_of_each_command",),
    "jinja2": ("tests/tck/reports/test_reports_html.py",),
    "anyio": ("tests/schedulers/test_event_loop.py",),
    "opentelemetry-api": ("tests/metrics/test_open_telemetry.py",),
    "trio": ("tests/stream/test_trio_iteration.py", "tests/sources/test_from_async_iterable.py"),
}
"""The tests of what uses a distribution."""

BESIDE = {"anyio": ("trio==0.31.0",), "opentelemetry-api": ("opentelemetry-sdk==1.27.0",)}
"""What a distribution needs beside it for these tests, in its oldest version as well."""


def oldest(extra: str) -> dict[str, str]:
    """Return the oldest version that an extra takes, for each distribution that it names with one."""
    bounds = (re.match(r"([\w-]+)>=([\d.]+)", requirement) for requirement in EXTRAS[extra])
    return {found[1]: found[2] for found in bounds if found}


OLDEST = oldest("anyio") | oldest("cli") | oldest("opentelemetry") | oldest("tck") | {"trio": oldest("dev")["trio"]}


@pytest.mark.parametrize("name", OLDEST)
def test_tests_pass_on_the_oldest_version_of(name: str) -> None:
    found = fetched(f"{name}=={OLDEST[name]}", *BESIDE.get(name, ()))
    environment = {**os.environ, "PYTHONPATH": str(found)}

    versions = f"from importlib.metadata import version; print(version({name!r}))"
    used = output_of([sys.executable, "-c", versions], cwd=ROOT, environment=environment, timeout_seconds=60)
    assert used.startswith(OLDEST[name])

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rs", "--tb=short", *TESTS[name]]
    printed = output_of(command, cwd=ROOT, environment=environment, timeout_seconds=200)
    assert "skipped" not in printed, printed


ON_OLDEST_SPARK = (
    "tests/spark/test_jvm_calls.py",
    "tests/spark/sources/test_from_dataframe.py",
    "tests/spark/sources/test_from_query_connect.py",
    "tests/spark/sinks/test_sinks_connect.py",
)
"""The tests of the private calls, and of streaming through Spark Connect, where Spark's versions differ most."""


@pytest.mark.timeout(1500)
def test_tests_pass_on_the_oldest_pyspark() -> None:
    version = oldest("spark")["pyspark"]
    found = fetched(f"pyspark=={version}.0", built="pyspark", seconds=600)
    environment = {**os.environ, "PYTHONPATH": str(found), "RS_TEST_PARTS": "quick spark"}

    versions = "import pyspark; print(pyspark.__version__)"
    used = output_of([sys.executable, "-c", versions], cwd=ROOT, environment=environment, timeout_seconds=60)
    assert used.startswith(version)

    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rs", "--tb=short", *ON_OLDEST_SPARK]
    printed = output_of(command, cwd=ROOT, environment=environment, timeout_seconds=800)
    assert "skipped" not in printed, printed
