"""The state visitor: who is asked, in which order, and a recovery from end to end."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, StateError
from reactivestreams.lifecycle import (
    StateVisitor,
    TransitioningOperator,
    initialize_tree,
    set_tree_context,
    start_tree,
    subscribe_tree,
)
from reactivestreams.state import SnapshotReader, SnapshotWriter, has_tree_changed, load_nodes, load_tree, save_tree
from rs_core.ends.subscriber import SubscriberStage
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.lifecycle.plain_nodes import Log, PlainNode, StatefulNode, subscribed
from tests.lifecycle.snapshot_records import VERSION, records_in, saved_records, snapshot_of


def family(log: Log) -> PlainNode:
    """p has the inputs c1 and c2, c1 has g1; all but p have state, the values 1, 2 and 3 in the order of a walk."""
    grandchild = StatefulNode("g1", log=log, value=2)
    children = StatefulNode("c1", grandchild, log=log, value=1), StatefulNode("c2", log=log, value=3)
    return subscribed(PlainNode("p", *children, log=log))


def nodes_with_state(tree: PlainNode) -> list[Any]:
    first, last = tree.inputs
    (grandchild,) = first.inputs  # type: ignore[attr-defined]
    return [first, grandchild, last]


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_subscription_is_refused(refused: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"StateVisitor\(subscription\) needs a subscription, got"):
        StateVisitor(refused)


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_snapshot_is_refused(refused: Any) -> None:
    visitor = StateVisitor(family([]))
    with pytest.raises(ArgumentTypeError, match=r"save_state\(snapshot\) needs a SnapshotWriter, got"):
        visitor.save_state(refused)
    with pytest.raises(ArgumentTypeError, match=r"load_state\(snapshot\) needs a SnapshotReader, got"):
        visitor.load_state(refused)


def test_nodes_without_state_are_skipped_and_the_others_have_their_records_in_the_order_of_the_walk() -> None:
    log: Log = []
    snapshot = SnapshotWriter()
    StateVisitor(family(log)).save_state(snapshot)
    assert log == [("c1", "save_state"), ("g1", "save_state"), ("c2", "save_state")]
    assert records_in(snapshot.finish()) == [("c1", VERSION, [1]), ("g1", VERSION, [2]), ("c2", VERSION, [3])]


def test_each_node_is_loaded_from_its_record() -> None:
    log: Log = []
    tree = family(log)
    StateVisitor(tree).load_state(snapshot_of(*((name, VERSION, [name * 2]) for name in ("c1", "g1", "c2"))))
    assert log == [("c1", "load_state"), ("g1", "load_state"), ("c2", "load_state")]
    assert [node.value for node in nodes_with_state(tree)] == ["c1c1", "g1g1", "c2c2"]


def test_search_for_changes_stops_at_the_first_node_that_has_some() -> None:
    log: Log = []
    tree = family(log)
    first, _, _ = nodes_with_state(tree)
    first.is_changed = False
    assert StateVisitor(tree).has_state_changed() is True
    assert log == [("c1", "state_changed"), ("g1", "state_changed")]


def test_tree_without_a_change_is_searched_to_its_end() -> None:
    log: Log = []
    tree = family(log)
    for node in nodes_with_state(tree):
        node.is_changed = False
    assert StateVisitor(tree).has_state_changed() is False
    assert [name for name, _ in log] == ["c1", "g1", "c2"]


def test_all_nodes_with_state_learn_that_it_was_saved() -> None:
    log: Log = []
    tree = family(log)
    StateVisitor(tree).on_state_saved()
    assert log == [("c1", "on_state_saved"), ("g1", "on_state_saved"), ("c2", "on_state_saved")]
    assert has_tree_changed(tree) is False


def test_what_a_node_raises_leaves_those_behind_it_unloaded() -> None:
    tree = family([])
    with pytest.raises(StateError, match="the record is that of 'c2', not of 'g1'"):
        load_nodes(tree, snapshot_of(("c1", VERSION, [10]), ("c2", VERSION, [30])))
    assert [node.value for node in nodes_with_state(tree)] == [10, 2, 3]


def test_transitioning_node_without_a_record_stays_as_it_is_and_the_next_one_gets_it() -> None:
    class Transitioning(StatefulNode, TransitioningOperator):
        pass

    log: Log = []
    new = Transitioning("new", StatefulNode("old", log=log), log=log, value="fresh")
    tree = subscribed(new)
    load_nodes(tree, snapshot_of(("old", VERSION, [5])))
    (old,) = tree.inputs
    assert (new.value, old.value) == ("fresh", 5)  # type: ignore[attr-defined]
    assert has_tree_changed(new) is True


def test_inputs_that_a_node_makes_while_it_is_loaded_are_loaded_next() -> None:
    log: Log = []

    class Growing(StatefulNode):
        def load_state(self, reader: Any, version: Any, /) -> None:
            super().load_state(reader, version)
            self.subscribe()

    inner = StatefulNode("inner", log=log)
    load_nodes(Growing("outer", inner, log=log), snapshot_of(("outer", VERSION, [1]), ("inner", VERSION, [2])))
    assert inner.value == 2


def test_end_of_a_stream_has_a_record_without_a_name() -> None:
    handle = Stream.range(3).take(2).bind(RecordingSubscriber())
    handle.initialize()
    names = [name for name, _, _ in records_in(save_tree(handle))]
    assert names == ["", "rx://operators/take", "rx://sources/range"]
    handle.dispose()


def test_trees_may_share_a_snapshot() -> None:
    log: Log = []
    snapshot = SnapshotWriter()
    for value in (1, 2):
        StateVisitor(StatefulNode("node", log=log, value=value)).save_state(snapshot)
    reading = SnapshotReader(snapshot.finish())
    nodes = [StatefulNode("node", log=log), StatefulNode("node", log=log)]
    for node in nodes:
        StateVisitor(node).load_state(reading)
    reading.finish()
    assert [node.value for node in nodes] == [1, 2]


def taking_five(subscriber: RecordingSubscriber) -> SubscriberStage:
    return Stream.range(9).take(5).bind(subscriber)


def test_stream_that_takes_five_is_saved_loaded_and_goes_on() -> None:
    before = RecordingSubscriber(first_request=2)
    handle = taking_five(before)
    initialize_tree(handle, None)
    state = StateVisitor(handle)
    assert state.has_state_changed() is True  # it was never saved
    snapshot = SnapshotWriter()
    state.save_state(snapshot)
    assert state.has_state_changed() is True  # saved, and not yet stored
    state.on_state_saved()
    assert state.has_state_changed() is False
    before.request(1)
    assert state.has_state_changed() is True  # an element came
    after = RecordingSubscriber(first_request=9)
    recovered = taking_five(after)
    subscribe_tree(recovered)
    set_tree_context(recovered, None)
    load_tree(recovered, snapshot.finish())
    assert has_tree_changed(recovered) is False
    start_tree(recovered)
    assert (before.elements[:2] + after.elements, after.is_complete) == ([0, 1, 2, 3, 4], True)
    handle.dispose()


def test_part_that_is_over_is_saved_as_disposed() -> None:
    subscriber = RecordingSubscriber(first_request=5)
    handle = taking_five(subscriber)
    initialize_tree(handle, None)
    assert subscriber.is_complete
    assert [fields[0] for _, _, fields in saved_records(handle)] == [True, True]
    again = RecordingSubscriber(first_request=5)
    initialize_tree(taking_five(again), None, snapshot=SnapshotReader(save_tree(handle)))
    assert (again.elements, again.has_ended) == ([], False)
