"""merge_sorted: sorted streams as one; what it shares with others of several inputs is in test_several_inputs.py."""

import heapq
import operator
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract
from tests.operators.combining.test_several_inputs import of_manual
from tests.operators.recovering.contracts import resumes_everywhere


class TestMergeSortedWithNothing(OperatorContract, StateContract):
    reads_ahead = 3

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().merge_sorted((), prefetch=3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


@pytest.mark.parametrize("prefetch", [1, 2, 128])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_result_is_that_of_a_heap(count: int, prefetch: int) -> None:
    inputs = [[(n * n + 7 * number) % 50 for n in range(20 + number)] for number in range(count)]
    inputs = [sorted(each) for each in inputs]
    merged = Stream.from_iterable(inputs[0]).merge_sorted(*inputs[1:], prefetch=prefetch)
    assert merged.to_list() == list(heapq.merge(*inputs))


def test_equal_elements_come_in_the_order_of_the_inputs() -> None:
    letters = Stream.just((1, "a"), (2, "a")).merge_sorted([(1, "b"), (1, "c"), (2, "b")], key=operator.itemgetter(0))
    assert letters.to_list() == [(1, "a"), (1, "b"), (1, "c"), (2, "a"), (2, "b")]


def test_element_waits_for_the_next_of_each_input() -> None:
    inputs, subscriber = of_manual("merge_sorted", 2)
    subscriber.request(UNBOUNDED)
    inputs[0].send(1, 5)
    assert subscriber.elements == []
    inputs[1].send(3)
    assert subscriber.elements == [1, 3]
    inputs[1].complete()
    assert subscriber.elements == [1, 3, 5]
    inputs[0].complete()
    assert subscriber.outcome == ([1, 3, 5], "complete")


def test_key_is_called_once_for_each_element() -> None:
    called: list[int] = []

    def key(element: int) -> int:
        called.append(element)
        return -element

    assert Stream.just(9, 4).merge_sorted([7, 1], key=key).to_list() == [9, 7, 4, 1]
    assert sorted(called) == [1, 4, 7, 9]


@pytest.mark.parametrize("failing", range(4))
def test_key_that_raises_ends_the_stream(failing: int) -> None:
    def key(element: int) -> float:
        return element / (element - failing)

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(0, 2).merge_sorted([1, 3], key=key).subscribe(subscriber)
    assert isinstance(subscriber.error, ZeroDivisionError)
    assert "in rx://operators/merge_sorted, assembled at" in subscriber.error.__notes__[0]


def test_elements_that_cannot_be_compared_end_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1).merge_sorted(["a"]).subscribe(subscriber)
    assert isinstance(subscriber.error, TypeError)


def test_state_is_loaded_at_each_element() -> None:
    resumes_everywhere(
        Stream.range(0, 9).merge_sorted(range(1, 5), [3, 3, 20]), sorted([*range(9), 1, 2, 3, 4, 3, 3, 20])
    )


def test_key_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"merge_sorted\(key\) needs a callable, got 1 \(int\)"):
        Stream.just(1).merge_sorted([2], key=1)  # type: ignore[arg-type]
