"""Judges all mutants that were collected at once, so that their waiting is spent together."""

from pathlib import Path

import pytest

from tests.tck_selftest.judging import Judgement, judge_trials
from tests.tck_selftest.mutant import Trial


@pytest.fixture(scope="session")
def judgements(request: pytest.FixtureRequest) -> dict[str, Judgement]:
    """What became of each trial that is among the chosen tests, by name."""
    parameters = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    trials = [values["trial"] for values in parameters if isinstance(values.get("trial"), Trial)]
    return judge_trials(trials)


SECONDS_FOR_ALL = 900
"""How long the first test that asks for judgements may take on a machine that is busy: it waits for all of them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give whoever waits for all judgements the time for it."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and "judgements" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(SECONDS_FOR_ALL))
