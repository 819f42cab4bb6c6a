"""Hot and cold test streams: what comes at which tick, spans, demand."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, InvalidRequestError
from reactivestreams.lifecycle.signal_checker import SignalChecker
from reactivestreams.spec import MAX_DEMAND
from reactivestreams.testing import (
    Notification,
    Recorded,
    SubscriptionSpan,
    TestObserver,
    TestScheduler,
    assert_equal,
    on_complete,
    on_error,
    on_next,
)

ERROR = ValueError("mine")


@pytest.fixture
def scheduler() -> TestScheduler:
    return TestScheduler()


# --- hot -------------------------------------------------------------------------------------------------------------


def test_hot_stream_sends_at_its_ticks_to_who_is_subscribed(scheduler: TestScheduler) -> None:
    hot = scheduler.create_hot(on_next(150, 0), on_next(200, 1), on_next(201, 2), on_next(300, 3), on_complete(310))
    observer = scheduler.start(lambda: hot)
    assert_equal(observer.messages, on_next(201, 2), on_next(300, 3), on_complete(310))
    assert_equal(hot.subscriptions, SubscriptionSpan(200, 310))


def test_hot_stream_is_left_at_the_end_of_the_run(scheduler: TestScheduler) -> None:
    hot = scheduler.create_hot(on_next(999, 1), on_next(1000, 2), on_next(1001, 3))
    observer = scheduler.start(lambda: hot)
    assert_equal(observer.messages, on_next(999, 1), on_next(1000, 2))  # it was scheduled before the disposal
    assert_equal(hot.subscriptions, SubscriptionSpan(200, 1000))


def test_operators_add_no_tick_behind_a_hot_stream(scheduler: TestScheduler) -> None:
    hot = scheduler.create_hot(on_next(210, 1), on_next(220, 2), on_next(230, 3), on_error(240, ERROR))
    observer = scheduler.start(lambda: Stream.from_publisher(hot).map(lambda n: n * 10).filter(lambda n: n != 20))
    assert_equal(observer.messages, on_next(210, 10), on_next(230, 30), on_error(240, ERROR))
    assert_equal(hot.subscriptions, SubscriptionSpan(200, 240))


def test_stream_that_has_enough_leaves_a_hot_stream_at_once(scheduler: TestScheduler) -> None:
    hot = scheduler.create_hot(on_next(210, 1), on_next(220, 2), on_next(230, 3))
    observer = scheduler.start(lambda: Stream.from_publisher(hot).take(2))
    assert_equal(observer.messages, on_next(210, 1), on_next(220, 2), on_complete(220))
    assert_equal(hot.subscriptions, SubscriptionSpan(200, 220))


def test_who_has_not_requested_misses_elements_of_a_hot_stream_but_not_its_end(scheduler: TestScheduler) -> None:
    hot = scheduler.create_hot(on_next(210, 1), on_next(220, 2), on_next(230, 3), on_complete(240))
    observer = scheduler.start(lambda: hot, requests={215: 1})
    assert_equal(observer.messages, on_next(220, 2), on_complete(240))
    assert_equal(hot.missed, on_next(210, 1), on_next(230, 3))


def test_several_subscribers_of_a_hot_stream_each_have_their_demand(scheduler: TestScheduler) -> None:
    hot = scheduler.create_hot(on_next(210, 1), on_next(220, 2))
    other = scheduler.create_observer(requests={0: 1})
    scheduler.do_at(205, hot.subscribe, other)
    observer = scheduler.start(lambda: hot)
    assert_equal(observer.messages, on_next(210, 1), on_next(220, 2))
    assert_equal(other.messages, on_next(210, 1))
    assert_equal(hot.subscriptions, SubscriptionSpan(200, 1000), SubscriptionSpan(205))


# --- cold ------------------------------------------------------------------------------------------------------------


def test_cold_stream_begins_at_each_subscription(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(on_next(0, 0), on_next(10, 1), on_complete(20))
    other = scheduler.create_observer()
    scheduler.do_at(500, cold.subscribe, other)
    observer = scheduler.start(lambda: cold)
    assert_equal(observer.messages, on_next(200, 0), on_next(210, 1), on_complete(220))
    assert_equal(other.messages, on_next(500, 0), on_next(510, 1), on_complete(520))
    assert_equal(cold.subscriptions, SubscriptionSpan(200, 220), SubscriptionSpan(500, 520))


def test_operators_add_no_tick_behind_a_cold_stream(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(on_next(10, 1), on_next(20, 2), on_next(30, 3))
    observer = scheduler.start(lambda: Stream.from_publisher(cold).scan(lambda total, n: total + n, 0).take(2))
    assert_equal(observer.messages, on_next(210, 1), on_next(220, 3), on_complete(220))
    assert_equal(cold.subscriptions, SubscriptionSpan(200, 220))


def test_elements_of_a_cold_stream_wait_for_demand_and_so_does_its_end(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(on_next(10, 1), on_next(20, 2), on_next(30, 3), on_complete(40))
    observer = scheduler.start(lambda: cold, requests={200: 1, 250: 1, 260: 1})
    assert_equal(observer.messages, on_next(210, 1), on_next(250, 2), on_next(260, 3), on_complete(260))


def test_requests_from_inside_of_elements_do_not_dive(scheduler: TestScheduler) -> None:
    count = 20_000
    cold = scheduler.create_cold(*(on_next(1, number) for number in range(count)))
    depth = [0, 0]

    class OneByOne(TestObserver):
        def on_next(self, element: Any) -> None:
            depth[0] += 1
            depth[1] = max(depth)
            super().on_next(element)
            self.request(1)
            depth[0] -= 1

    one_by_one = OneByOne(scheduler.clock, requests_all=False)
    cold.subscribe(one_by_one)
    one_by_one.request(1)
    scheduler.clock.start()
    assert (len(one_by_one.messages), depth) == (count, [0, 1])


# --- both ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["create_hot", "create_cold"])
@pytest.mark.parametrize("n", [0, -1])
def test_request_that_is_not_positive_ends_the_stream(scheduler: TestScheduler, kind: str, n: int) -> None:
    stream = getattr(scheduler, kind)(on_next(500, 1))
    observer = scheduler.create_observer(requests={300: n})
    scheduler.do_at(200, stream.subscribe, observer)
    scheduler.clock.start()
    assert [(message.tick, type(message.value.error)) for message in observer.messages] == [(300, InvalidRequestError)]
    assert_equal(stream.subscriptions, SubscriptionSpan(200, 300))


@pytest.mark.parametrize("kind", ["create_hot", "create_cold"])
@pytest.mark.parametrize("end", [on_complete(210), on_error(210, ERROR), on_next(500, 1)], ids=str)
def test_wrong_request_from_inside_of_the_end_is_ignored(
    scheduler: TestScheduler, kind: str, end: Recorded[Notification]
) -> None:
    class Asking(TestObserver):
        def on_complete(self) -> None:
            super().on_complete()
            self.request(0)

        def on_error(self, error: Exception) -> None:
            super().on_error(error)
            self.request(0)

    stream = getattr(scheduler, kind)(end)
    observer = Asking(scheduler.clock)
    stream.subscribe(observer)
    scheduler.do_at(300, observer.request, 0)
    scheduler.clock.start()
    assert len(observer.messages) == 1
    assert_equal(stream.subscriptions, SubscriptionSpan(0, observer.messages[0].tick))


@pytest.mark.parametrize("kind", ["create_hot", "create_cold"])
def test_canceled_subscription_gets_nothing_more(scheduler: TestScheduler, kind: str) -> None:
    stream = getattr(scheduler, kind)(on_next(210, 1), on_next(300, 2))
    observer = scheduler.create_observer()
    scheduler.do_at(1, stream.subscribe, observer)
    scheduler.do_at(250, observer.cancel)
    scheduler.do_at(260, observer.cancel)
    scheduler.do_at(260, observer.request, 5)
    scheduler.clock.start()
    assert [message.value for message in observer.messages] == [on_next(0, 1).value]
    assert_equal(stream.subscriptions, SubscriptionSpan(1, 250))


@pytest.mark.parametrize("kind", ["create_hot", "create_cold"])
@pytest.mark.parametrize("message", [None, 5, "210: on_next(1)", SubscriptionSpan(1)], ids=repr)
def test_what_is_no_recorded_notification_is_refused(scheduler: TestScheduler, kind: str, message: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"Stream\(messages\) needs recorded notifications, got .*; pass on_next"
    ):
        getattr(scheduler, kind)(message)


# --- observers -------------------------------------------------------------------------------------------------------


def test_observer_requests_at_its_ticks_and_records_that(scheduler: TestScheduler) -> None:
    observer = scheduler.start(lambda: Stream.range(10), requests={50: 1, 150: 1, 300: 2, 500: 1})
    assert_equal(
        observer.messages,
        on_next(201, 0),
        on_next(201, 1),
        on_next(301, 2),
        on_next(301, 3),
        on_next(501, 4),
    )
    assert [(request.tick, request.value) for request in observer.requests] == [
        (200, 1),
        (200, 1),
        (300, 2),
        (500, 1),
    ]


@pytest.mark.parametrize("n", [0, -1])
@pytest.mark.parametrize("others", [{}, {60: 5}], ids=["alone", "with others"])
def test_wrong_request_from_before_the_subscription_is_answered_by_the_publisher(
    scheduler: TestScheduler, n: int, others: dict[int, int]
) -> None:
    observer = scheduler.start(lambda: scheduler.create_cold(on_next(10, 1)), requests={50: n, **others})
    assert [(message.tick, type(message.value.error)) for message in observer.messages] == [(200, InvalidRequestError)]


def test_observer_that_requests_on_its_own_requests_all_or_nothing(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(on_next(10, 1), on_complete(20))
    eager, reserved = (TestObserver(scheduler.clock, requests_all=requests_all) for requests_all in (True, False))
    for observer in (eager, reserved):
        cold.subscribe(observer)
    scheduler.do_at(100, reserved.request, 1)
    scheduler.clock.start()
    assert_equal(eager.messages, on_next(10, 1), on_complete(20))
    assert_equal(eager.requests, Recorded(0, MAX_DEMAND))
    assert_equal(reserved.messages, on_next(100, 1), on_complete(100))


def test_observer_takes_one_subscription(scheduler: TestScheduler) -> None:
    first, second = scheduler.create_cold(on_next(5, "first")), scheduler.create_cold(on_next(5, "second"))
    observer = scheduler.create_observer()
    first.subscribe(observer)
    second.subscribe(observer)
    scheduler.clock.start()
    assert_equal(observer.messages, on_next(5, "first"))
    assert_equal(second.subscriptions, SubscriptionSpan(0, 0))


@pytest.mark.parametrize("kind", ["create_hot", "create_cold"])
def test_signals_of_test_streams_are_checked_as_those_of_operators_are(scheduler: TestScheduler, kind: str) -> None:
    handle = getattr(scheduler, kind)().bind(scheduler.create_observer())
    assert isinstance(handle, SignalChecker)
