"""Random chains against the model: whatever is requested and whenever it is cancelled, the model's prefix comes."""

import threading
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from reactivestreams.schedulers import WorkerScheduler
from tests.models.stream_model import ModelError, Sent
from tests.rs_core.random_streams import Chain, chain_of, chains, links, sources
from tests.rs_core.recording_subscriber import UNBOUNDED

request_sizes = st.lists(st.one_of(st.integers(1, 7), st.just(UNBOUNDED), st.just(2**70)), max_size=6)


class LedgerSubscriber:
    """Requests by a schedule and checks at every element that it was requested (§1.1), and the order of signals.

    Args:
        at_first: What to request in `on_subscribe`, one after the other.
        inside: What to request inside `on_next`: the n-th element requests the n-th of these.
        cancel_at: With which element to cancel, counted from 1; None does not.
    """

    def __init__(self, at_first: list[int], inside: list[int], cancel_at: int | None = None) -> None:
        self.at_first = at_first
        self.inside = inside
        self.cancel_at = cancel_at
        self.requested = 0
        self.elements: list[Any] = []
        self.ends: list[str | None] = []
        self.is_inside = False
        self.is_cancelled = False

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription
        for n in self.at_first:
            self.request(n)

    def request(self, n: int) -> None:
        self.requested += n
        self.subscription.request(n)

    def on_next(self, element: Any) -> None:
        self._enter()
        self.elements.append(element)
        assert len(self.elements) <= self.requested, "more than was requested"
        if len(self.elements) == self.cancel_at:
            self.is_cancelled = True
            self.subscription.cancel()
        if len(self.elements) <= len(self.inside):
            self.request(self.inside[len(self.elements) - 1])
        self.is_inside = False

    def on_error(self, error: Exception) -> None:
        self._enter()
        self.ends.append(str(error))
        self.is_inside = False

    def on_complete(self) -> None:
        self._enter()
        self.ends.append(None)
        self.is_inside = False

    def _enter(self) -> None:
        assert not self.is_inside, "a signal inside of another one"
        assert not self.is_cancelled, "a signal after cancel"
        assert self.ends == [], "a signal after the end"
        self.is_inside = True

    def check(self, sent: Sent) -> None:
        """Compare with what the model sends."""
        wanted = min(self.requested, self.cancel_at or self.requested)
        assert self.elements == sent.elements[:wanted]
        if self.is_cancelled:
            assert self.ends == []
        elif self.requested > len(sent.elements):
            assert self.ends == [sent.error]
        else:
            assert self.ends in ([], [sent.error])
            assert self.ends == [] or len(self.elements) == len(sent.elements)


@given(chains, request_sizes, request_sizes, request_sizes)
def test_the_models_prefix_comes(chain: Chain, at_first: list[int], inside: list[int], later: list[int]) -> None:
    subscriber = LedgerSubscriber(at_first, inside)
    chain.stream.subscribe(subscriber)
    subscriber.check(chain.sent)
    for n in later:
        subscriber.request(n)
        subscriber.check(chain.sent)


@given(chains, st.integers(1, 12), request_sizes, request_sizes)
def test_the_models_prefix_comes_until_it_is_cancelled(
    chain: Chain, cancel_at: int, at_first: list[int], inside: list[int]
) -> None:
    subscriber = LedgerSubscriber([*at_first, 1], inside, cancel_at)
    chain.stream.subscribe(subscriber)
    subscriber.check(chain.sent)
    if not subscriber.ends and not subscriber.is_cancelled:
        subscriber.subscription.cancel()
        subscriber.is_cancelled = True
        subscriber.request(3)


def result_of(chain: Chain) -> Sent:
    elements: list[Any] = []
    try:
        chain.stream.for_each(elements.append, prefetch=3, timeout_seconds=60)
    except ModelError as error:
        return Sent(elements, str(error))
    return Sent(elements)


@given(sources, st.lists(links, max_size=4), st.lists(links, max_size=4), st.integers(1, 5))
def test_a_thread_boundary_in_between_changes_nothing(
    source: tuple[str, list[int]], upper: list[Any], lower: list[Any], prefetch: int
) -> None:
    with WorkerScheduler(name="reactivestreams-between") as worker:
        above = chain_of(source, upper)
        chain = Chain(above.stream.observe_on(worker, prefetch=prefetch), above.sent)
        for link in lower:
            chain = chain.through(link)
        assert result_of(chain) == chain.sent


@given(chains, st.integers(0, 30))
def test_iteration_agrees_with_the_model(chain: Chain, stop: int) -> None:
    elements = []
    message = None
    try:
        for element in chain.stream:
            if len(elements) == stop:
                break
            elements.append(element)
    except ModelError as error:
        message = str(error)
    assert elements == chain.sent.elements[:stop]
    assert message in (None, chain.sent.error)
    assert message is None or elements == chain.sent.elements


@given(chains, request_sizes, request_sizes)
def test_requests_of_two_threads_bring_the_models_prefix(chain: Chain, mine: list[int], theirs: list[int]) -> None:
    subscriber = LedgerSubscriber([], [])
    chain.stream.subscribe(subscriber)
    subscriber.requested = sum(mine) + sum(theirs)
    requester = threading.Thread(target=lambda: [subscriber.subscription.request(n) for n in theirs])
    requester.start()
    for n in mine:
        subscriber.subscription.request(n)
    requester.join()
    subscriber.check(chain.sent)
