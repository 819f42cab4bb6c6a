"""The state of nodes written in Python: when it counts as changed, what is saved, what is refused."""

from typing import Any

import pytest

from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.lifecycle import StatefulNode, initialize_tree, set_tree_context, start_tree, subscribe_tree
from reactivestreams.state import load_nodes, load_tree, save_tree
from tests.lifecycle.counted_subscription import CountedSubscription
from tests.lifecycle.noting_node import STARTED, Noting
from tests.lifecycle.snapshot_records import VERSION, saved_records, snapshot_of


class _Sink:
    """Takes what is written."""

    def write(self, value: Any, /) -> None:
        pass


def recovered(data: bytes, node: Noting) -> Noting:
    subscribe_tree(node)
    set_tree_context(node, None)
    load_tree(node, data)
    return node


def test_state_changes_until_it_is_stored() -> None:
    node = Noting()
    assert node.state_changed is True  # never saved
    first = node.save_state(_Sink())
    assert node.state_changed is True  # not stored yet
    node.on_state_saved()
    assert node.state_changed is False
    node.mark_changed()
    assert node.state_changed is True
    second = node.save_state(_Sink())
    node.on_state_saved(first)  # it comes late
    assert (node.state_changed, second) == (True, first + 1)
    node.on_state_saved(second)
    assert node.state_changed is False


def test_change_between_save_and_store_stays() -> None:
    node = Noting()
    node.save_state(_Sink())
    node.mark_changed()
    node.on_state_saved()
    assert node.state_changed is True


def test_three_generations_go_on_where_the_one_before_was_saved() -> None:
    node = Noting()
    initialize_tree(node, None)
    for generation in (1, 2, 3):
        node.value += generation
        node.mark_changed()
        node = recovered(save_tree(node), Noting())
        assert node.state_changed is False
        start_tree(node)
        assert (node.value, node.log) == (sum(range(generation + 1)), STARTED)
        assert node.state_changed is False  # to start is no change


def test_node_that_was_saved_as_disposed_is_disposed_by_the_start_and_never_started() -> None:
    node = Noting()
    initialize_tree(node, None)
    node.dispose()
    assert node.state_changed is True
    source = CountedSubscription()
    again = recovered(save_tree(node), Noting(source))
    assert (again.is_disposed, again.log, source.disposals) == (True, STARTED[:2], 0)
    for _ in range(2):
        start_tree(again)
    assert (again.log, source.disposals) == ([*STARTED[:2], "on_dispose"], 1)
    assert again.state_changed is False  # it is no news
    assert saved_records(again) == [("test/noting", VERSION, [True, 0])]


def test_to_dispose_is_a_change() -> None:
    node = Noting()
    initialize_tree(node, None, snapshot=snapshot_of(("test/noting", VERSION, [False, 5])))
    node.dispose()
    assert node.state_changed is True


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_writer_or_reader_is_refused(refused: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"save_state\(writer\) needs a StateWriter, got"):
        Noting().save_state(refused)
    with pytest.raises(ArgumentTypeError, match=r"load_state\(reader, version\) needs a StateReader, got"):
        Noting().load_state(refused, (1, 0, 0, 0))


def test_state_is_loaded_before_the_start_only() -> None:
    node = Noting()
    initialize_tree(node, None)
    with pytest.raises(StateError, match="was already started; load its state between"):
        load_nodes(node, snapshot_of(("test/noting", VERSION, [False, 5])))


def test_state_of_another_version_is_refused() -> None:
    with pytest.raises(StateError, match=r"reads state of version \(1, 0, 0, 0\), not \(2, 0, 0, 0\)"):
        load_nodes(Noting(), snapshot_of(("test/noting", (2, 0, 0, 0), [False, 5])))


def test_node_may_read_the_state_of_an_older_version() -> None:
    class Newer(Noting):
        version = (2, 0, 0, 0)
        loadable_versions = (VERSION,)

        def load_fields(self, reader: Any, version: Any) -> None:
            self.value = (10 if version == VERSION else 1) * reader.read(int)

    node = Newer()
    load_nodes(node, snapshot_of(("test/noting", VERSION, [False, 5])))
    assert (node.value, node.state_changed) == (50, False)


def test_hook_that_raises_leaves_the_state_unsaved_and_unloaded() -> None:
    class Failing(Noting):
        def save_fields(self, writer: Any) -> None:
            raise ValueError("no")

        load_fields = save_fields  # type: ignore[assignment]

    node = Failing()
    with pytest.raises(ValueError, match="no"):
        node.save_state(_Sink())
    node.on_state_saved()
    assert node.state_changed is True
    with pytest.raises(StateError, match="cannot take what it read"):
        load_nodes(node, snapshot_of(("test/noting", VERSION, [False])))
    assert node.state_changed is True


def test_node_without_a_name_is_refused() -> None:
    class Nameless(StatefulNode):
        pass

    with pytest.raises(ArgumentError, match=r"Nameless\.name is ''; set it to the id"):
        Nameless()
