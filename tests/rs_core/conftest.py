"""What tests of the core share: each ring in turn, peers moved by hand."""

import pytest

from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.ring_classes import RING_CLASSES, RingClass


@pytest.fixture(params=RING_CLASSES, ids=lambda ring_class: ring_class.__name__)
def ring_class(request: pytest.FixtureRequest) -> RingClass:
    """A ring; a test that takes this runs for every one."""
    return request.param


@pytest.fixture
def scheduler() -> ManualScheduler:
    """A scheduler whose tasks wait until the test runs them."""
    return ManualScheduler()


@pytest.fixture
def publisher() -> ManualPublisher:
    """A publisher whose signals the test sends."""
    return ManualPublisher()
