"""What is correct passes: no check fails it, and none is skipped that its shape does not explain."""

import pytest

from tests.tck_selftest.fixtures.all_fixtures import ALL_FIXTURES
from tests.tck_selftest.fixtures.fixture import Fixture
from tests.tck_selftest.fixtures.slow_fixtures import SLOW_FIXTURES, SOME_SLOW_FIXTURES


@pytest.mark.slow  # the first of them waits for all
@pytest.mark.parametrize("component", [*ALL_FIXTURES, *SOME_SLOW_FIXTURES], ids=lambda fixture: fixture.shape)
def test_correct_component_passes(component: Fixture, alarms: dict[str, list[str]]) -> None:
    assert alarms[component.shape] == []


def test_every_shape_is_there_once() -> None:
    shapes = [fixture.shape for fixture in (*ALL_FIXTURES, *SLOW_FIXTURES)]
    assert sorted(shapes) == sorted(set(shapes))


def test_slow_components_of_every_kit_are_among_the_few() -> None:
    assert len(SOME_SLOW_FIXTURES) == 3
