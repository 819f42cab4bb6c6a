"""What does it cost to pass an element on to many subscribers?

A subject whose subscribers have requested without limit and do nothing, against a plain loop over as many callables.
With an upstream the subject finds out behind each element what to request, which looks at every subscriber once. An
operation is one call of a subscriber.
"""

from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from reactivestreams.spec import MAX_DEMAND, Subscription
from reactivestreams.subjects import BroadcastSubject

FAN_OUTS = (1, 10, 1000)
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
    functions = [Silent().on_next for _ in range(fan_out)]

    def push(element: int) -> None:
        for function in functions:
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
    for element in range(CALLS // fan_out):
        push(element)


@pytest.mark.parametrize("fan_out", FAN_OUTS)
def bench_subject__loop_over_callables(benchmark: BenchmarkFixture, fan_out: int) -> None:
    """The baseline: what do the calls cost alone?"""
    benchmark.extra_info["operations"] = CALLS
    benchmark(push_all, loop_over_callables(fan_out), fan_out)


@pytest.mark.parametrize("fan_out", FAN_OUTS)
def bench_subject__fan_out(benchmark: BenchmarkFixture, fan_out: int) -> None:
    """What does an element cost for each subscriber?"""
    benchmark.extra_info["operations"] = CALLS
    benchmark(push_all, subject(fan_out), fan_out)


@pytest.mark.parametrize("fan_out", FAN_OUTS)
def bench_subject__fan_out_with_an_upstream(benchmark: BenchmarkFixture, fan_out: int) -> None:
    """What does it cost where the subject has to find out what to request?"""
    benchmark.extra_info["operations"] = CALLS
    benchmark(push_all, subject(fan_out, has_upstream=True), fan_out)
