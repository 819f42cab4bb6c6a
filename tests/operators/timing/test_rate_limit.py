"""rate_limit: a token bucket on the clock of the host, in virtual time."""

from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.lifecycle import DefaultOperatorContext
from reactivestreams.schedulers import VirtualTimeScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.testing import TestScheduler, on_next
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


def ticks(number: int) -> timedelta:
    return timedelta(microseconds=number)


class TestRateLimitThatIsNeverReached(OperatorContract, StateContract):
    reads_ahead = 256

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().rate_limit(1000, 3600)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


def passed_at(build: Callable[[Any], Stream[Any]], source: Stream[Any] | None = None, **options: Any) -> list[int]:
    """Return the ticks at which elements pass that are there at once."""
    given = Stream.from_iterable(range(20)) if source is None else source
    messages = TestScheduler().start(lambda: build(given), **options).messages
    return [message.tick for message in messages if "on_next" in repr(message)]


# An operator with a queue has its turn a tick after its alarm, and a tick after its input.
@pytest.mark.parametrize(
    ("tokens", "per", "burst", "expected"),
    [
        (4, 100, None, [202, 202, 202, 202, 230, 255, 280, 305, 330, 355]),
        # While the only token waits for its element, no other one comes.
        (4, 100, 1, [202, 230, 258, 286, 314]),
        (1, 100, 3, [202, 202, 202, 305, 405, 505]),
    ],
)
def test_elements_pass_when_there_are_tokens(tokens: int, per: int, burst: int | None, expected: list[int]) -> None:
    passed = passed_at(lambda s: s.rate_limit(tokens, ticks(per), burst=burst))
    assert passed[: len(expected)] == expected


def test_parts_of_a_tick_are_not_rounded() -> None:
    """Seven in a thousand ticks: a token each 142.857 ticks, and after all of them exactly seven more."""
    scheduler = TestScheduler()
    stream = Stream.from_iterable(count()).rate_limit(7, ticks(1000))
    observer = scheduler.start(lambda: stream, disposed=1_000_000)
    passed = [message.tick for message in observer.messages]
    assert passed[7:10] == [348, 491, 634]
    assert {later - earlier for earlier, later in zip(passed[7:], passed[14:], strict=False)} == {1000}


def test_no_span_of_time_has_more_than_the_bucket_holds_and_the_time_brings() -> None:
    passed = passed_at(lambda s: s.rate_limit(3, ticks(50), burst=2), Stream.from_iterable(count()))
    assert len(passed) > 40
    for first, start in enumerate(passed):
        for last, end in enumerate(passed[first:], first):
            assert last - first + 1 <= 2 + 3 * (end - start + 1) / 50 + 1e-9


def test_pause_fills_the_bucket_and_no_more() -> None:
    passed = passed_at(lambda s: s.rate_limit(2, ticks(100)), requests={200: 2, 700: 9})
    assert passed[:5] == [202, 202, 703, 703, 756]


def test_elements_that_come_late_and_together_are_no_more_than_the_bucket_holds() -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*(on_next(tick, tick) for tick in (600, 601, 602, 603, 604, 605)))
    messages = scheduler.start(lambda: Stream.from_publisher(hot).rate_limit(2, ticks(100))).messages
    assert [message.tick for message in messages] == [601, 601]


def test_nothing_is_requested_without_a_token_or_demand() -> None:
    requested: list[int] = []
    scheduler = TestScheduler()
    stream = Stream.range(9).do(on_request=requested.append).rate_limit(2, ticks(1000))
    scheduler.start(lambda: stream, requests={200: 1, 300: 5}, disposed=702)
    assert requested == [1, 1]


@pytest.mark.parametrize("saved", [205, 240, 251, 290])
def test_recovered_stream_goes_on_with_the_tokens_that_it_had(saved: int) -> None:
    scheduler = TestScheduler()
    build = lambda: Stream.range(9).rate_limit(2, ticks(100))  # noqa: E731
    result = scheduler.crash_and_recover(build, saved=saved, crashed=saved + 1, recovered=saved + 2)
    both = [*result.before.messages, *result.after.messages]
    assert [message.tick for message in both if "on_next" in repr(message)][:6] == [202, 202, 255, 305, 355, 405]


def test_time_until_it_is_loaded_brings_tokens() -> None:
    scheduler = TestScheduler()
    build = lambda: Stream.range(9).rate_limit(2, ticks(100))  # noqa: E731
    result = scheduler.crash_and_recover(build, saved=210, crashed=211, recovered=600)
    assert [message.tick for message in result.after.messages][:3] == [602, 602, 655]


def test_bucket_that_holds_more_is_not_loaded() -> None:
    handle = Stream.range(3).rate_limit(9, 10).bind(RecordingSubscriber())
    handle.initialize()
    again = Stream.range(3).rate_limit(2, 10).bind(RecordingSubscriber())
    with pytest.raises(StateError, match="load the state with the arguments that it was saved with"):
        load_tree(again, save_tree(handle))
    handle.cancel()


class Jumping:
    """A scheduler whose clock is set back once."""

    def __init__(self, scheduler: VirtualTimeScheduler) -> None:
        self._scheduler = scheduler
        self.is_back = False

    @property
    def now(self) -> datetime:
        return self._scheduler.now - (timedelta(hours=1) if self.is_back else timedelta())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scheduler, name)


def test_clock_that_is_set_back_brings_nothing_and_counts_on_from_there() -> None:
    scheduler = VirtualTimeScheduler()
    scheduler.clock.advance_to(10**10)
    jumping: Any = Jumping(scheduler)
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).rate_limit(1, ticks(100)).bind(subscriber)
    handle.initialize(DefaultOperatorContext("rx://jumping", jumping))
    handle.request(1)
    scheduler.clock.advance_to(10**10 + 50)
    assert subscriber.elements == [0]
    jumping.is_back = True
    handle.request(1)
    scheduler.clock.advance_to(10**10 + 51)
    assert subscriber.elements == [0]
    scheduler.clock.advance_to(10**10 + 200)
    assert subscriber.elements == [0, 1]
    handle.cancel()


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda s: s.rate_limit(0, 1), ArgumentError, "count"),
        (lambda s: s.rate_limit(1, 0), ArgumentError, "more than 0 seconds"),
        (lambda s: s.rate_limit(1, -1), ArgumentError, "per"),
        (lambda s: s.rate_limit(1, "1"), ArgumentTypeError, "seconds or a timedelta"),
        (lambda s: s.rate_limit(1, 1, burst=0), ArgumentError, "burst"),
    ],
)
def test_wrong_arguments_are_refused_when_the_stream_is_built(
    build: Callable[[Any], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        build(Stream.range(3))


def test_call_is_written_as_it_was_made() -> None:
    assert repr(pipeline().rate_limit(5, 1)) == "pipeline().rate_limit(5, 1)"
    assert repr(pipeline().rate_limit(5, ticks(500), burst=2)) == "pipeline().rate_limit(5, 0.0005, burst=2)"


def test_unbounded_demand_is_served_without_end() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3000).rate_limit(2**24, 0.5).subscribe(subscriber)
    assert subscriber.outcome == (list(range(3000)), "complete")
