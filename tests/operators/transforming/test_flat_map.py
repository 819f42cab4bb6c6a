"""flat_map, concat_map, flat_map_ordered: the elements of an iterable or a stream for each element."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from rs_core.stream.tree_walk import nodes_of
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract


class FlatMaps(OperatorContract, StateContract, SerializableContract):
    """Each element becomes itself as often as its remainder by three: never, once or twice."""

    state_version = (1, 1, 0, 0)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [element for element in elements for _ in range(element % 3)]


class TestFlatMapOfLists(FlatMaps):
    reads_ahead = 2

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().flat_map(lambda element: [element] * (element % 3), prefetch=2)


class TestConcatMap(FlatMaps):
    reads_ahead = 2

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().concat_map(
            lambda element: Stream.just(element).flat_map(lambda n: (n,) * (n % 3)), prefetch=2
        )


class TestFlatMapOrdered(FlatMaps):
    reads_ahead = 2

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().flat_map_ordered(
            lambda element: Stream.just(element).flat_map(lambda n: (n,) * (n % 3)), prefetch=2, concurrency=1
        )


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
        f"flat_map(function) needs an iterable or a stream for each element, but for 'x' the function returned "
        f"{result} ({type(result).__name__}); return a list, or () for nothing"
    )


def kinds_of_inner() -> dict[str, Callable[[int], Any]]:
    class Foreign:
        """A publisher that nobody knows to be a stream."""

        def __init__(self, n: int) -> None:
            self.n = n

        def subscribe(self, subscriber: Any) -> None:
            Stream.range(self.n).subscribe(subscriber)

    async def numbers(n: int) -> AsyncIterator[int]:
        for number in range(n):
            await asyncio.sleep(0)
            yield number

    def numbers_later(n: int) -> AsyncIterator[int]:
        return numbers(n)

    def emitted(n: int) -> Stream[int]:
        def emit(emitter: Any) -> None:
            for number in range(n):
                emitter.emit(number)
            emitter.complete()

        return Stream.create(emit, on_overflow="error")

    def queued(n: int) -> Stream[int]:
        queue: asyncio.Queue[int | None] = asyncio.Queue()
        for number in (*range(n), None):
            queue.put_nowait(number)
        return Stream.from_queue(queue)

    return {
        "an emitter": emitted,
        "a queue": queued,
        "a deferred stream": lambda n: Stream.defer(lambda: range(n)),
        "a stream with a resource": lambda n: Stream.using(lambda: n, Stream.range, int),
        "a stream with several inputs": lambda n: Stream.amb(Stream.range(n), Stream.never()),
        "one result of several inputs": lambda n: Stream.when_all([range(n)], [0]).flat_map(lambda last: last[0]),
        "a stream": Stream.range,
        "a longer stream": lambda n: Stream.range(2 * n).filter(lambda number: number < n).map(lambda number: number),
        "a stream of a list": lambda n: Stream.from_iterable(list(range(n))),
        "a stream of streams": lambda n: Stream.range(n).flat_map(lambda number: Stream.just(number).map(int)),
        "a publisher": Foreign,
        "an asynchronous iterable": numbers_later,
        "an iterable": range,
    }


METHODS = ["flat_map", "concat_map", "flat_map_ordered"]


@pytest.mark.parametrize("kind", kinds_of_inner())
@pytest.mark.parametrize("method", METHODS)
def test_every_kind_of_source_is_run(kind: str, method: str) -> None:
    inner = kinds_of_inner()[kind]
    stream = getattr(Stream.range(7), method)(inner)
    expected = [number for n in range(7) for number in range(n)]
    elements = asyncio.run(stream.to_list_async())
    assert (sorted(elements) if method == "flat_map" else elements) == (
        sorted(expected) if method == "flat_map" else expected
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("first_request", [1, 3, UNBOUNDED])
def test_as_many_as_requested_come_of_streams_that_run(method: str, first_request: int) -> None:
    subscriber = RecordingSubscriber(first_request=first_request, then_request=1)
    getattr(Stream.range(6), method)(lambda n: Stream.range(n * 10, n * 10 + 40).map(int)).subscribe(subscriber)
    expected = [number for n in range(6) for number in range(n * 10, n * 10 + 40)]
    assert sorted(subscriber.elements) == sorted(expected)
    assert subscriber.elements == expected or method == "flat_map"
    assert subscriber.outcome == (subscriber.elements, "complete")


@pytest.mark.parametrize(("method", "begun"), [("flat_map", 3), ("flat_map_ordered", 3), ("concat_map", 1)])
def test_no_more_streams_run_than_are_allowed(method: str, begun: int) -> None:
    inner = [ManualPublisher() for _ in range(9)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    bound = {} if method == "concat_map" else {"concurrency": 3}
    getattr(Stream.range(9), method)(lambda n: inner[n], **bound).subscribe(subscriber)
    assert [publisher.requested > 0 for publisher in inner] == [number < begun for number in range(9)]
    inner[0].send(0)
    inner[0].complete()
    assert [publisher.requested > 0 for publisher in inner] == [number < begun + 1 for number in range(9)]
    for number in range(1, 9):
        inner[number].send(number)
        inner[number].complete()
    assert subscriber.outcome == (list(range(9)), "complete")


def test_elements_of_streams_beside_each_other_come_as_they_come() -> None:
    inner = [ManualPublisher() for _ in range(3)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).flat_map(lambda n: inner[n]).subscribe(subscriber)
    for number in (2, 0, 1, 1, 0, 2):
        inner[number].send(number)
    assert subscriber.elements == [2, 0, 1, 1, 0, 2]


def test_order_is_kept_where_it_is_asked_for() -> None:
    inner = [ManualPublisher() for _ in range(3)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).flat_map_ordered(lambda n: inner[n], prefetch=4).subscribe(subscriber)
    assert [publisher.requests for publisher in inner] == [[4], [4], [4]]
    inner[2].send("c")
    inner[1].send("b")
    inner[2].complete()
    assert subscriber.elements == []
    inner[0].send("a")
    inner[0].complete()
    assert subscriber.elements == ["a", "b"]
    inner[1].complete()
    assert subscriber.outcome == (["a", "b", "c"], "complete")


def test_error_of_a_stream_waits_for_the_streams_before_it_where_order_is_kept() -> None:
    inner = [ManualPublisher() for _ in range(3)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).flat_map_ordered(lambda n: inner[n], prefetch=4).subscribe(subscriber)
    inner[2].fail(ValueError("the last one"))
    inner[1].fail(ValueError("the second one"))
    inner[0].send("a", "b")
    assert subscriber.outcome == (["a", "b"], "open")
    inner[0].complete()
    assert subscriber.outcome == (["a", "b"], "ValueError('the second one')")


@pytest.mark.parametrize("method", METHODS)
def test_error_of_a_stream_cancels_all_others(method: str) -> None:
    source = ManualPublisher()
    inner = [ManualPublisher() for _ in range(3)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.from_publisher(source), method)(lambda n: inner[n]).subscribe(subscriber)
    source.send(0, 1)
    inner[0].send("a")
    inner[0].fail(ValueError("broken"))
    assert subscriber.outcome == (["a"], "ValueError('broken')")
    assert source.cancels == 1
    assert inner[1].cancels == 1 or method == "concat_map"


@pytest.mark.parametrize("method", METHODS)
def test_cancel_reaches_all_streams(method: str) -> None:
    source = ManualPublisher()
    inner = [ManualPublisher() for _ in range(2)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.from_publisher(source), method)(lambda n: inner[n]).subscribe(subscriber)
    source.send(0, 1)
    subscriber.cancel()
    assert source.cancels == 1
    assert [publisher.cancels == 1 for publisher in inner] == [True, method != "concat_map"]


@pytest.mark.parametrize("method", METHODS)
def test_streams_that_run_are_saved_with_what_waits_of_them(method: str) -> None:
    def assembled(subscriber: Any) -> Any:
        return getattr(Stream.range(4), method)(lambda n: Stream.range(100 * n, 100 * n + 7).map(int)).bind(subscriber)

    whole = RecordingSubscriber(first_request=UNBOUNDED)
    assembled(whole).initialize()
    for taken in range(1, 28):
        before, after = RecordingSubscriber(), RecordingSubscriber()
        handle = assembled(before)
        handle.initialize()
        before.request(taken)
        recovered = assembled(after)
        load_tree(recovered, save_tree(handle))
        recovered.initialize()
        after.request(UNBOUNDED)
        together = before.elements + after.elements
        assert len(before.elements) == taken
        assert sorted(together) == sorted(whole.elements)
        assert together == whole.elements or method == "flat_map"
        assert after.outcome == (after.elements, "complete")


def test_streams_are_nodes_of_the_tree_while_they_run() -> None:
    inner = Stream.never().map(str)
    handle = Stream.just(1).flat_map(lambda n: inner).bind(RecordingSubscriber(first_request=1))
    handle.initialize()
    names = [node.name.rpartition("/")[2] for node in nodes_of(handle)]
    assert names == ["", "flat_map", "from_iterable", "map", "never"]


def test_thread_that_brings_elements_of_a_stream_beside_others(depth: Any) -> None:
    with WorkerScheduler(name="inner") as scheduler:
        stream = Stream.range(8).flat_map(
            lambda n: Stream.range(1_000 * n, 1_000 * n + 500).observe_on(scheduler, prefetch=16), concurrency=4
        )
        assert sorted(stream.to_list(timeout_seconds=60)) == [1_000 * n + m for n in range(8) for m in range(500)]


def test_ten_thousand_in_a_row_need_a_flat_stack() -> None:
    stream: Stream[int] = Stream.range(3)
    for _ in range(10_000):
        stream = stream.flat_map(lambda n: (n,))
    assert stream.to_list() == [0, 1, 2]


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


CHANGES: dict[str, Callable[[list[int], int], object]] = {
    "grows": lambda elements, element: elements.append(element + 10) if element < 20 else None,
    "grows at its head": lambda elements, element: elements.insert(0, element) if len(elements) < 9 else None,
    "shrinks": lambda elements, _element: elements.pop(),
    "shrinks at its head": lambda elements, _element: elements.pop(0),
    "is emptied": lambda elements, element: elements.clear() if element == 2 else None,
    "is replaced": lambda elements, element: elements.__setitem__(slice(None), [5, 6, 7, 8]) if element == 2 else None,
    "is emptied and filled": lambda elements, _element: (elements.clear(), elements.extend([4, 5])),
}


@pytest.mark.parametrize("first_request", [1, UNBOUNDED])
@pytest.mark.parametrize("change", CHANGES)
def test_list_that_is_changed_while_it_is_read_is_read_as_by_its_iterator(change: str, first_request: int) -> None:
    by_iterator, read = [1, 2, 3, 4], [1, 2, 3, 4]
    expected = []
    for element in itertools.islice(by_iterator, 30):
        expected.append(element)
        CHANGES[change](by_iterator, element)
    subscriber = RecordingSubscriber(first_request=first_request, then_request=1)
    Stream.just(0).flat_map(lambda _: read).do(lambda element: CHANGES[change](read, element)).take(30).subscribe(
        subscriber
    )
    assert subscriber.outcome == (expected, "complete")
    assert read == by_iterator


def test_list_that_grows_after_its_end_is_not_read_again() -> None:
    shared = [1]
    subscriber = RecordingSubscriber(first_request=1)
    Stream.just(0, 1).flat_map(lambda number: shared if number == 0 else (7,)).subscribe(subscriber)
    shared.append(2)
    subscriber.request(5)
    assert subscriber.outcome == ([1, 7], "complete")


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_state_inside_of_an_iterable_that_has_become_shorter_is_refused(kind: Callable[[list[int]], Any]) -> None:
    lengths = iter([5, 2])
    stream = Stream.just("x").flat_map(lambda _: kind(list(range(next(lengths)))))
    before, after = RecordingSubscriber(first_request=3), RecordingSubscriber(first_request=UNBOUNDED)
    handle, recovered = stream.bind(before), stream.bind(after)
    handle.initialize()
    load_tree(recovered, save_tree(handle))
    recovered.initialize()
    assert before.elements == [0, 1, 2]
    assert "is 3 elements into 'x', but the function returned only 2" in str(after.error)
