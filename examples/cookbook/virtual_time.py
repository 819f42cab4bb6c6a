"""Test an hour in a millisecond: in virtual time nothing sleeps, and each run is the same.

A source is given by the ticks of its signals, an observer records the ticks of what it gets. A tick is a microsecond.

Prints:
    . [3600000203: on_next('an hour later'), 3600000203: on_complete()]
    . requests are recorded too: [200: 1, 300: 2]
"""

from datetime import timedelta

from reactivestreams import Stream
from reactivestreams.testing import TestScheduler, assert_equal, on_complete, on_next

HOUR = 3_600_000_000


def test_delay_of_an_hour() -> None:
    scheduler = TestScheduler()
    observer = scheduler.start(lambda: Stream.just("an hour later").delay(timedelta(hours=1)), disposed=2 * HOUR)
    print(".", observer.messages)


def test_nothing_is_sent_that_was_not_requested() -> None:
    observer = TestScheduler().start(lambda: Stream.range(3), requests={200: 1, 300: 2})
    assert_equal(observer.messages, on_next(201, 0), on_next(301, 1), on_next(301, 2), on_complete(301))
    print(". requests are recorded too:", observer.requests)


for test in (test_delay_of_an_hour, test_nothing_is_sent_that_was_not_requested):
    test()
