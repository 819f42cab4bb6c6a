"""buffer_when: lists of the elements between two elements of another stream."""

from itertools import chain
from typing import Any

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.schedulers import WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import StateContract


class TestBufferWhenNever(OperatorContract, StateContract):
    """All elements in the list that goes out with the completion."""

    reads_ahead = 12

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().buffer_when(Stream.never(), prefetch=3)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []

    def left_over(self, elements: list[Any]) -> list[Any]:
        return [elements] if elements else []

    test_state_is_not_saved_while_elements_flow = None  # type: ignore[assignment]  # the list comes with the end


def of_manual(
    request: int = UNBOUNDED, **arguments: Any
) -> tuple[ManualPublisher, ManualPublisher, RecordingSubscriber]:
    main, boundary, subscriber = ManualPublisher(), ManualPublisher(), RecordingSubscriber(first_request=request)
    Stream.from_publisher(main).buffer_when(Stream.from_publisher(boundary), **arguments).subscribe(subscriber)
    return main, boundary, subscriber


def test_each_element_of_the_boundary_ends_a_list() -> None:
    main, boundary, subscriber = of_manual()
    main.send(1, 2)
    boundary.send("tick")
    boundary.send("tick")
    main.send(3)
    boundary.send("tick")
    assert subscriber.outcome == ([[1, 2], [], [3]], "open")


@pytest.mark.parametrize("rest", [[], [3, 4]])
@pytest.mark.parametrize("first", ["main", "boundary"])
def test_completion_of_either_passes_the_rest_on(rest: list[int], first: str) -> None:
    main, boundary, subscriber = of_manual()
    main.send(1)
    boundary.send("tick")
    main.send(*rest)
    (main if first == "main" else boundary).complete()
    assert subscriber.outcome == ([[1], rest] if rest else [[1]], "complete")
    assert (boundary if first == "main" else main).cancels == 1


