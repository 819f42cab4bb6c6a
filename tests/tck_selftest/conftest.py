"""Judges all that was collected at once, so that its waiting is spent together."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.tck_selftest.fixtures.fixture import Fixture
from tests.tck_selftest.judging import Judgement, judge_trials
from tests.tck_selftest.mutant import Trial
from tests.tck_selftest.verifying import verify

SECONDS_FOR_ALL = 900
"""How long the first test that asks for what came of all may take on a machine that is busy: it waits for all."""


def parameters(request: pytest.FixtureRequest, name: str) -> Iterator[Any]:
    """Give what the chosen tests have for a parameter."""
    for item in request.session.items:
        if hasattr(item, "callspec") and name in item.callspec.params:
            yield item.callspec.params[name]


@pytest.fixture(scope="session")
def judgements(request: pytest.FixtureRequest) -> dict[str, Judgement]:
    """What became of each trial that is among the chosen tests, by name."""
    return judge_trials(trial for trial in parameters(request, "trial") if isinstance(trial, Trial))


@pytest.fixture(scope="session")
def alarms(request: pytest.FixtureRequest) -> dict[str, list[str]]:
    """What the kit says against each correct component that is among the chosen tests, by shape."""
    shapes = [fixture.shape for fixture in parameters(request, "component") if isinstance(fixture, Fixture)]
    return {fixture.shape: alarms for fixture, alarms in verify(shapes)}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give whoever waits for all the time for it."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and {"judgements", "alarms"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.timeout(SECONDS_FOR_ALL))
