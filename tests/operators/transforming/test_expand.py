"""expand: a tree, level by level."""

from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract
from tests.operators.recovering.contracts import resumes_everywhere


def children(number: int) -> list[int]:
    return [10 * number, 10 * number + 1] if 0 < number < 100 else []


LEVELS = [1, 2, 10, 11, 20, 21, 100, 101, 110, 111, 200, 201, 210, 211]


class TestExpandOfNothing(OperatorContract, StateContract, SerializableContract):
    reads_ahead = 3

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().expand(lambda _: (), prefetch=3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


@pytest.mark.parametrize("kind", [list, iter, Stream.from_iterable, lambda found: Stream.from_iterable(found).map(int)])
@pytest.mark.parametrize("first_request", [1, 3, UNBOUNDED])
def test_tree_comes_level_by_level(kind: Any, first_request: int) -> None:
    subscriber = RecordingSubscriber(first_request=first_request, then_request=1)
    Stream.just(1, 2).expand(lambda number: kind(children(number))).subscribe(subscriber)
    assert subscriber.outcome == (LEVELS, "complete")


@pytest.mark.parametrize("concurrency", [2, 8])
def test_streams_beside_each_other_bring_the_whole_tree(concurrency: int) -> None:
    stream = Stream.just(1, 2).expand(lambda number: Stream.from_iterable(children(number)), concurrency=concurrency)
    assert sorted(stream.to_list()) == LEVELS


def test_long_source_comes_before_its_children() -> None:
    assert Stream.range(1, 99).expand(lambda n: (-n,) if n > 0 else ()).to_list() == [
        *range(1, 99),
        *range(-1, -99, -1),
    ]


def test_source_that_is_silent_lets_its_children_come() -> None:
    source, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(source).expand(children).subscribe(subscriber)
    source.send(60)
    assert subscriber.outcome == ([60, 600, 601], "open")
    source.send(70)
    source.complete()
    assert subscriber.outcome == ([60, 600, 601, 70, 700, 701], "complete")


def test_no_more_streams_run_than_are_allowed() -> None:
    inner = [ManualPublisher() for _ in range(5)]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.range(5).expand(lambda n: inner[n], concurrency=2).subscribe(subscriber)
    assert [publisher.requested > 0 for publisher in inner] == [True, True, False, False, False]
    inner[1].complete()
    assert [publisher.requested > 0 for publisher in inner] == [True, True, True, False, False]
    inner[0].fail(OSError("x"))
    assert subscriber.outcome == ([0, 1, 2, 3, 4], "OSError('x')")
    assert inner[2].cancels == 1


def test_endless_chain_is_read_as_far_as_demanded() -> None:
    called: list[int] = []

    def following(number: int) -> tuple[int]:
        called.append(number)
        return (number + 1,)

    assert Stream.just(0).expand(following).take(100_000).count() == 100_000
    assert len(called) <= 100_000


def test_more_waiting_elements_than_allowed_end_the_stream() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(0).expand(lambda _: (1, 2, 3), max_waiting=5).subscribe(subscriber)
    assert subscriber.elements == [0, 1, 2, 3, 1, 2, 3, 1]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error).startswith(
        "expand(max_waiting) allows 5 elements that wait for a call of the function"
    )


@pytest.mark.parametrize("failing", [1, 10, 21])
def test_function_that_raises_ends_the_stream(failing: int) -> None:
    def function(number: int) -> list[int]:
        return children(number) if number != failing else [1 // 0]

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.just(1, 2).expand(function).subscribe(subscriber)
    assert subscriber.elements == LEVELS[: len(subscriber.elements)]
    assert isinstance(subscriber.error, ZeroDivisionError)


def test_cancel_reaches_all_streams() -> None:
    source, inner = ManualPublisher(), ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(source).expand(lambda _: inner).subscribe(subscriber)
    source.send(1)
    subscriber.cancel()
    assert (source.cancels, inner.cancels) == (1, 1)


@pytest.mark.parametrize("prefetch", [1, 2, 32])
def test_state_is_loaded_at_each_element(prefetch: int) -> None:
    stream = Stream.just(1, 2).expand(lambda number: Stream.from_iterable(children(number)).map(int), prefetch=prefetch)
    resumes_everywhere(stream, LEVELS)


@pytest.mark.parametrize("bound", ["concurrency", "max_waiting", "prefetch"])
@pytest.mark.parametrize("count", [0, -1, 2**24 + 1])
def test_bound_out_of_range_is_refused_when_the_stream_is_built(bound: str, count: int) -> None:
    with pytest.raises(ArgumentError, match=rf"expand\({bound}\) needs a count from 1 to {2**24}, got {count}"):
        Stream.just(1).expand(children, **{bound: count})


def test_function_that_is_not_callable_is_refused_when_the_stream_is_built() -> None:
    with pytest.raises(ArgumentTypeError, match=r"expand\(function\) needs a callable"):
        Stream.just(1).expand(None)  # type: ignore[arg-type]


def test_call_is_written_as_it_was_made() -> None:
    written = repr(Stream.just(1).expand(children, concurrency=2, max_waiting=9, prefetch=4))
    assert "expand(children, concurrency=2, max_waiting=9, prefetch=4)" in written
