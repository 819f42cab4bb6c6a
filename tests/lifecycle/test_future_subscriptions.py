"""The subscriptions whose content comes later: once, or one after the other."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import (
    NOP,
    FutureSubscription,
    LifecycleError,
    NopSubscription,
    SerialSubscription,
    SingleAssignmentSubscription,
)
from reactivestreams.spec import Subscription
from tests.lifecycle.counted_subscription import CountedSubscription, visited
from tests.together import many_switches, run_together


@pytest.fixture(params=[SingleAssignmentSubscription, SerialSubscription])
def future(request: pytest.FixtureRequest) -> FutureSubscription:
    return request.param()


def test_nothing_is_there_before_the_assignment(future: FutureSubscription) -> None:
    assert (future.subscription, visited(future)) == (None, [])


def test_content_can_be_read_and_visited(future: FutureSubscription) -> None:
    content = CountedSubscription()
    future.subscription = content
    assert (future.subscription, visited(future), content.disposals) == (content, [content], 0)


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_subscription_is_refused(future: FutureSubscription, refused: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="subscription = value needs a subscription"):
        future.subscription = refused
    assert future.subscription is None


def test_dispose_disposes_the_content_once(future: FutureSubscription) -> None:
    content = CountedSubscription()
    future.subscription = content
    for _ in range(2):
        future.dispose()
    assert (content.disposals, future.subscription) == (1, None)


def test_what_is_assigned_after_dispose_is_disposed_at_once(future: FutureSubscription) -> None:
    future.dispose()
    late = [CountedSubscription(), CountedSubscription()]
    for content in late:
        future.subscription = content
    assert ([content.disposals for content in late], future.subscription) == ([1, 1], None)


@pytest.mark.parametrize("kind", [SingleAssignmentSubscription, SerialSubscription])
def test_content_may_dispose_and_assign_while_it_is_disposed(kind: Callable[[], FutureSubscription]) -> None:
    future = kind()
    late = CountedSubscription()

    def act() -> None:
        future.dispose()
        future.subscription = late

    content = CountedSubscription(on_dispose=act)
    future.subscription = content
    future.dispose()
    assert (content.disposals, late.disposals) == (1, 1)


def test_single_assignment_refuses_a_second_one() -> None:
    single = SingleAssignmentSubscription()
    first, second = CountedSubscription("first"), CountedSubscription("second")
    single.subscription = first
    with pytest.raises(LifecycleError, match=r"<second>: <first> was assigned before, .* use a SerialSubscription"):
        single.subscription = second
    assert (single.subscription, first.disposals, second.disposals) == (first, 0, 0)


def test_single_assignment_that_was_disposed_stays_visitable() -> None:
    single = SingleAssignmentSubscription()
    content = CountedSubscription()
    single.subscription = content
    single.dispose()
    assert visited(single) == [content]


def test_first_content_that_comes_after_dispose_is_what_visitors_reach() -> None:
    single = SingleAssignmentSubscription()
    single.dispose()
    first, second = CountedSubscription("first"), CountedSubscription("second")
    single.subscription = first
    single.subscription = second
    assert visited(single) == [first]


def test_serial_disposes_the_content_that_is_replaced() -> None:
    serial = SerialSubscription()
    contents = [CountedSubscription(f"content {number}") for number in range(3)]
    for content in contents:
        serial.subscription = content
    assert ([content.disposals for content in contents], visited(serial)) == ([1, 1, 0], contents[2:])


def test_serial_keeps_the_content_that_is_assigned_again() -> None:
    serial = SerialSubscription()
    content = CountedSubscription()
    for _ in range(2):
        serial.subscription = content
    assert (serial.subscription, content.disposals) == (content, 0)


def test_serial_that_was_disposed_forgets_its_content() -> None:
    serial = SerialSubscription()
    serial.subscription = CountedSubscription()
    serial.dispose()
    serial.subscription = CountedSubscription()
    assert visited(serial) == []


@pytest.mark.slow
def test_threads_that_assign_and_dispose_a_serial_leave_nothing_undisposed() -> None:
    with many_switches():
        for _ in range(50):
            serial = SerialSubscription()
            contents = [CountedSubscription() for _ in range(6)]

            def assign(some: list[CountedSubscription], into: SerialSubscription = serial) -> None:
                for content in some:
                    into.subscription = content

            run_together(lambda: assign(contents[:3]), lambda: assign(contents[3:]), serial.dispose)  # noqa: B023
            assert [content.disposals for content in contents] == [1] * 6


@pytest.mark.slow
def test_threads_that_assign_and_dispose_a_single_assignment_leave_its_content_disposed() -> None:
    with many_switches():
        for _ in range(100):
            single = SingleAssignmentSubscription()
            content = CountedSubscription()

            def assign(into: SingleAssignmentSubscription = single, what: CountedSubscription = content) -> None:
                into.subscription = what

            run_together(assign, single.dispose)
            assert (content.disposals, visited(single)) == (1, [content])


def test_subscription_without_content_does_nothing() -> None:
    NOP.request(7)
    NOP.cancel()
    NOP.dispose()
    assert (visited(NOP), isinstance(NOP, Subscription), NopSubscription.__slots__) == ([], True, ())
