"""flat_map: the elements of an iterable for each element, one iterable after the other."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import MovableContract, StateContract


class FlatMaps(OperatorContract, StateContract, MovableContract):
    """Each element becomes itself as often as its remainder by three: never, once or twice."""

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements for _ in range(element % 3)]


class TestFlatMapOfLists(FlatMaps):
    reads_ahead = 2

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().flat_map(lambda element: [element] * (element % 3), prefetch=2)


class TestFlatMapOfGenerators(FlatMaps):
    reads_ahead = 1

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().flat_map(lambda element: (element for _ in range(element % 3)), prefetch=1)


class TestFlatMapThatReadsEverythingAhead(FlatMaps):
    reads_ahead = 32

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().flat_map(lambda element: (element,) * (element % 3))


def test_empty_iterables_leave_nothing() -> None:
    assert Stream.range(5).flat_map(lambda _: ()).to_list() == []


def test_only_the_last_iterable_has_elements() -> None:
    assert Stream.range(5).flat_map(lambda element: [9] if element == 4 else iter(())).to_list() == [9]


def test_infinite_iterable_is_read_as_far_as_demanded() -> None:
    assert Stream.just(1, 2).flat_map(itertools.count).take(3).to_list() == [1, 2, 3]


def test_iterable_is_read_for_demand_only() -> None:
    inner = CountedIterable(list(range(10)))
    subscriber = RecordingSubscriber()
    Stream.just(0).flat_map(lambda _: inner).subscribe(subscriber)
    assert inner.taken == 0
    for requested in (1, 2, 3):
        subscriber.request(1)
        assert (subscriber.elements, inner.taken) == (list(range(requested)), requested)


def test_function_is_called_for_demand_only() -> None:
    called: list[int] = []

    def twice(element: int) -> tuple[int, int]:
        called.append(element)
        return element, element

    subscriber = RecordingSubscriber(first_request=2)
    Stream.range(10).flat_map(twice).subscribe(subscriber)
    assert (subscriber.elements, called) == ([0, 0], [0])


def test_sized_iterables_bring_the_completion_with_the_last_element() -> None:
    subscriber = RecordingSubscriber(first_request=4)
    Stream.just("ab", "cd").flat_map(lambda word: word).subscribe(subscriber)
    assert subscriber.outcome == (["a", "b", "c", "d"], "complete")


def test_end_behind_a_generator_is_seen_by_the_next_request() -> None:
    subscriber = RecordingSubscriber(first_request=1)
    Stream.just(1).flat_map(lambda element: (each for each in [element])).subscribe(subscriber)
    assert subscriber.outcome == ([1], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([1], "complete")


def test_generator_that_is_being_read_ends_with_the_stream() -> None:
    ended: list[str] = []

    def inner(element: int) -> Iterator[int]:
        try:
            yield element
            yield element
        finally:
            ended.append("closed")

    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=1)
    Stream.just(1).flat_map(inner).subscribe(subscriber)
    assert (subscriber.outcome, ended) == (([1], "open"), ["closed"])


def test_no_more_than_the_prefetch_is_requested_and_not_expanded() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    Stream.from_publisher(publisher).flat_map(lambda element: [element], prefetch=4).subscribe(subscriber)
    assert publisher.requests == [4]
    publisher.send(1, 2, 3, 4)
    subscriber.request(2)
    assert publisher.requested == 4
    subscriber.request(1)
    assert publisher.requested == 7  # 75 % were expanded


def test_none_is_an_ordinary_element_on_both_sides() -> None:
    assert Stream.just(None, 1).flat_map(lambda element: [element, None]).to_list() == [None, None, 1, None]


def test_function_that_raises_ends_the_stream_behind_what_came_before() -> None:
    source = CountedIterable([1, 0, 2])
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(source).flat_map(lambda element: [1 // element], prefetch=1).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert "in rx://operators/flat_map, assembled at" in subscriber.error.__notes__[0]
    assert source.is_closed


def test_iterable_that_fails_half_way_ends_the_stream_behind_its_elements() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    inner = CountedIterable([1, 2], fails_with=ValueError("half-way"))
    Stream.just(0, 1).flat_map(lambda _: inner).subscribe(subscriber)
    assert subscriber.outcome == ([1, 2], "ValueError('half-way')")


@pytest.mark.parametrize("result", [None, 3])
def test_result_that_is_not_iterable_ends_the_stream_with_value_and_remedy(result: Any) -> None:
    with pytest.raises(ArgumentTypeError) as raised:
        Stream.just("x").flat_map(lambda _: result).to_list()
    assert str(raised.value) == (
        f"flat_map(function) needs an iterable for each element, but for 'x' the function returned {result} "
        f"({type(result).__name__}); return a list, or () for nothing"
    )


class Publisher:
    def subscribe(self, subscriber: Any) -> None:
        raise AssertionError("nobody subscribes")

    def __repr__(self) -> str:
        return "Publisher()"


class Asynchronous:
    def __iter__(self) -> Iterator[int]:
        raise AssertionError("nobody iterates")

    def __aiter__(self) -> AsyncIterator[int]:
        raise AssertionError("nobody iterates")

    def __repr__(self) -> str:
        return "Asynchronous()"


STREAMS = {
    "a stream": Stream.range(3),
    "a stream that never ends": Stream.never(),
    "a publisher": Publisher(),
    "an asynchronous iterable": Asynchronous(),
}


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("call", ["flat_map", "pipeline"])
def test_stream_in_place_of_an_iterable_is_refused_with_value_operator_line_and_remedy(kind: str, call: str) -> None:
    inner: Any = STREAMS[kind]
    outer = Stream.just("x")
    stream = (
        outer.flat_map(lambda _: inner) if call == "flat_map" else outer.through(pipeline().flat_map(lambda _: inner))
    )
    with pytest.raises(ArgumentTypeError) as raised:
        stream.to_list(timeout_seconds=60)
    assert str(raised.value) == (
        f"flat_map(function) needs an iterable for each element, but for 'x' the function returned {inner!r} "
        f"({type(inner).__name__}), {kind.removesuffix(' that never ends')}, which this thread would have to wait for; "
        f"return a list or a generator, such as stream.to_list() of a stream that ends"
    )
    assert f"in rx://operators/flat_map, assembled at {__file__}:" in raised.value.__notes__[0]


def test_stream_in_place_of_an_iterable_is_refused_in_an_event_loop_by_the_same_error() -> None:
    with pytest.raises(ArgumentTypeError, match="a stream, which this thread would have to wait for"):
        asyncio.run(Stream.just(1).flat_map(Stream.range).to_list_async())  # type: ignore[arg-type]


def test_iter_that_raises_type_error_is_passed_on_as_it_is() -> None:
    class Odd:
        def __iter__(self) -> Iterator[int]:
            raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine"):
        Stream.just(1).flat_map(lambda _: Odd()).to_list()


def test_stop_iteration_of_the_function_is_an_error() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1).flat_map(lambda _: [next(iter(()))]).subscribe(subscriber)
    assert subscriber.outcome == ([], "StopIteration()")


def test_function_may_run_another_stream_to_its_end() -> None:
    assert Stream.just(2, 3).flat_map(lambda count: Stream.range(count).to_list()).to_list() == [0, 1, 0, 1, 2]


@pytest.mark.parametrize("prefetch", [0, -1, 2**24 + 1])
def test_prefetch_out_of_bounds_is_refused(prefetch: int) -> None:
    with pytest.raises(ArgumentError, match=rf"flat_map\(prefetch\) needs a count from 1 to {2**24}, got {prefetch}"):
        Stream.just(1).flat_map(list, prefetch=prefetch)  # type: ignore[arg-type]


def test_function_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"flat_map\(function\) needs a callable, got \[\] \(list\)"):
        Stream.just(1).flat_map([])  # type: ignore[arg-type]
