"""sliding, and pairwise, which is a sliding window of two: tuples of neighboring elements."""

import gc
import itertools
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.operators.transforming.buffer import MAX_BUFFER_ELEMENTS
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of, reader_of, subscribe
from tests.contracts.state_contract import SerializableContract, StateContract


def windows(elements: list[Any], size: int, step: int) -> list[tuple[Any, ...]]:
    """Return the windows that are full, each by a slice of its own."""
    return [tuple(elements[start : start + size]) for start in range(0, len(elements) - size + 1, step)]


class Sliding(OperatorContract, StateContract, SerializableContract):
    size: int
    step: int

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().sliding(self.size, self.step)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return windows(elements, self.size, self.step)


class TestSlidingByOne(Sliding):
    size, step = 3, 1


class TestSlidingThatOverlaps(Sliding):
    size, step = 5, 3


class TestSlidingSideBySide(Sliding):
    size, step = 4, 4


class TestSlidingWithGaps(Sliding):
    size, step = 2, 5


class TestSlidingOfOne(Sliding):
    size, step = 1, 1


class TestPairwise(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().pairwise()

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(itertools.pairwise(elements))


class TestSlidingBehindBuffer(OperatorContract, StateContract, SerializableContract):
    """What completes no tuple gives demand back through a stage that counts differently."""

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer(2).sliding(2, 3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return windows([elements[at : at + 2] for at in range(0, len(elements) - 1, 2)], 2, 3)

    def left_over(self, elements: list[Any]) -> list[Any]:
        pairs = [elements[at : at + 2] for at in range(0, len(elements), 2)]
        return windows(pairs, 2, 3)[len(self.passed_on(elements)) :]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 11])
@pytest.mark.parametrize("step", [1, 2, 3, 4, 7, 11])
def test_each_size_and_step_is_that_of_slices(size: int, step: int) -> None:
    for count in (*range(25), 100):
        assert Stream.range(count).sliding(size, step).to_list() == windows(list(range(count)), size, step)


def test_rest_at_the_completion_is_given_up() -> None:
    assert Stream.range(5).sliding(2, 2).to_list() == [(0, 1), (2, 3)]
    assert Stream.just(1).pairwise().to_list() == []


def test_tuples_go_on_as_they_were_when_the_window_moves() -> None:
    kept = Stream.range(6).pairwise().to_list()
    assert kept == [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]
    assert len({id(pair) for pair in kept}) == 5


def test_none_is_an_ordinary_element() -> None:
    assert Stream.just(None, 1, None).pairwise().to_list() == [(None, 1), (1, None)]


def test_elements_that_refer_to_their_tuple_are_collected() -> None:
    class Knows:
        pass

    def tie(pair: tuple[Knows, Knows]) -> None:
        pair[0].pair = pair  # type: ignore[attr-defined]

    Stream.from_iterable([Knows() for _ in range(3)]).pairwise().do(on_next=tie).run()
    gc.collect()
    assert [each for each in gc.get_objects() if type(each) is Knows] == []


def test_element_that_moves_out_of_the_window_may_cancel_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)

    class Last:
        def __del__(self) -> None:
            subscriber.cancel()

    Stream.range(9).map(lambda n: Last() if n == 2 else n).sliding(2).map(lambda pair: 0).subscribe(subscriber)
    assert subscriber.outcome[1] == "open"
    assert len(subscriber.elements) < 8


def test_each_element_that_completes_nothing_is_requested_again() -> None:
    publisher, subscriber = ManualPublisher(), RecordingSubscriber(first_request=1)
    Stream.from_publisher(publisher, prefetch=1).sliding(2, 3).subscribe(subscriber)
    publisher.send(1)
    publisher.send(2)
    assert (subscriber.elements, publisher.requested) == ([(1, 2)], 2)


def test_error_gives_up_what_is_not_full() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_iterable(CountedIterable([1, 2, 3], fails_with=ValueError("why"))).sliding(2, 2).subscribe(subscriber)
    assert subscriber.outcome == ([(1, 2)], "ValueError('why')")


def test_elements_of_the_window_are_saved_in_their_order() -> None:
    handle = Stream.range(7).sliding(3).bind(RecordingSubscriber(first_request=2))
    handle.initialize()
    assert fields_of(handle.inputs[0]) == [False, [2, 3], 0]


def test_state_of_longer_windows_is_refused() -> None:
    handle = Stream[int].empty().sliding(2).bind(RecordingSubscriber())
    subscribe(handle)
    with pytest.raises(StateError, match="cannot load 2 elements of windows of 2; load the state with the size"):
        handle.inputs[0].load_state(reader_of(False, [1, 2], 0), (1, 0, 0, 0))


@pytest.mark.parametrize("left_out", [-1, 4])
def test_state_of_a_longer_gap_is_refused(left_out: int) -> None:
    handle = Stream[int].empty().sliding(2, 5).bind(RecordingSubscriber())
    subscribe(handle)
    with pytest.raises(StateError):
        handle.inputs[0].load_state(reader_of(False, [], left_out), (1, 0, 0, 0))


@pytest.mark.parametrize("size", [0, -1, MAX_BUFFER_ELEMENTS + 1])
def test_size_out_of_bounds_is_refused(size: int) -> None:
    with pytest.raises(ArgumentError, match=rf"sliding\(size\) needs a count from 1 to {MAX_BUFFER_ELEMENTS}, got"):
        Stream.just(1).sliding(size)


@pytest.mark.parametrize("step", [0, -3, 2**63])
def test_step_out_of_bounds_is_refused(step: int) -> None:
    with pytest.raises(ArgumentError, match=rf"sliding\(step\) needs a count from 1 to {2**63 - 1}, got {step}"):
        Stream.just(1).sliding(2, step)


@pytest.mark.parametrize("wrong", ["3", 2.0, None, True])
def test_what_is_no_integer_is_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"sliding\(size\) needs an integer"):
        Stream.just(1).sliding(wrong)
    with pytest.raises(ArgumentTypeError, match=r"sliding\(step\) needs an integer"):
        Stream.just(1).sliding(2, wrong)


def test_huge_step_leaves_out_all_that_follows() -> None:
    assert Stream.range(100).sliding(2, 2**63 - 1).to_list() == [(0, 1)]


def test_call_is_written_as_one_would_write_it() -> None:
    assert str(pipeline().sliding(3).sliding(3, 2).pairwise()) == "pipeline().sliding(3).sliding(3, 2).pairwise()"
