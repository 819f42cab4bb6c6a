"""What the tests of the compatibility kit share."""

import pytest

from reactivestreams.tck import CheckEnvironment
from tests.tck.settings import short_environment


@pytest.fixture
def environment() -> CheckEnvironment:
    return short_environment().for_check("a check")
