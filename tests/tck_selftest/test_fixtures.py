"""What is correct passes: no check fails it, and none is skipped that its shape does not explain."""

import pytest

from tests.tck_selftest.fixtures.fixture import Fixture, false_alarms
from tests.tck_selftest.fixtures.publisher_fixtures import PUBLISHER_FIXTURES
from tests.tck_selftest.judging import trial_environment


@pytest.mark.slow
@pytest.mark.parametrize("fixture", PUBLISHER_FIXTURES, ids=lambda fixture: fixture.shape)
def test_correct_component_passes(fixture: Fixture) -> None:
    alarms = false_alarms(fixture, trial_environment())
    if alarms and fixture.known_fault:
        pytest.xfail(fixture.known_fault)
    assert alarms == []
