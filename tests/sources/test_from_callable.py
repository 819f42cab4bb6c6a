"""from_callable: a function is called once for each subscription that requests something."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start


def test_function_is_called_for_the_first_demand_of_each_subscription() -> None:
    calls: list[int] = []
    stream = Stream.from_callable(lambda: calls.append(1) or len(calls))
    first, second = RecordingSubscriber(), RecordingSubscriber(first_request=UNBOUNDED)
    stream.subscribe(first)
    assert (calls, first.outcome) == ([], ([], "open"))
    stream.subscribe(second)
    assert second.outcome == ([1], "complete")
    first.request(1)
    assert first.outcome == ([2], "complete")
    first.request(1)
    assert calls == [1, 1]


def test_none_is_an_element_for_all_but_subscribers() -> None:
    assert Stream.from_callable(lambda: None).to_list() == [None]
    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_callable(lambda: None).subscribe(subscriber)
    assert "§2.13" in str(subscriber.error)


def test_exception_of_the_function_is_the_streams() -> None:
    stream = Stream.from_callable(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError) as raised:
        stream.to_list()
    assert raised.value.__notes__ == [f"in rx://sources/from_callable, assembled at {stream.assembly}"]
    assert Stream.from_callable(lambda: 1 // 0).on_error_return(7).to_list() == [7]


def test_interrupt_of_the_function_is_raised_where_it_was_requested() -> None:
    def interrupted() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stream.from_callable(interrupted).to_list()


def test_function_is_not_called_for_a_cancelled_subscription() -> None:
    calls: list[int] = []
    subscriber = RecordingSubscriber(cancel_after=0, first_request=1)
    Stream.from_callable(lambda: calls.append(1)).subscribe(subscriber)
    subscriber.request(1)
    assert (calls, subscriber.outcome) == ([], ([], "open"))


def test_end_comes_behind_a_cancelled_element_or_not_at_all() -> None:
    assert Stream.from_callable(lambda: 3).take(1).to_list() == [3]
    subscriber = RecordingSubscriber(first_request=1, cancel_after=1)
    Stream.from_callable(lambda: 3).subscribe(subscriber)
    assert subscriber.outcome == ([3], "open")


def test_dropped_element_needs_no_demand_for_the_end() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_callable(lambda: 3).filter(lambda _: False).subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")


def test_function_that_was_called_is_not_called_after_a_recovery() -> None:
    calls: list[int] = []

    def parked() -> int:
        calls.append(1)
        source.pause()
        return 3

    subscriber = RecordingSubscriber()
    stream = Stream.from_callable(parked)
    handle = stream.bind(subscriber)
    handle.initialize()
    source = handle.inputs[0]
    subscriber.request(1)
    assert (source.is_parked, subscriber.outcome) == (True, ([3], "open"))
    after = RecordingSubscriber(first_request=1)
    start(stream.bind(after), save(handle))
    assert (calls, after.outcome) == ([1], ([], "complete"))


@pytest.mark.parametrize("wrong", [3, None, "name", object()])
def test_what_cannot_be_called_is_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"from_callable\(function\) needs a callable, got .*; pass a function"):
        Stream.from_callable(wrong)


def test_coroutine_function_is_refused() -> None:
    async def fetch() -> int:
        return 1

    with pytest.raises(ArgumentTypeError, match=r"from_callable\(function\) needs a function that returns its result"):
        Stream.from_callable(fetch)


def test_function_is_shown() -> None:
    assert repr(Stream.from_callable(int)) == "Stream.from_callable(int)"
