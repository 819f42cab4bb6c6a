"""Prints what the stress tests saw: a line a situation; with -v, or beyond the gate, their tables of outcomes, too."""

import pytest

from tests.conftest import DEPTH
from tests.stress.outcomes import REPORTS


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    with_outcomes = config.get_verbosity() > 0 or config.stash[DEPTH].name != "gate"
    if REPORTS:
        terminalreporter.section("stress: what was seen")
    for report in REPORTS:
        for line in report.lines(with_outcomes=with_outcomes):
            terminalreporter.write_line(line)
