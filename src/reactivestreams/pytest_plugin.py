"""The pytest plugin: collects verifications, and has the fixture `crash_kit`.

It collects `class TestMine(PublisherVerification)` as one test per check of the edition.

pytest loads this in every run where the package is installed. So this module does not import the compatibility kit: the
rest of the plugin, in `reactivestreams.tck.pytest_checks`, is loaded when the first verification is collected. At
import it uses no name of pytest, not even in annotations, except `hookimpl` and `fixture`, which every release has: a
missing name would break every run of that release, also in projects that do not use the kit.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from reactivestreams.testing.crash import CrashKit

__all__: list[str] = []

NUMBERS = {
    "timeout": ("tck_timeout_milliseconds", "how long to wait for something to happen, in milliseconds"),
    "no-signals-timeout": ("tck_no_signals_timeout_milliseconds", "how long nothing may happen, in milliseconds"),
    "watchdog-timeout": ("tck_watchdog_timeout_milliseconds", "how long one check may take, in milliseconds"),
    "seed": ("tck_seed", "seed of the random choices of the checks (a new one, which a failure names)"),
    "parallel": ("tck_parallel", "how many checks of a class run at once; 1 runs each within its own test (16)"),
}
"""The integer options: name on the command line, name in the settings, help text."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the kit, each as an option of the command line and as a setting."""
    group = parser.getgroup("tck", "compatibility kit of Reactive Streams")
    help_edition = "edition of the specification: 1.0.4, dotnet or rc1"
    group.addoption("--tck-edition", metavar="EDITION", help=help_edition)
    parser.addini("tck_edition", help_edition)
    group.addoption(
        "--tck-rule",
        action="append",
        default=[],
        metavar="ID",
        help="run only the checks of this rule, such as 3.9; may be given several times",
    )
    for name, (setting, says) in NUMBERS.items():
        group.addoption(f"--tck-{name}", dest=setting, type=int, metavar="N", help=says)
        parser.addini(setting, says)
    says = "how many runs a check of crash_kit has at most (3000); beyond that some are left out, evenly"
    parser.getgroup("crash", "crash kit of Reactive Streams").addoption(
        "--crash-most-runs", dest="crash_most_runs", type=int, metavar="N", help=says
    )
    parser.addini("crash_most_runs", says)


@pytest.fixture
def crash_kit(request: pytest.FixtureRequest, tmp_path: Path) -> CrashKit:
    """Return checks of ingresses, egresses and stores with a fault in each step: `crash_kit.egress(make_case)`."""
    from reactivestreams.testing.crash.checks import MOST_RUNS, CrashKit

    given = request.config.getoption("crash_most_runs")
    most_runs = int(request.config.getini("crash_most_runs") or MOST_RUNS) if given is None else given
    return CrashKit(most_runs=most_runs, temporary_folder=tmp_path)


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers."""
    config.addinivalue_line("markers", "tck: a check of the compatibility kit")
    config.addinivalue_line("markers", "tck_rule(id): a check of the compatibility kit about a rule; one for each rule")
    config.pluginmanager.register(Judged(), "reactivestreams-judged")


def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class, name: str, obj: object) -> pytest.Class | None:
    """Collect a verification; leave everything else to pytest."""
    kit: Any = sys.modules.get("reactivestreams.tck.kit.check_methods")
    if kit is None or not isinstance(obj, type) or not issubclass(obj, kit.CheckMethods):
        return None
    from reactivestreams.tck.pytest_checks import collected

    return collected(collector, name, obj)


class Judged:
    """Fail the run if all checks of a completely selected verification were skipped.

    With pytest-xdist one process gets the reports of several and decides; so the reports carry the data for the
    decision in their attribute `tck`.
    """

    def __init__(self) -> None:
        self._expected: dict[str, int] = {}
        self._skipped: dict[str, set[str]] = {}
        self._idle: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record which checks were skipped."""
        verification: str | None = getattr(report, "tck_verification", None)
        if verification is None:
            return
        self._expected[verification] = report.tck_expected
        skipped = self._skipped.setdefault(verification, set())
        if report.skipped and not hasattr(report, "wasxfail"):
            skipped.add(report.nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide, unless another process decides."""
        if hasattr(session.config, "workerinput"):  # a worker of pytest-xdist
            return
        self._idle = [name for name, count in self._expected.items() if count and len(self._skipped[name]) == count]
        if self._idle and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the verifications whose checks were all skipped."""
        if self._idle:
            terminalreporter.write_sep("=", "verifications that judged nothing", red=True, bold=True)
        for name in self._idle:
            terminalreporter.write_line(
                f"{name}: all {self._expected[name]} checks were skipped, so nothing is known; -rs shows why"
            )
