"""What does it cost to pass an element on to many subscribers?

A subject whose subscribers have requested without limit and do nothing, against a plain loop over as many callables.
With an upstream the subject finds out after each element what to request. An operation is one call of a subscriber. The
floor is a C loop that calls as many functions and does nothing else.
"""

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams.spec import MAX_DEMAND, Subscription
from reactivestreams.subjects import BroadcastSubject

FAN_OUTS = (1, 8, 64, 1000)
CALLS = 20_000

Push = Callable[[int], object]


class Silent:
    """Requests everything, and does nothing with it."""

    def on_subscribe(self, subscription: Subscription) -> None:
        subscription.request(MAX_DEMAND)

    def on_next(self, element: int) -> None:
        pass

    def on_error(self, error: Exception) -> None:
        raise error

    def on_complete(self) -> None:
        pass


class Upstream:
    """Is asked, and sends nothing by itself."""

    def request(self, n: int) -> None:
        pass

    def cancel(self) -> None:
        pass


def loop_over_callables(fan_out: int) -> Push:
    """The baseline: what one would write without demand, ends and threads."""
    called = functions(fan_out)

    def push(element: int) -> None:
        for function in called:
            function(element)

    return push


def subject(fan_out: int, *, has_upstream: bool = False) -> Push:
    broadcast: BroadcastSubject[int] = BroadcastSubject()
    for _ in range(fan_out):
        broadcast.subscribe(Silent())
    if has_upstream:
        broadcast.on_subscribe(Upstream())
    return broadcast.on_next


def push_all(push: Push, fan_out: int) -> None:
    for element in range(elements(fan_out)):
        push(element)


def elements(fan_out: int) -> int:
    return CALLS // fan_out


def operations(fan_out: int) -> int:
    return elements(fan_out) * fan_out


def functions(fan_out: int) -> list[Push]:
    return [Silent().on_next for _ in range(fan_out)]


@pytest.mark.parametrize("fan_out", FAN_OUTS)
def bench_subject__loop_over_callables(benchmark: BenchmarkFixture, fan_out: int) -> None:
    """The baseline: what do the calls cost alone?"""
    benchmark.extra_info["operations"] = operations(fan_out)
    benchmark(push_all, loop_over_callables(fan_out), fan_out)


@pytest.mark.parametrize("fan_out", FAN_OUTS)
def bench_subject__fan_out(benchmark: BenchmarkFixture, fan_out: int) -> None:
    """What does an element cost for each subscriber?"""
    benchmark.extra_info["operations"] = operations(fan_out)
    benchmark(push_all, subject(fan_out), fan_out)


@pytest.mark.parametrize("fan_out", FAN_OUTS)
def bench_subject__fan_out_with_an_upstream(benchmark: BenchmarkFixture, fan_out: int) -> None:
    """What does it cost where the subject has to find out what to request?"""
    benchmark.extra_info["operations"] = operations(fan_out)
    benchmark(push_all, subject(fan_out, has_upstream=True), fan_out)
