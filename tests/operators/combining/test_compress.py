"""compress: the elements beside which another stream has a true one."""

import itertools
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract

SELECTORS = [1, 0, "yes", "", [0], [], 1, 1, None, 0.0, 5, True, 1, 1]


class TestCompress(OperatorContract, StateContract):
    reads_ahead = 4

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().compress(SELECTORS, prefetch=4)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(itertools.compress(elements, SELECTORS))


class TestCompressByAStream(OperatorContract, StateContract):
    reads_ahead = 4

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().compress(Stream.range(50).map(lambda n: n % 3), prefetch=4)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return [each for place, each in enumerate(elements) if place % 3]


@pytest.mark.parametrize("counts", [(0, 3), (3, 0), (3, 5), (5, 3)])
def test_shortest_input_ends_the_stream(counts: tuple[int, int]) -> None:
    elements, selectors = counts
    assert Stream.range(elements).compress([1] * selectors).to_list() == list(range(min(counts)))


@pytest.mark.parametrize("failing", [0, 1])
def test_error_of_either_comes_after_its_elements_and_cancels_the_other(failing: int) -> None:
    inputs, subscriber = [ManualPublisher(), ManualPublisher()], RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(inputs[0]).compress(Stream.from_publisher(inputs[1])).subscribe(subscriber)
    inputs[failing].send(7)
    inputs[failing].fail(ValueError("why"))
    inputs[1 - failing].send(7)
    assert subscriber.outcome == ([7], "ValueError('why')")
    assert inputs[1 - failing].cancels == 1


@pytest.mark.parametrize("position", [0, 1, 4])
def test_selector_without_a_truth_ends_the_stream(position: int) -> None:
    class Neither:
        def __bool__(self) -> bool:
            raise ValueError("neither")

    selectors = [1] * position + [Neither()] + [1] * 3
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(9).compress(selectors).subscribe(subscriber)
    assert subscriber.outcome == (list(range(position)), "ValueError('neither')")


def test_element_that_is_left_out_costs_no_demand() -> None:
    subscriber = RecordingSubscriber(first_request=2)
    Stream.range(9).compress([0, 0, 1, 0, 1, 1, 1]).subscribe(subscriber)
    assert subscriber.elements == [2, 4]


@pytest.mark.parametrize("selectors", [None, 3, pipeline().map(str)], ids=repr)
def test_selectors_that_are_no_source_are_refused(selectors: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^compress\(selectors\) needs a stream, a publisher, an iterable"):
        Stream.range(3).compress(selectors)


def test_prefetch_out_of_bounds_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"compress\(prefetch\) needs a count from 1 to 16777216, got 0"):
        Stream.range(3).compress([], prefetch=0)
