"""Latch, promise and receptacle say what the standard's say, and raise only what they are meant to."""

import pytest

from reactivestreams.tck import CheckEnvironment, Failed
from reactivestreams.tck.kit.failure import BufferOverflowError
from reactivestreams.tck.probes.latch import Latch
from reactivestreams.tck.probes.promise import Promise
from reactivestreams.tck.probes.receptacle import CAPACITY, Receptacle


def texts(environment: CheckEnvironment) -> list[str]:
    return [environment.flop_text(flop) for flop in environment.flops]


def test_latch_that_is_open_flops_where_it_should_be_closed(environment: CheckEnvironment) -> None:
    latch = Latch(environment)
    latch.assert_open("too often")
    latch.assert_closed("too early")
    latch.close()
    latch.assert_closed("too early")
    latch.assert_open("too often")
    assert texts(environment) == [
        "Async error during test execution: too early",
        "Async error during test execution: too often",
    ]


def test_latch_that_does_not_close_flops_with_the_time(environment: CheckEnvironment) -> None:
    latch = Latch(environment)
    assert not latch.expect_close("Should have received on_subscribe", 5)
    latch.close()
    assert latch.expect_close("never said")
    latch.re_open()
    assert not latch.is_closed()
    assert texts(environment) == ["Should have received on_subscribe within 5 ms"]


def test_promise_keeps_its_first_value(environment: CheckEnvironment) -> None:
    promise = Promise.completed(environment, None)
    promise.complete(7)
    assert promise.is_completed()
    assert promise.value() is None
    assert texts(environment) == ["Cannot complete a promise more than once! Present value: None, attempted to set: 7"]


def test_promise_without_a_value_flops(environment: CheckEnvironment) -> None:
    promise: Promise[int] = Promise(environment)
    assert promise.value() is None
    assert not promise.expect_completion("Nothing came", 5)
    assert texts(environment) == ["Cannot access promise value before completion", "Nothing came within 5 ms"]


def test_receptacle_gives_what_it_took_in_order_and_then_the_end(environment: CheckEnvironment) -> None:
    received: Receptacle[int] = Receptacle(environment)
    for element in range(4):
        received.add(element)
    received.complete()
    assert received.next("none") == 0
    assert received.next_n(2, "none") == [1, 2]
    assert received.next_or_end_of_stream("none") == [3]
    assert received.next_or_end_of_stream("none") == []
    assert texts(environment) == []


def test_none_is_an_element_and_not_the_end(environment: CheckEnvironment) -> None:
    received: Receptacle[None] = Receptacle(environment)
    received.add(None)
    received.expect_completion("no end", 5)
    assert texts(environment) == ["Expected end-of-stream but got element [None]"]


def test_receptacle_that_stays_empty_says_so(environment: CheckEnvironment) -> None:
    received: Receptacle[int] = Receptacle(environment)
    with pytest.raises(Failed, match=r"^Did not receive it within 5 ms$"):
        received.next("Did not receive it", 5)
    assert received.next_or_end_of_stream("Neither", 5) == []
    received.expect_completion("No end", 5)
    with pytest.raises(Failed, match=r"^Only some within 5 ms$"):
        received.next_n(2, "Only some", 5)
    assert texts(environment) == ["Neither within 5 ms", "No end within 5 ms"]


def test_element_is_not_taken_for_the_end_nor_the_end_for_an_element(environment: CheckEnvironment) -> None:
    received: Receptacle[int] = Receptacle(environment)
    received.add(3)
    received.complete()
    received.expect_completion("no end")
    with pytest.raises(Failed, match=r"^Expected element but got end-of-stream$"):
        received.next("none")
    assert texts(environment) == ["Expected end-of-stream but got element [3]"]


def test_what_comes_after_the_end_flops(environment: CheckEnvironment) -> None:
    received: Receptacle[int] = Receptacle(environment)
    received.complete()
    received.add(0)
    received.complete()
    assert texts(environment) == [
        "Async error during test execution: Unexpected element 0 received after stream completed",
        "Async error during test execution: Unexpected additional complete signal received!",
    ]


def test_expecting_nothing_flops_with_what_came(environment: CheckEnvironment) -> None:
    received: Receptacle[int] = Receptacle(environment)
    received.expect_none("unrequested", 5)
    received.add(9)
    received.expect_none("unrequested", 5)
    received.complete()
    received.expect_none("unrequested", 5)
    assert texts(environment) == ["unrequested [9]", "Expected no element but got end-of-stream"]


def test_full_receptacle_refuses_and_one_without_limit_does_not(environment: CheckEnvironment) -> None:
    received: Receptacle[int] = Receptacle(environment)
    for element in range(CAPACITY):
        received.add(element)
    with pytest.raises(BufferOverflowError, match="32 entries wait"):
        received.add(99)
    unlimited: Receptacle[int] = Receptacle(environment, capacity=None)
    for element in range(100):
        unlimited.add(element)
    assert unlimited.next_n(100, "none") == list(range(100))


def test_error_is_taken_from_the_environment(environment: CheckEnvironment) -> None:
    received: Receptacle[int] = Receptacle(environment)
    error = ValueError("3.9")
    environment.flop(error)
    assert received.expect_error(ValueError, "Expected on_error(ValueError)", 100, 10) is error
    environment.flop(RuntimeError("other"))
    with pytest.raises(
        Failed, match=r"^Expected it within 100 ms; Got RuntimeError \(other\) but expected ValueError$"
    ):
        received.expect_error(ValueError, "Expected it", 100, 10)
    with pytest.raises(Failed, match=r"^Expected it within 5 ms$"):
        received.expect_error(ValueError, "Expected it", 5, 1)
