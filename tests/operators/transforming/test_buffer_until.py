"""buffer_until and buffer_while: lists that end where a predicate of an element says so, at once."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError, StateError
from reactivestreams.state import load_tree, save_tree
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


def until(elements: list[Any], divisor: int) -> list[list[Any]]:
    """Return the lists, of which each but the last ends with a multiple."""
    lists: list[list[Any]] = [[]]
    for each in elements:
        lists[-1].append(each)
        if each % divisor == 0:
            lists.append([])
    return lists


def between(elements: list[Any], divisor: int) -> list[list[Any]]:
    """Return the lists between multiples."""
    lists: list[list[Any]] = [[]]
    for each in elements:
        if each % divisor == 0:
            lists.append([])
        else:
            lists[-1].append(each)
    return lists


class Until(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time
    divisor: int

    def subject(self) -> Pipeline[Any, Any]:
        divisor = self.divisor
        return pipeline().buffer_until(lambda element: element % divisor == 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return until(elements, self.divisor)[:-1]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [each for each in until(elements, self.divisor)[-1:] if each]


class TestUntilEachElement(Until):
    divisor = 1


class TestUntilNowAndThen(Until):
    divisor = 5


class While(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 128
    divisor: int

    def subject(self) -> Pipeline[Any, Any]:
        divisor = self.divisor
        return pipeline().buffer_while(lambda element: element % divisor)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [each for each in between(elements, self.divisor)[:-1] if each]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [each for each in between(elements, self.divisor)[-1:] if each]


class TestWhileEverySecond(While):
    divisor = 2


class TestWhileNowAndThen(While):
    divisor = 5


@pytest.mark.parametrize(
    ("method", "expected"), [("buffer_until", [[1, 2, 0]]), ("buffer_while", [[1, 2]])], ids=["until", "while"]
)
def test_list_goes_out_with_the_element_that_ends_it(method: str, expected: list[list[int]]) -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    predicate: Any = {"buffer_until": lambda n: n == 0, "buffer_while": bool}[method]
    getattr(Stream.from_publisher(publisher), method)(predicate).subscribe(subscriber)
    publisher.send(1, 2)
    assert subscriber.elements == []
    publisher.send(0)
    assert subscriber.outcome == (expected, "open")


def test_elements_that_end_nothing_make_no_empty_lists() -> None:
    assert Stream.just(0, 0, 1, 0, 0).buffer_while(bool).to_list() == [[1]]
    assert Stream.just(0, 0).buffer_while(bool).to_list() == []
    assert Stream.just(0, 0).buffer_until(lambda n: n == 0).to_list() == [[0], [0]]


def test_none_is_an_ordinary_element() -> None:
    assert Stream.just(None, 1, None).buffer_until(lambda each: each is None).to_list() == [[None], [1, None]]
    assert Stream.just(None, 1, None).buffer_while(lambda each: each is None).to_list() == [[None], [None]]


def test_rest_was_requested_and_goes_out_with_the_completion() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=2)
    Stream.from_publisher(publisher).buffer_until(lambda n: n == 1).subscribe(subscriber)
    publisher.send(1, 2)
    assert publisher.requested == 3
    publisher.complete()
    assert subscriber.outcome == ([[1], [2]], "complete")


def test_rest_that_was_loaded_waits_for_a_request() -> None:
    def bound(publisher: ManualPublisher) -> tuple[Any, RecordingSubscriber]:
        subscriber = RecordingSubscriber()
        stream: Stream[int] = Stream.from_publisher(publisher, recovery="exact")
        return stream.buffer_while(bool).bind(subscriber), subscriber

    publisher = ManualPublisher()
    handle, _ = bound(publisher)
    handle.initialize()
    handle.request(1)
    publisher.send(1)
    recovered, subscriber = bound(following := ManualPublisher())
    load_tree(recovered, save_tree(handle))
    recovered.initialize()
    following.complete()
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([[1]], "complete")


@pytest.mark.parametrize("method", ["buffer_until", "buffer_while"])
@pytest.mark.parametrize("position", [1, 3, 6])
def test_predicate_that_raises_ends_the_stream_at_any_position(method: str, position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    source = CountedIterable(range(7))
    getattr(Stream.from_iterable(source), method)(lambda n: bool(1 // (position - n) or True)).subscribe(subscriber)
    expected = [[number] for number in range(position)] if method == "buffer_until" else []
    assert subscriber.elements == expected
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert source.is_closed


@pytest.mark.parametrize(("method", "answer"), [("buffer_until", False), ("buffer_while", True)])
def test_list_that_grows_beyond_its_bound_ends_the_stream(method: str, answer: bool) -> None:
    source, subscriber = CountedIterable(range(9)), RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.from_iterable(source), method)(lambda _: answer, max_elements=3).subscribe(subscriber)
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error).startswith(f"{method}(max_elements=3): 3 would be one element more in a list; raise")
    assert source.is_closed


def test_list_of_just_as_many_elements_as_allowed_is_no_error() -> None:
    assert Stream.range(6).buffer_until(lambda n: n % 3 == 2, max_elements=3).to_list() == [[0, 1, 2], [3, 4, 5]]
    assert Stream.range(7).buffer_while(lambda n: n % 3, max_elements=2).to_list() == [[1, 2], [4, 5]]


def test_last_list_that_fails_below_ends_with_the_error_only() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).buffer_until(lambda n: n == 1).map(lambda each: each[1]).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, IndexError)


@pytest.mark.parametrize("method", ["buffer_until", "buffer_while"])
def test_state_of_a_longer_list_is_refused(method: str) -> None:
    def bound(**bounds: int) -> Any:
        source = Stream.range(3).concat_with(Stream.never())
        answer = method == "buffer_while"
        return getattr(source, method)(lambda _: answer, **bounds).bind(RecordingSubscriber())

    handle = bound()
    handle.initialize()
    handle.request(1)
    with pytest.raises(StateError, match="cannot load 3 elements into lists of 2; load the state with the bound"):
        load_tree(bound(max_elements=2), save_tree(handle))


@pytest.mark.parametrize("method", ["buffer_until", "buffer_while"])
def test_bad_arguments_are_refused(method: str) -> None:
    add: Any = getattr(Stream.just(1), method)
    with pytest.raises(ArgumentTypeError, match=rf"{method}\(predicate\) needs a callable, got 3"):
        add(3)
    with pytest.raises(ArgumentError, match=rf"{method}\(max_elements\) needs a count from 1 to 16777216, got 0"):
        add(bool, max_elements=0)
    with pytest.raises(ArgumentTypeError, match=rf"{method}\(max_elements\) needs an integer, got None"):
        add(bool, max_elements=None)


def test_calls_are_written_as_one_would_write_them() -> None:
    described = pipeline().buffer_until(all).buffer_while(all, max_elements=5)
    assert str(described) == "pipeline().buffer_until(all).buffer_while(all, max_elements=5)"
