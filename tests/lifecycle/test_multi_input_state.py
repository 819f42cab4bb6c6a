"""What is saved of operators with several inputs, and what is refused."""

from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream
from reactivestreams.errors import StateError
from reactivestreams.lifecycle import DefaultOperatorContext, initialize_tree
from reactivestreams.state import SnapshotReader, load_nodes, save_tree
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import zipped
from tests.lifecycle.merging_node import Merging, bound
from tests.lifecycle.snapshot_records import VERSION, records_in, saved_records, snapshot_of


def restored(data: bytes, streams: list[Stream[Any]], subscriber: RecordingSubscriber) -> Any:
    handle = zipped(*streams).bind(subscriber)
    initialize_tree(handle, None, snapshot=SnapshotReader(data))
    return handle


@pytest.mark.parametrize("position", range(5))
def test_operator_is_saved_with_its_inputs_and_goes_on(position: int) -> None:
    streams: list[Stream[Any]] = [
        Stream.range(4),
        Stream.range(10, 15),
        Stream.range(20, 29).observe_on(ImmediateScheduler()),
    ]
    before = RecordingSubscriber()
    handle = zipped(*streams).bind(before)
    handle.initialize()
    if position:
        before.request(position)
    data = save_tree(handle)
    after = RecordingSubscriber(first_request=UNBOUNDED)
    again = restored(data, streams, after)
    assert before.elements + after.elements == [(number, number + 10, number + 20) for number in range(4)]
    assert (after.is_complete or before.is_complete, after.faults) == (True, [])
    handle.dispose()
    again.dispose()


def test_signals_that_wait_for_their_hooks_are_saved_and_handled_first_after_recovery() -> None:
    host, other = ManualScheduler(), ManualScheduler()
    stream = Stream.just(1, 2, 3).observe_on(other)
    open_at_elements: list[bool] = []

    class Noting(Merging):
        def on_next(self, index: int, element: Any) -> None:
            open_at_elements.append(self.is_input_open(0))
            super().on_next(index, element)

    node = Merging(RecordingSubscriber(first_request=UNBOUNDED), stream, window=3)
    initialize_tree(node, DefaultOperatorContext("rx://query", host))
    host.run_waiting()
    other.run_waiting()
    data = save_tree(node)
    assert records_in(data)[0][2] == [False, [(0, 0, 1), (0, 0, 2), (0, 0, 3), (1, 0, None)], [0], [], None]
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    initialize_tree(Noting(subscriber, stream, window=3), None, snapshot=SnapshotReader(data))
    assert (subscriber.outcome, open_at_elements) == (([1, 2, 3], "complete"), [True, True, True])
    node.dispose()


@pytest.mark.parametrize("fields", [[False, [], [2], [], None], [False, [(0, 2, "x")], [], [], None]])
def test_state_of_more_inputs_than_there_are_is_refused(fields: list[Any]) -> None:
    node = Merging(RecordingSubscriber(), Stream.never(), Stream.never())
    with pytest.raises(StateError) as refused:
        load_nodes(node, snapshot_of(("test/merging", VERSION, fields)))
    assert f"(test/merging at /), field 3: {node!r} was saved with 3 inputs or more, sources() returns 2; " in str(
        refused.value
    )


@pytest.mark.parametrize(
    "fields",
    [
        [False, [(0, 0)], [], [], None],
        [False, [[0, 0, 1]], [], [], None],
        [False, [(3, 0, 1)], [], [], None],
        [False, [(0.0, 0, 1)], [], [], None],
        [False, [(0, True, 1)], [], [], None],
        [False, [(0, -1, 1)], [], [], None],
        [False, [(0, 0, None)], [], [], None],
        [False, [(1, 0, "end")], [0], [], None],
        [False, [(1, 0, None)], [], [], None],
        [False, [(1, 0, None), (2, 0, ValueError())], [0], [], None],
        [False, [], [1, 0], [], None],
        [False, [], [0, 0], [], None],
        [False, [], [-1], [], None],
        [False, [], [False], [], None],
        [False, [], [], [None], None],
        [False, [], [], [], ()],
        [False, [], [], [], ("end",)],
        [False, [], [], [], (None, None)],
    ],
)
def test_state_that_no_operator_saved_is_refused(fields: list[Any]) -> None:
    node = Merging(RecordingSubscriber(), Stream.never(), Stream.never())
    with pytest.raises(StateError, match=r"\(test/merging at /\), field \d: <.* cannot load .* as ") as refused:
        load_nodes(node, snapshot_of(("test/merging", VERSION, fields)))
    assert "drop the state of this operator" in str(refused.value)


def test_elements_that_wait_for_demand_and_the_end_behind_them_are_saved() -> None:
    subscriber = RecordingSubscriber()
    node = Merging(
        subscriber, Stream.just(1), actions={"on_next": lambda: node.emit(2), "on_complete": lambda: node.emit(3)}
    )
    bound(node)
    node.request(2)
    subscriber.requested = 2
    _, _, fields = saved_records(node)[0]
    assert (subscriber.elements, fields) == ([1, 2], [False, [], [0], [3], (None,)])


def test_signals_that_are_held_back_behind_an_element_that_waits_for_demand_are_saved() -> None:
    subscriber = RecordingSubscriber()
    node = bound(Merging(subscriber, Stream.just(1, 2, 3), window=3))
    node.request(1)
    subscriber.requested = 1
    _, _, fields = saved_records(node)[0]
    assert (subscriber.elements, fields) == ([1], [False, [(0, 0, 3), (1, 0, None)], [0], [2], None])


def test_operator_is_not_saved_while_elements_flow() -> None:
    refusals: list[str] = []

    class Saving(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            with pytest.raises(StateError) as refused:
                save_tree(node)
            refusals.append(str(refused.value))
            super().on_next(element)

    node = Merging(Saving(first_request=1), Stream.just(1))
    bound(node)
    assert len(refusals) == 1
    assert "while elements flow; pause its stream or wait until it is idle" in refusals[0]
