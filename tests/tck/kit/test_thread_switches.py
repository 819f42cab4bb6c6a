"""Checks that want many switches of threads share the interval, and leave it as it was."""

import sys
from collections.abc import Iterator

import pytest

from reactivestreams.tck.kit.thread_switches import SHORTEST_SWITCH_SECONDS, frequent_switches


@pytest.fixture(autouse=True)
def usual_interval() -> Iterator[float]:
    sys.setswitchinterval(0.005)
    yield 0.005
    sys.setswitchinterval(0.005)


def test_interval_is_restored_when_the_last_one_leaves(usual_interval: float) -> None:
    first, second = frequent_switches(), frequent_switches()
    with first:
        second.__enter__()
        assert sys.getswitchinterval() == pytest.approx(SHORTEST_SWITCH_SECONDS)
    assert sys.getswitchinterval() == pytest.approx(SHORTEST_SWITCH_SECONDS)
    second.__exit__(None, None, None)
    assert sys.getswitchinterval() == pytest.approx(usual_interval)


def test_interval_of_somebody_else_stays() -> None:
    with frequent_switches():
        sys.setswitchinterval(0.25)
    assert sys.getswitchinterval() == pytest.approx(0.25)
