"""The reference's numbers for the operators that there are: the same elements at the same ticks, the same spans."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.testing import (
    Recorded,
    SubscriptionSpan,
    TestScheduler,
    assert_equal,
    on_complete,
    on_error,
    on_next,
)

LONG = [
    on_next(tick, element)
    for tick, element in (
        (210, 9),
        (230, 13),
        (270, 7),
        (280, 1),
        (300, -1),
        (310, 3),
        (340, 8),
        (370, 11),
        (410, 15),
        (415, 16),
        (460, 72),
        (510, 76),
        (560, 32),
        (570, -100),
        (580, -3),
        (590, 5),
        (630, 10),
    )
]
ERROR = ValueError("mine")

Build = Callable[[Stream[int]], Stream[Any]]


def run(build: Build, *messages: Any) -> tuple[list[Recorded[Any]], list[SubscriptionSpan]]:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*messages)
    observer = scheduler.start(lambda: build(Stream.from_publisher(hot)))
    return observer.messages, hot.subscriptions


@pytest.mark.parametrize(
    ("build", "expected", "end"),
    [
        (lambda source: source.take(20), [*LONG, on_complete(690)], 690),
        (lambda source: source.take(17), [*LONG, on_complete(630)], 630),
        (lambda source: source.take(10), [*LONG[:10], on_complete(415)], 415),
        (lambda source: source.take(3), [*LONG[:3], on_complete(270)], 270),
        (lambda source: source.take(3).take(4), [*LONG[:3], on_complete(270)], 270),
        (lambda source: source.take(4).take(3), [*LONG[:3], on_complete(270)], 270),
        (lambda source: source.skip(20), [on_complete(690)], 690),
        (lambda source: source.skip(17), [on_complete(690)], 690),
        (lambda source: source.skip(10), [*LONG[10:], on_complete(690)], 690),
        (lambda source: source.skip(3).skip(2), [*LONG[5:], on_complete(690)], 690),
    ],
    ids=[
        "take(20)",
        "take(17)",
        "take(10)",
        "take(3)",
        "take(3).take(4)",
        "take(4).take(3)",
        "skip(20)",
        "skip(17)",
        "skip(10)",
        "skip(3).skip(2)",
    ],
)
def test_take_and_skip_of_a_long_stream(build: Build, expected: list[Any], end: int) -> None:
    messages, spans = run(build, *LONG, on_complete(690))
    assert_equal(messages, *expected)
    assert_equal(spans, SubscriptionSpan(200, end))


def test_take_of_all_elements_does_not_see_the_error_behind_them() -> None:
    messages, spans = run(lambda source: source.take(17), *LONG, on_error(690, ERROR))
    assert_equal(messages, *LONG, on_complete(630))
    assert_equal(spans, SubscriptionSpan(200, 630))


def test_take_of_nothing_is_complete_at_its_turn_and_never_subscribes() -> None:
    messages, spans = run(lambda source: source.take(0), *LONG)
    assert_equal(messages, on_complete(201))
    assert_equal(spans)


def test_take_that_was_complete_when_it_was_saved_stays_so() -> None:
    scheduler = TestScheduler()
    hot = scheduler.create_hot(*LONG)
    result = scheduler.crash_and_recover(
        lambda: Stream.from_publisher(hot).take(3), saved=290, crashed=300, recovered=310
    )
    assert_equal(result.before.messages, *LONG[:3], on_complete(270))
    assert_equal(result.after.messages)


def test_skip_goes_on_counting_after_a_recovery() -> None:
    scheduler = TestScheduler()
    messages = [on_next(tick, number) for number, tick in enumerate((230, 270, 280, 310, 320))]
    hot = scheduler.create_hot(*messages, on_complete(400))
    result = scheduler.crash_and_recover(
        lambda: Stream.from_publisher(hot).skip(3), saved=275, crashed=275, recovered=305
    )
    assert_equal(result.before.messages)
    assert_equal(result.after.messages, on_next(320, 4), on_complete(400))
