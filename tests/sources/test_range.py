"""range: integers, counted by the core where they fit into 64 bits and by Python where they do not."""

from itertools import islice
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.sources import FromIterable, Range
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, start

LEAST, MOST = -(2**63), 2**63 - 1


@pytest.mark.parametrize(
    "arguments", [(0,), (5,), (-5,), (2, 8), (8, 2), (2, 8, 3), (8, 2, -3), (0, 1, 100), (5, 5, -1), (3, -4, -1)]
)
def test_range_is_that_of_the_built_in(arguments: tuple[int, ...]) -> None:
    assert Stream.range(*arguments).to_list() == list(range(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [
        (MOST - 2, MOST),
        (LEAST, LEAST + 2),
        (LEAST + 2, LEAST, -1),
        (MOST, MOST - 2, -1),
        (0, MOST, MOST // 2),
        (0, MOST, MOST),
        (0, 1, MOST),
    ],
)
def test_range_at_the_edges_of_64_bits_is_counted_by_the_core(arguments: tuple[int, ...]) -> None:
    stream = Stream.range(*arguments)
    assert stream.definition is Range
    assert stream.to_list() == list(range(*arguments))


@pytest.mark.parametrize(
    "arguments",
    [(MOST - 1, MOST + 3), (LEAST - 3, LEAST), (2**70, 2**70 + 4), (-(2**70), -(2**70) - 4, -1), (0, 2**66, 2**65)],
)
def test_range_beyond_64_bits_is_counted_by_python(arguments: tuple[int, ...]) -> None:
    stream = Stream.range(*arguments)
    assert stream.definition is FromIterable
    assert stream.to_list() == list(range(*arguments))


@pytest.mark.parametrize("values", [range(2**70), range(LEAST, MOST), range(0, -(2**70), -1)])
def test_range_of_more_than_64_bits_can_count_is_sent_one_by_one(values: range) -> None:
    stream = Stream.range(values.start, values.stop, values.step)
    assert stream.take(3).to_list() == list(values[:3])
    assert list(islice(stream, 3)) == list(values[:3])


def test_step_without_a_stop_counts_from_zero() -> None:
    assert Stream.range(7, step=3).to_list() == [0, 3, 6]


def test_end_comes_with_the_last_integer() -> None:
    subscriber = RecordingSubscriber(first_request=3)
    Stream.range(3).subscribe(subscriber)
    assert subscriber.outcome == ([0, 1, 2], "complete")


def test_empty_range_completes_without_demand() -> None:
    subscriber = RecordingSubscriber()
    Stream.range(0).subscribe(subscriber)
    assert subscriber.outcome == ([], "complete")


@pytest.mark.parametrize("arguments", [(10,), (0, 10, 3), (10, 0, -3), (MOST - 3, MOST)])
def test_range_resumes_after_every_integer(arguments: tuple[int, ...]) -> None:
    expected = list(range(*arguments))
    for position in range(len(expected) + 1):
        before = RecordingSubscriber(first_request=position)
        handle = Stream.range(*arguments).bind(before)
        handle.initialize()
        after = RecordingSubscriber(first_request=UNBOUNDED)
        start(Stream.range(*arguments).bind(after), save(handle))
        assert before.elements + after.elements == expected
        assert before.is_complete or after.is_complete


@pytest.mark.parametrize("bad", ["3", 2.0, None])
def test_bound_that_is_no_integer_is_refused_when_the_stream_is_built(bad: Any) -> None:
    with pytest.raises(TypeError, match=r"^range\(start, stop, step\) needs integers, got "):
        Stream.range(bad)


def test_step_of_zero_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ValueError, match=r"^range\(step\) needs an integer that is not 0, got 0"):
        Stream.range(0, 5, 0)
