"""Recorded notifications: equality, predicates, how they are shown, how lists of them are compared."""

import pytest

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.testing import (
    INFINITE,
    OnComplete,
    OnError,
    OnNext,
    Recorded,
    SubscriptionSpan,
    TestScheduler,
    assert_equal,
    on_complete,
    on_error,
    on_error_where,
    on_next,
    on_next_where,
)

ERROR = ValueError("mine")


def test_recorded_values_are_equal_by_tick_and_value() -> None:
    assert on_next(210, [1]) == on_next(210, [1])
    assert on_next(210, 1) != on_next(211, 1)
    assert on_next(210, 1) != on_next(210, 2)
    assert on_complete(210) == Recorded(210, OnComplete())
    assert on_complete(210) != on_next(210, None)


def test_errors_are_equal_if_they_are_the_same() -> None:
    assert on_error(210, ERROR) == on_error(210, ERROR)
    assert on_error(210, ERROR) != on_error(210, ValueError("mine"))
    assert on_error(210, ERROR) != on_complete(210)


def test_predicates_equal_what_they_accept_on_either_side() -> None:
    small = on_next_where(210, lambda element: element < 5)
    assert on_next(210, 1) == small
    assert small == on_next(210, 1)
    assert [on_next(210, 9), on_next(211, 1), on_complete(210)] != [small, small, small]
    assert (on_next(210, 9) == small, on_next(211, 1) == small, on_complete(210) == small) == (False, False, False)


def test_predicates_of_errors_equal_errors_only() -> None:
    mine = on_error_where(210, lambda error: "mine" in str(error))
    assert on_error(210, ERROR) == mine
    assert (on_error(210, ValueError("other")) == mine, on_next(210, "mine") == mine) == (False, False)


@pytest.mark.parametrize("make", [on_next_where, on_error_where])
def test_predicate_that_cannot_be_called_is_refused(make: object) -> None:
    with pytest.raises(ArgumentTypeError, match=r"_where\(predicate\) needs"):
        make(210, "small")  # type: ignore[operator]


def test_notification_is_signaled_to_a_subscriber() -> None:
    observer = TestScheduler().create_observer()
    for notification in (OnNext(1), OnError(ERROR), OnComplete()):
        notification.accept(observer)
    assert [message.value for message in observer.messages] == [OnNext(1), OnError(ERROR), OnComplete()]


def test_all_are_shown_as_one_would_write_them() -> None:
    def is_small(element: int) -> bool:
        return element < 5

    shown = [on_next(210, "a"), on_error(220, ERROR), on_complete(230), on_next_where(1, is_small)]
    assert repr(shown) == (
        "[210: on_next('a'), 220: on_error(ValueError('mine')), 230: on_complete(), 1: on_next(where is_small)]"
    )
    assert repr(on_error_where(1, is_small)) == "1: on_error(where is_small)"
    assert repr([SubscriptionSpan(200, 300), SubscriptionSpan(200)]) == "[(200, 300), (200, Infinite)]"
    assert SubscriptionSpan(200) == SubscriptionSpan(200, INFINITE)


def test_equal_lists_pass_and_different_ones_are_shown_side_by_side() -> None:
    assert_equal([on_next(210, 1), on_complete(220)], on_next(210, 1), on_complete(220))
    assert_equal([])
    with pytest.raises(AssertionError) as caught:
        assert_equal([on_next(210, 1), on_next(220, 2)], on_next(210, 1))
    assert str(caught.value).splitlines() == [
        "2 came, 1 expected, first difference at position 1",
        "  actual              expected",
        "  210: on_next(1)     210: on_next(1)",
        "! 220: on_next(2)     -",
    ]
