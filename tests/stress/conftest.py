"""Prints what the stress tests saw: a line a situation; with -v, or beyond the gate, their tables of outcomes, too.

Where several processes run the tests, each sends its lines to the one that prints.
"""

from typing import Any

import pytest

from tests.conftest import DEPTH
from tests.stress.outcomes import REPORTS

LINES_OF_WORKERS: list[str] = []


def lines_of_this_process(config: pytest.Config) -> list[str]:
    with_outcomes = config.get_verbosity() > 0 or config.stash[DEPTH].name != "gate"
    return [line for report in REPORTS for line in report.lines(with_outcomes=with_outcomes)]


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["stress"] = lines_of_this_process(session.config)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    LINES_OF_WORKERS.extend(getattr(node, "workeroutput", {}).get("stress", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines = [*lines_of_this_process(config), *LINES_OF_WORKERS]
    if lines:
        terminalreporter.section("stress: what was seen")
    for line in lines:
        terminalreporter.write_line(line)
