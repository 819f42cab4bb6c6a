"""buffer: lists of neighboring elements."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from reactivestreams.state import load_tree, save_tree
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import reader_of, subscribe
from tests.contracts.state_contract import SerializableContract, StateContract


class Buffers(OperatorContract, StateContract, SerializableContract):
    state_version = (1, 1, 0, 0)
    count: int

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(self.count)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        whole = len(elements) - len(elements) % self.count
        return [elements[start : start + self.count] for start in range(0, whole, self.count)]

    def left_over(self, elements: list[Any]) -> list[Any]:
        rest = len(elements) % self.count
        return [elements[-rest:]] if rest else []


class TestBufferOfOne(Buffers):
    count = 1


class TestBufferWithoutARest(Buffers):
    count = 3


class TestBufferWithARest(Buffers):
    count = 5


class TestBufferOfMoreThanThereIs(Buffers):
    count = 100


class BuffersWithSkip(OperatorContract, StateContract, SerializableContract):
    state_version = (1, 1, 0, 0)
    count: int
    skip: int

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(self.count, self.skip)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [each for each in lists(elements, self.count, self.skip) if len(each) == self.count]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [each for each in lists(elements, self.count, self.skip) if len(each) < self.count]


class TestBufferWithGaps(BuffersWithSkip):
    count, skip = 2, 5


class TestBufferThatOverlaps(BuffersWithSkip):
    reads_ahead = 128  # of unbounded demand, as many are requested at a time
    count, skip = 3, 2


class TestBufferThatOverlapsWithAShortEnd(BuffersWithSkip):
    """The last list has fewer elements than the next one is behind."""

    reads_ahead = 128
    count, skip = 8, 7


class TestBufferWithManyOpenLists(BuffersWithSkip):
    reads_ahead = 128
    count, skip = 5, 1


class TestBufferThatOverlapsBehindGaps(OperatorContract, StateContract, SerializableContract):
    state_version = (1, 1, 0, 0)
    reads_ahead = 128

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(1, 2).buffer(2, 1)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        single = [[each] for each in elements[::2]]
        return [single[at : at + 2] for at in range(len(single) - 1)]

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [[[elements[::2][-1]]]] if elements else []


def lists(elements: list[Any], count: int, skip: int) -> list[list[Any]]:
    """Return the lists, each by a slice of its own."""
    return [elements[start : start + count] for start in range(0, len(elements), skip)]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("skip", [1, 2, 3, 5, 8])
def test_each_count_and_skip_is_that_of_slices(count: int, skip: int) -> None:
    for length in range(20):
        assert Stream.range(length).buffer(count, skip).to_list() == lists(list(range(length)), count, skip)


@pytest.mark.parametrize(("count", "skip"), [(3, 2), (5, 1), (2, 5)])
def test_no_more_is_read_than_the_lists_need_that_are_requested(count: int, skip: int) -> None:
    source, subscriber = CountedIterable(range(99)), RecordingSubscriber()
    Stream.from_iterable(source).buffer(count, skip).subscribe(subscriber)
    assert source.taken == 0
    for requested, total in ((1, 1), (1, 2), (4, 6)):
        subscriber.request(requested)
        assert source.taken == (total - 1) * skip + count


def test_open_lists_go_out_one_for_each_request() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher).buffer(3, 1).subscribe(subscriber)
    publisher.send(1, 2)
    publisher.complete()
    assert subscriber.outcome == ([[1, 2]], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([[1, 2], [2]], "complete")


def test_open_lists_are_given_up_at_an_error_and_by_cancel() -> None:
    for end in ("fail", "cancel"):
        publisher, subscriber = ManualPublisher(), RecordingSubscriber()
        Stream.from_publisher(publisher).buffer(3, 1).subscribe(subscriber)
        subscriber.request(1)
        publisher.send(1, 2)
        if end == "fail":
            publisher.fail(ValueError("why"))
        else:
            subscriber.cancel()
        subscriber.request(5)
        assert subscriber.outcome == ([], "ValueError('why')" if end == "fail" else "open")


def test_open_lists_that_fail_below_end_with_the_error_only() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).buffer(3, 1).map(lambda each: each[1]).subscribe(subscriber)
    assert subscriber.elements == [1, 2]
    assert isinstance(subscriber.error, IndexError)


def test_lists_that_overlap_are_independent_of_each_other() -> None:
    first, second, _ = Stream.range(4).buffer(3, 1).take(3).to_list()
    first.append(99)
    assert (first, second) == ([0, 1, 2, 99], [1, 2, 3])


def test_elements_between_lists_are_read_when_the_next_list_is_requested() -> None:
    source = CountedIterable(range(20))
    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_iterable(source).buffer(2, 5).subscribe(subscriber)
    assert source.taken == 2
    subscriber.request(1)
    assert (subscriber.elements, source.taken) == ([[0, 1], [5, 6]], 7)


def test_state_of_the_first_layout_is_loaded() -> None:
    handle = Stream.range(2, 9).buffer(3, 4).bind(subscriber := RecordingSubscriber(first_request=UNBOUNDED))
    subscribe(handle)
    handle.inputs[0].load_state(reader_of(False, [0, 1]), (1, 0, 0, 0))
    handle.initialize()
    assert subscriber.elements == [[0, 1, 2], [4, 5, 6], [8]]


def test_state_of_a_longer_gap_is_refused() -> None:
    handle = Stream[int].empty().buffer(3, 4).bind(RecordingSubscriber())
    subscribe(handle)
    with pytest.raises(StateError):
        handle.inputs[0].load_state(reader_of(False, [], 2), (1, 1, 0, 0))


def test_state_of_lists_side_by_side_is_refused_where_they_overlap() -> None:
    saved = Stream.range(9).buffer(4).bind(RecordingSubscriber())
    saved.initialize()
    with pytest.raises(StateError):
        load_tree(Stream.range(9).buffer(4, 2).bind(RecordingSubscriber()), save_tree(saved))


@pytest.mark.parametrize("skip", [0, -1, 2**63])
def test_skip_out_of_bounds_is_refused(skip: int) -> None:
    with pytest.raises(ArgumentError, match=rf"buffer\(skip\) needs a count from 1 to {2**63 - 1}, got {skip}"):
        Stream.just(1).buffer(2, skip)


@pytest.mark.parametrize("skip", ["3", 2.0, True])
def test_skip_that_is_no_integer_is_refused(skip: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"buffer\(skip\) needs an integer, got {skip!r} \("):
        Stream.just(1).buffer(2, skip)


def test_long_lists_grow_beyond_the_room_that_they_begin_with() -> None:
    assert Stream.range(5000).buffer(3000).to_list() == [list(range(3000)), list(range(3000, 5000))]


def test_call_is_written_as_one_would_write_it() -> None:
    assert str(pipeline().buffer(3).buffer(3, 2)) == "pipeline().buffer(3).buffer(3, 2)"


def test_rest_is_passed_on_at_the_completion() -> None:
    assert Stream.range(5).buffer(2).to_list() == [[0, 1], [2, 3], [4]]


def test_rest_is_given_up_at_an_error() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(CountedIterable([1, 2, 3], fails_with=ValueError("why"))).buffer(2).subscribe(subscriber)
    assert subscriber.outcome == ([[1, 2]], "ValueError('why')")


def test_rest_that_fails_below_ends_with_the_error_only() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(3).buffer(2).map(lambda pair: pair[1]).subscribe(subscriber)
    assert subscriber.elements == [1]
    assert isinstance(subscriber.error, IndexError)


def test_rest_meets_the_operators_below() -> None:
    assert Stream.range(7).buffer(2).buffer(2).map(len).to_list() == [2, 2]
    assert Stream.range(5).buffer(2).take(3).to_list() == [[0, 1], [2, 3], [4]]
    assert Stream.range(5).take(3).buffer(2).to_list() == [[0, 1], [2]]


def test_cancel_in_the_rest_leaves_out_the_completion() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=2)
    Stream.range(3).buffer(2).subscribe(subscriber)
    assert subscriber.outcome == ([[0, 1], [2]], "open")


@pytest.mark.parametrize(("requested", "upstream"), [(1, 4), (3, 12), (UNBOUNDED, UNBOUNDED), (2**61, UNBOUNDED)])
def test_request_for_lists_is_a_request_for_their_elements(requested: int, upstream: int) -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=requested)
    Stream.from_publisher(publisher, prefetch=2**24).buffer(4).subscribe(subscriber)
    assert publisher.requested == min(upstream, 2**24)


def test_lists_are_independent_of_each_other() -> None:
    first, second = Stream.range(4).buffer(2).to_list()
    first.append(99)
    assert (first, second) == ([0, 1, 99], [2, 3])


def test_none_is_an_ordinary_element() -> None:
    assert Stream.just(None, 1, None).buffer(2).to_list() == [[None, 1], [None]]


@pytest.mark.parametrize("count", [0, -1, MAX_BUFFER_ELEMENTS + 1])
def test_count_out_of_bounds_is_refused(count: int) -> None:
    with pytest.raises(
        ArgumentError, match=rf"buffer\(count\) needs a count from 1 to {MAX_BUFFER_ELEMENTS}, got {count}"
    ):
        Stream.just(1).buffer(count)


@pytest.mark.parametrize("count", ["3", 2.0, None, True])
def test_count_that_is_no_integer_is_refused(count: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"buffer\(count\) needs an integer, got {count!r} \("):
        Stream.just(1).buffer(count)


def loaded_with(elements: list[int], stream: Stream[list[int]], subscriber: RecordingSubscriber) -> None:
    """Start a stream whose buffer was saved with these elements in it."""
    handle = stream.bind(subscriber)
    subscribe(handle)
    buffer = handle.inputs[0]
    buffer.load_state(reader_of(False, elements, 0), buffer.version)
    handle.initialize()


def test_loaded_rest_waits_for_demand_before_the_completion() -> None:
    subscriber = RecordingSubscriber()
    loaded_with([1, 2], Stream[int].empty().buffer(5), subscriber)
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([[1, 2]], "complete")


def test_loaded_rest_does_not_hold_up_an_error() -> None:
    subscriber = RecordingSubscriber()
    loaded_with([1, 2], Stream[int].error(ValueError("why")).buffer(5), subscriber)
    assert subscriber.outcome == ([], "ValueError('why')")


def test_loaded_rest_is_given_up_by_cancel() -> None:
    subscriber = RecordingSubscriber()
    loaded_with([1, 2], Stream[int].empty().buffer(5), subscriber)
    subscriber.cancel()
    subscriber.request(1)
    assert subscriber.outcome == ([], "open")


def test_loaded_rest_counts_for_the_first_request() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber()
    loaded_with([1, 2], Stream.from_publisher(publisher).buffer(5), subscriber)
    subscriber.request(2)
    subscriber.request(1)
    assert publisher.requests == [8, 5]


def test_rest_of_longer_lists_is_not_loaded() -> None:
    with pytest.raises(StateError, match="cannot load 5 elements into lists of 5; load the state with the count"):
        loaded_with([1, 2, 3, 4, 5], Stream[int].empty().buffer(5), RecordingSubscriber())
