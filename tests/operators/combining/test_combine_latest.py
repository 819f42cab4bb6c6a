"""combine_latest: tuples of the latest elements; what it shares with others is in test_several_inputs."""

import pytest

from reactivestreams import Stream
from tests.contracts.recording_subscriber import UNBOUNDED
from tests.operators.combining.test_several_inputs import of_manual


def test_latest_ones_are_combined_once_all_are_there() -> None:
    inputs, subscriber = of_manual("combine_latest", 2)
    subscriber.request(UNBOUNDED)
    inputs[0].send(1, 2)
    inputs[1].send("a", "b")
    inputs[0].send(3)
    inputs[0].complete()
    inputs[1].send("c")
    inputs[1].complete()
    assert subscriber.outcome == ([(2, "a"), (2, "b"), (3, "b"), (3, "c")], "complete")


def test_input_without_an_element_completes_the_latest() -> None:
    inputs, subscriber = of_manual("combine_latest", 3)
    subscriber.request(UNBOUNDED)
    inputs[0].send(1)
    inputs[1].complete()
    assert subscriber.outcome == ([], "complete")
    assert [each.cancels for each in inputs] == [1, 0, 1]


@pytest.mark.parametrize("count", range(2, 17))
def test_each_subscription_combines_anew(count: int) -> None:
    stream = Stream.just(0).combine_latest(*([number] for number in range(1, count)))
    assert stream.to_list() == stream.to_list() == [tuple(range(count))]
