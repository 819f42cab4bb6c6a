"""Save at a tick, crash, load into a fresh tree, go on."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentError, StateError
from reactivestreams.state import save_tree
from reactivestreams.testing import TestScheduler, assert_equal, on_complete, on_next

NUMBERS = [on_next(10 * number, number) for number in range(1, 6)]


def total(source: Any) -> Any:
    return lambda: Stream.from_publisher(source).scan(lambda total, n: total + n, 0)


@pytest.fixture
def scheduler() -> TestScheduler:
    return TestScheduler()


def test_cold_stream_replays_the_rest_relative_to_the_recovery(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(*NUMBERS, on_complete(60))
    run = scheduler.crash_and_recover(total(cold), saved=225, crashed=235, recovered=500)
    assert_equal(run.before.messages, on_next(210, 1), on_next(220, 3), on_next(230, 6))
    assert_equal(run.after.messages, on_next(530, 6), on_next(540, 10), on_next(550, 15), on_complete(560))
    assert repr(cold.subscriptions) == "[(200, 235), (500, 560)]"


def test_hot_stream_does_not_repeat_what_came_between_save_and_recovery(scheduler: TestScheduler) -> None:
    hot = scheduler.create_hot(*(on_next(200 + message.tick, message.value.element) for message in NUMBERS))
    run = scheduler.crash_and_recover(total(hot), saved=225, crashed=225, recovered=245)
    assert_equal(run.before.messages, on_next(210, 1), on_next(220, 3))
    assert_equal(run.after.messages, on_next(250, 8))


def test_save_comes_before_the_operators_of_its_tick(scheduler: TestScheduler) -> None:
    run = scheduler.crash_and_recover(lambda: Stream.range(2), saved=201, crashed=201, recovered=300)
    assert_equal(run.before.messages)
    assert_equal(run.after.messages, on_next(301, 0), on_next(301, 1), on_complete(301))


def test_stream_that_was_complete_stays_so(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(*NUMBERS)
    create = lambda: Stream.from_publisher(cold).take(1)  # noqa: E731 - the same stream twice
    run = scheduler.crash_and_recover(create, saved=225, crashed=300, recovered=400)
    assert_equal(run.before.messages, on_next(210, 1), on_complete(210))
    assert_equal(run.after.messages)
    assert repr(cold.subscriptions) == "[(200, 210)]"


def test_requests_are_made_by_who_lives_then(scheduler: TestScheduler) -> None:
    run = scheduler.crash_and_recover(
        lambda: Stream.range(9), saved=305, crashed=310, recovered=400, requests={200: 2, 300: 1, 450: 2, 500: 1}
    )
    assert [message.value for message in run.before.messages] == [on_next(0, n).value for n in range(3)]
    assert_equal(run.after.messages, on_next(451, 3), on_next(451, 4), on_next(501, 5))


def test_elements_that_wait_for_demand_are_in_the_state(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(*NUMBERS, on_complete(60))
    create = lambda: Stream.from_publisher(cold)  # noqa: E731 - the same stream twice
    run = scheduler.crash_and_recover(create, saved=235, crashed=240, recovered=300, requests={200: 1, 400: 9})
    assert_equal(run.before.messages, on_next(210, 1))
    assert [message.value for message in run.after.messages] == [on_next(0, n).value for n in range(2, 6)] + [
        on_complete(0).value
    ]


def test_run_saves_and_another_one_goes_on_from_it() -> None:
    first = TestScheduler()
    first.start(total(first.create_cold(*NUMBERS)), save_at=[215, 235])
    assert sorted(first.saved) == [215, 235]
    second = TestScheduler()
    observer = second.start(total(second.create_cold(*NUMBERS)), recovery=first.saved[235])
    assert_equal(observer.messages, on_next(240, 10), on_next(250, 15))


def test_one_state_serves_any_number_of_recoveries() -> None:
    first = TestScheduler()
    first.start(total(first.create_cold(*NUMBERS)), save_at=[235])
    for _ in range(2):
        again = TestScheduler()
        observer = again.start(total(again.create_cold(*NUMBERS)), recovery=first.saved[235])
        assert_equal(observer.messages, on_next(240, 10), on_next(250, 15))


def test_demand_alone_leaves_a_cold_subscription_clean(scheduler: TestScheduler) -> None:
    cold = scheduler.create_cold(*NUMBERS)
    observer = scheduler.create_observer(requests={})
    handle = cold.create_operator(observer)
    assert handle.state_changed  # type: ignore[attr-defined]
    save_tree(handle)
    handle.on_state_saved()  # type: ignore[attr-defined]
    handle.start()  # type: ignore[attr-defined]
    observer.request(1)
    assert not handle.state_changed  # type: ignore[attr-defined]
    scheduler.clock.start()
    assert handle.state_changed  # type: ignore[attr-defined]


def test_state_of_another_stream_is_refused(scheduler: TestScheduler) -> None:
    scheduler.start(lambda: Stream.range(3), save_at=[300])
    other = TestScheduler()
    with pytest.raises(StateError, match="the record is that of"):
        other.start(lambda: Stream.just(1), recovery=scheduler.saved[300])


@pytest.mark.parametrize(
    ("ticks", "message"),
    [
        (
            {"saved": 150},
            "^saved=150 is before subscribed=200; pass the ticks in the order created, subscribed, saved",
        ),
        ({"crashed": 220}, "^crashed=220 is before saved=225;"),
        ({"recovered": 230}, "^recovered=230 is before crashed=235;"),
        ({"disposed": 290}, "^disposed=290 is before recovered=300;"),
    ],
    ids=["saved", "crashed", "recovered", "disposed"],
)
def test_ticks_in_another_order_are_refused(scheduler: TestScheduler, ticks: dict[str, int], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        scheduler.crash_and_recover(Stream.never, **({"saved": 225, "crashed": 235, "recovered": 300} | ticks))
