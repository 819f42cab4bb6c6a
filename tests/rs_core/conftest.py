"""What tests of the core share: each ring in turn, peers moved by hand, the signals that went to the hook instead."""

from collections.abc import Iterator
from typing import Any

import pytest

from rs_core.dropped import set_hook
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.ring_classes import RING_CLASSES, RingClass


@pytest.fixture
def dropped_signals() -> Iterator[list[tuple[str, Any, str]]]:
    """Signal, value and origin of everything that was dropped during the test."""
    told: list[tuple[str, Any, str]] = []
    previous = set_hook(lambda signal, value, *, origin: told.append((signal, value, origin)))
    yield told
    set_hook(previous)


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
