"""The state visitor: who is asked, in which order, and a recovery from end to end."""

from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, StateError
from reactivestreams.lifecycle import (
    StateVisitor,
    TransitioningOperator,
    has_tree_state_changed,
    initialize_tree,
    load_tree_state,
    save_tree_state,
    set_tree_context,
    start_tree,
    subscribe_tree,
    tree_state_was_saved,
)
from rs_core.subscriber_stage import SubscriberStage
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.lifecycle.listed_records import ListedRecords, ReadRecords
from tests.lifecycle.plain_nodes import Log, PlainNode, StatefulNode, subscribed

VERSION = (1, 0, 0, 0)


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
    for refusing in (
        StateVisitor,
        has_tree_state_changed,
        tree_state_was_saved,
        lambda tree: save_tree_state(tree, ListedRecords()),
        lambda tree: load_tree_state(tree, ReadRecords([])),
    ):
        with pytest.raises(ArgumentTypeError, match=r"subscription\) needs a subscription, got"):
            refusing(refused)


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_factory_is_refused(refused: Any) -> None:
    visitor = StateVisitor(family([]))
    with pytest.raises(ArgumentTypeError, match=r"needs a StateWriterFactory, got .*create\(node\)"):
        visitor.save_state(refused)
    with pytest.raises(ArgumentTypeError, match=r"needs a StateReaderFactory, got .*create\(node\)"):
        visitor.load_state(refused)


def test_nodes_without_state_are_skipped_and_the_others_have_their_records_in_the_order_of_the_walk() -> None:
    log: Log = []
    records = ListedRecords()
    StateVisitor(family(log)).save_state(records)
    assert log == [("c1", "save_state"), ("g1", "save_state"), ("c2", "save_state")]
    assert records.records == [("c1", VERSION, [1]), ("g1", VERSION, [2]), ("c2", VERSION, [3])]


def test_each_node_is_loaded_from_its_record() -> None:
    log: Log = []
    tree = family(log)
    StateVisitor(tree).load_state(ReadRecords([(name, VERSION, [name * 2]) for name in ("c1", "g1", "c2")]))
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
    assert has_tree_state_changed(tree) is False


def test_what_a_node_raises_leaves_those_behind_it_unloaded() -> None:
    tree = family([])
    with pytest.raises(StateError, match="g1 has no record here"):
        load_tree_state(tree, ReadRecords([("c1", VERSION, [10]), ("c2", VERSION, [30])]))
    assert [node.value for node in nodes_with_state(tree)] == [10, 2, 3]


def test_transitioning_node_without_a_record_stays_as_it_is_and_the_next_one_gets_it() -> None:
    class Transitioning(StatefulNode, TransitioningOperator):
        pass

    log: Log = []
    new = Transitioning("new", StatefulNode("old", log=log), log=log, value="fresh")
    tree = subscribed(new)
    load_tree_state(tree, ReadRecords([("old", VERSION, [5])]))
    (old,) = tree.inputs
    assert (new.value, old.value) == ("fresh", 5)  # type: ignore[attr-defined]
    assert has_tree_state_changed(new) is True


def test_inputs_that_a_node_makes_while_it_is_loaded_are_loaded_next() -> None:
    log: Log = []

    class Growing(StatefulNode):
        def load_state(self, reader: Any, version: Any, /) -> None:
            super().load_state(reader, version)
            self.subscribe()

    inner = StatefulNode("inner", log=log)
    load_tree_state(Growing("outer", inner, log=log), ReadRecords([("outer", VERSION, [1]), ("inner", VERSION, [2])]))
    assert inner.value == 2


def test_end_of_a_stream_has_no_record() -> None:
    handle = Stream.range(3).take(2).bind(RecordingSubscriber())
    handle.initialize()
    records = ListedRecords()
    save_tree_state(handle, records)
    assert [name for name, _, _ in records.records] == ["rx://operators/take", "rx://sources/range"]
    handle.dispose()


def taking_five(subscriber: RecordingSubscriber) -> SubscriberStage:
    return Stream.range(9).take(5).bind(subscriber)


def test_stream_that_takes_five_is_saved_loaded_and_goes_on() -> None:
    before = RecordingSubscriber(first_request=2)
    handle = taking_five(before)
    initialize_tree(handle, None)
    state = StateVisitor(handle)
    assert state.has_state_changed() is True  # it was never saved
    records = ListedRecords()
    state.save_state(records)
    assert state.has_state_changed() is True  # saved, and not yet stored
    state.on_state_saved()
    assert state.has_state_changed() is False
    before.request(1)
    assert state.has_state_changed() is True  # an element came
    after = RecordingSubscriber(first_request=9)
    recovered = taking_five(after)
    subscribe_tree(recovered)
    set_tree_context(recovered, None)
    load_tree_state(recovered, ReadRecords(records.records))
    assert has_tree_state_changed(recovered) is False
    start_tree(recovered)
    assert (before.elements[:2] + after.elements, after.is_complete) == ([0, 1, 2, 3, 4], True)
    handle.dispose()


def test_part_that_is_over_is_saved_as_disposed() -> None:
    subscriber = RecordingSubscriber(first_request=5)
    handle = taking_five(subscriber)
    initialize_tree(handle, None)
    assert subscriber.is_complete
    records = ListedRecords()
    save_tree_state(handle, records)
    assert [values[0] for _, _, values in records.records] == [True, True]
    again = RecordingSubscriber(first_request=5)
    initialize_tree(taking_five(again), None, reader_factory=ReadRecords(records.records))
    assert (again.elements, again.has_ended) == ([], False)
