"""Judges all mutants that were collected at once, so that their waiting is spent together."""

import pytest

from tests.tck_selftest.judging import Judgement, judge_trials
from tests.tck_selftest.mutant import Trial


@pytest.fixture(scope="session")
def judgements(request: pytest.FixtureRequest) -> dict[str, Judgement]:
    """What became of each trial that is among the chosen tests, by name."""
    parameters = [item.callspec.params for item in request.session.items if hasattr(item, "callspec")]
    trials = [values["trial"] for values in parameters if isinstance(values.get("trial"), Trial)]
    return judge_trials(trials)