@pytest.mark.parametrize("first", ["main", "boundary"])
def test_rest_waits_for_a_request(first: str) -> None:
    main, boundary, subscriber = of_manual(1)
    main.send(1)
    boundary.send("tick")
    main.send(2, 3)
    (main if first == "main" else boundary).complete()
    assert subscriber.outcome == ([[1]], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([[1], [2, 3]], "complete")


@pytest.mark.parametrize("failing", ["main", "boundary"])
def test_error_of_either_gives_up_the_list(failing: str) -> None:
    main, boundary, subscriber = of_manual()
    main.send(1)
    (main if failing == "main" else boundary).fail(ValueError("why"))
    assert subscriber.outcome == ([], "ValueError('why')")
    assert (boundary if failing == "main" else main).cancels == 1


def test_without_demand_boundaries_wait() -> None:
    main, boundary, subscriber = of_manual(0)
    main.send(1)
    boundary.send("tick")
    boundary.send("tick")
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.elements == [[1]]
    subscriber.request(1)
    assert subscriber.elements == [[1], []]


def test_full_list_waits_for_the_boundary_and_the_upstream_with_it() -> None:
    main, boundary, subscriber = of_manual(max_elements=3, prefetch=4)
    main.send(*range(4))
    main.send(4, 5)
    assert main.requested < 8
    boundary.send("tick")
    assert subscriber.elements == [[0, 1, 2]]
    boundary.send("tick")
    assert subscriber.elements == [[0, 1, 2], [3, 4, 5]]
    assert main.requested >= 8


def test_no_more_than_the_prefetch_is_requested_of_an_input() -> None:
    main, boundary, _ = of_manual(0, prefetch=4)
    assert (main.requested, boundary.requested) == (4, 4)


def test_cancel_reaches_both_inputs() -> None:
    main, boundary, subscriber = of_manual()
    main.send(1)
    subscriber.cancel()
    assert (main.cancels, boundary.cancels) == (1, 1)
    assert subscriber.outcome == ([], "open")


def test_last_list_that_fails_below_ends_with_the_error_only() -> None:
    main, subscriber = ManualPublisher(), RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(main).buffer_when(Stream.never()).map(lambda each: each[5]).subscribe(subscriber)
    main.send(1)
    main.complete()
    assert isinstance(subscriber.error, IndexError)


Actions = list[tuple[str, int]]

SCRIPT: Actions = [
    *[("main", 1), ("main", 2), ("boundary", 0), ("main", 3), ("boundary", 0), ("boundary", 0), ("main", 4)],
    *[("main", 5), ("boundary", 0), ("main", 6), ("end", 0)],
]


def played(inputs: dict[str, ManualPublisher], actions: Actions) -> None:
    for name, number in actions:
        if name == "end":
            inputs["main"].complete()
        else:
            inputs[name].send(number)


@pytest.mark.parametrize("requested", [0, 1, 2, 4, UNBOUNDED])
@pytest.mark.parametrize("position", range(len(SCRIPT)))
def test_state_is_saved_and_loaded_at_every_signal(position: int, requested: int) -> None:
    def assembled(subscriber: Any) -> tuple[Any, dict[str, ManualPublisher]]:
        inputs = {"main": ManualPublisher(), "boundary": ManualPublisher()}
        main, boundary = (Stream.from_publisher(each, recovery="exact") for each in inputs.values())
        return main.buffer_when(boundary).bind(subscriber), inputs

    before, after = RecordingSubscriber(first_request=requested), RecordingSubscriber(first_request=UNBOUNDED)
    handle, inputs = assembled(before)
    handle.initialize()
    played(inputs, SCRIPT[:position])
    recovered, others = assembled(after)
    load_tree(recovered, save_tree(handle))
    recovered.initialize()
    played(others, SCRIPT[position:])
    assert after.outcome[1] == "complete"
    assert list(chain.from_iterable(before.elements + after.elements)) == [1, 2, 3, 4, 5, 6]
    if requested == UNBOUNDED:
        assert before.elements + after.elements == [[1, 2], [3], [], [4, 5], [6]]


def test_rest_that_waits_for_demand_is_saved_and_loaded() -> None:
    def assembled(subscriber: Any, boundary: ManualPublisher) -> Any:
        ticks = Stream.from_publisher(boundary, recovery="exact")
        return Stream.range(3).buffer_when(ticks).bind(subscriber)

    boundary, before, after = ManualPublisher(), RecordingSubscriber(), RecordingSubscriber()
    handle = assembled(before, boundary)
    handle.initialize()
    boundary.complete()
    assert before.outcome == ([], "open")
    recovered = assembled(after, ManualPublisher())
    load_tree(recovered, save_tree(handle))
    recovered.initialize()
    for subscriber in (before, after):
        assert subscriber.outcome == ([], "open")
        subscriber.request(1)
        assert subscriber.outcome == ([[0, 1, 2]], "complete")


def test_state_of_a_longer_list_is_refused() -> None:
    handle = Stream.range(9).concat_with(Stream.never()).buffer_when(Stream.never()).bind(RecordingSubscriber())
    handle.initialize()
    handle.request(1)
    other = Stream.range(9).concat_with(Stream.never()).buffer_when(Stream.never(), max_elements=4)
    with pytest.raises(StateError, match="cannot load 9 elements into lists of 4; load the state with the bound"):
        load_tree(other.bind(RecordingSubscriber()), save_tree(handle))


def test_inputs_in_other_threads_lose_nothing() -> None:
    with WorkerScheduler(name="a") as a, WorkerScheduler(name="b") as b:
        numbers = Stream.range(5_000).observe_on(a, prefetch=32)
        lists = numbers.buffer_when(Stream.range(10**9).observe_on(b, prefetch=32)).to_list(timeout_seconds=60)
    assert list(chain.from_iterable(lists)) == list(range(5_000))


@pytest.mark.parametrize("boundary", [None, 3, pipeline().map(str)], ids=repr)
def test_boundary_that_is_no_source_is_refused(boundary: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"^buffer_when\(boundary\) needs a stream, a publisher, an iterable"):
        Stream.range(3).buffer_when(boundary)


@pytest.mark.parametrize("name", ["max_elements", "prefetch"])
def test_bounds_out_of_bounds_are_refused(name: str) -> None:
    with pytest.raises(ArgumentError, match=rf"buffer_when\({name}\) needs a count from 1 to 16777216, got 0"):
        Stream.range(3).buffer_when([], **{name: 0})  # type: ignore[arg-type]


def test_call_is_written_as_one_would_write_it() -> None:
    described = str(pipeline().buffer_when(Stream.never(), max_elements=5, prefetch=1))
    assert described.startswith("pipeline().buffer_when(")
    assert described.endswith(", max_elements=5, prefetch=1)")
