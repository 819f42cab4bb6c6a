"""Trees: the record of each node in the order of the visit, and what happens where tree and records do not match."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reactivestreams.errors import StateError, StateFormatError, StateTypeError
from reactivestreams.state import TransitioningOperator, Version, load_tree, save_tree, stateful_nodes
from tests.state.written_records import record_names


class Node:
    """A node of a tree by hand: its state is a list of fields."""

    version: Version = (1, 0, 0, 0)

    def __init__(self, name: str, *inputs: "Node | Group", fields: tuple[Any, ...] = ()) -> None:
        self.name = name
        self.upstream = inputs
        self.inputs: tuple[Node | Group, ...] = ()
        self.fields = list(fields)
        self.subscriptions = 0

    def subscribe(self) -> None:
        self.subscriptions += 1
        self.inputs = self.upstream

    def accept(self, visitor: Any) -> None:
        visitor.visit(self)

    def save_state(self, writer: Any) -> None:
        for field in self.fields:
            writer.write(field)

    def load_state(self, reader: Any, version: Version) -> None:
        assert version == self.version
        self.fields = [*_rest(reader)]


class Group:
    """A handle that leads to several nodes, such as a composite subscription."""

    def __init__(self, *nodes: Node) -> None:
        self.nodes = nodes

    def accept(self, visitor: Any) -> None:
        for node in self.nodes:
            node.accept(visitor)


class Transitioning(Node, TransitioningOperator):
    """Had no state in earlier releases."""


class Stateless:
    """A node without state, which only has an input."""

    def __init__(self, below: Node) -> None:
        self.inputs = (below,)

    def subscribe(self) -> None:
        """It has its input already."""

    def accept(self, visitor: Any) -> None:
        visitor.visit(self)


def _rest(reader: Any) -> Iterator[Any]:
    found, field = reader.try_read()
    while found:
        yield field
        found, field = reader.try_read()


def subscribed(handle: Node) -> Node:
    for node, _ in stateful_nodes(handle):
        node.subscribe()
    return handle


def saved(handle: Node) -> bytes:
    return save_tree(subscribed(handle))


# --- order of the visit -------------------------------------------------------------------------------------------


def family(tail: str = "") -> Node:
    group = Group(Node("c1" + tail, Node("g1" + tail)), Node("c2" + tail))
    return Node("p" + tail, group, Node("c3" + tail))


def test_nodes_are_visited_before_their_inputs_and_these_in_their_order() -> None:
    handle = subscribed(family())
    assert [(node.name, str(path)) for node, path in stateful_nodes(handle)] == [
        ("p", "/"),
        ("c1", "/0"),
        ("g1", "/0/0"),
        ("c2", "/1"),
        ("c3", "/2"),
    ]
    assert record_names(save_tree(handle)) == ["p", "c1", "g1", "c2", "c3"]


def test_handle_may_lead_to_several_nodes() -> None:
    handle = Group(Node("a"), Node("b"))
    assert [(node.name, str(path)) for node, path in stateful_nodes(handle)] == [("a", "/0"), ("b", "/1")]


def test_node_without_state_has_no_record_and_its_inputs_have() -> None:
    handle = Node("a", Stateless(Node("b")))  # type: ignore[arg-type]
    assert record_names(saved(handle)) == ["a", "b"]


def test_depth_of_a_tree_does_not_reach_the_stack() -> None:
    def chain(fields: tuple[Any, ...]) -> Node:
        node = Node("source")
        for _ in range(5000):
            node = Node("link", node, fields=fields)
        return node

    data = saved(chain((1, "one")))
    again = chain(())
    load_tree(again, data)
    assert save_tree(again) == data
    *_, (last, path) = stateful_nodes(again)
    assert (last.name, str(path)) == ("source", "/..." + "/0" * 16)


def test_loading_subscribes_what_is_not_subscribed_and_reads_inputs_that_it_made() -> None:
    class Growing(Node):
        """Makes its input only when it is loaded."""

        def load_state(self, reader: Any, version: Version) -> None:
            super().load_state(reader, version)
            self.inputs = (Node(self.fields[0]),)

    data = saved(Node("outer", Node("inner", fields=(7,)), fields=("inner",)))
    handle = Growing("outer")
    load_tree(handle, data)
    (inner,) = handle.inputs
    assert isinstance(inner, Node)
    assert (inner.name, inner.fields, handle.subscriptions, inner.subscriptions) == ("inner", [7], 1, 1)


@given(st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=3), max_leaves=12))
def test_tree_of_any_shape_is_saved_as_the_same_bytes_after_loading(shape: list[Any]) -> None:
    def build(shape: list[Any], number: list[int], *, filled: bool) -> Node:
        number[0] += 1
        fields = (number[0],) if filled else ()
        return Node(f"n{number[0]}", *(build(each, number, filled=filled) for each in shape), fields=fields)

    data = saved(build(shape, [0], filled=True))
    again = build(shape, [0], filled=False)
    load_tree(again, data)
    assert save_tree(again) == data
    assert [node.fields for node, _ in stateful_nodes(again)] == [[n + 1] for n in range(len(record_names(data)))]


# --- what does not match ----------------------------------------------------------------------------------------------


def refusal(handle: Any, data: bytes, kind: type[StateError] = StateError, **arguments: Any) -> str:
    with pytest.raises(kind) as refused:
        load_tree(handle, data, **arguments)
    assert type(refused.value) is kind
    assert refused.value.location is not None
    assert str(refused.value).startswith(refused.value.location)
    return str(refused.value)


def test_record_of_another_operator_is_refused() -> None:
    data = saved(Node("a", Node("b")))
    assert refusal(Node("a", Node("c")), data) == (
        "record 1 (c at /0), field 0: the record is that of 'b', not of 'c'; build the same stream as the one that was "
        "saved, or name 'b' among the operators that were taken out"
    )


def test_record_that_is_missing_is_refused() -> None:
    data = saved(Node("a"))
    assert refusal(Node("a", Node("b")), data, StateFormatError) == (
        "record 1 (b at /0), field 0: there is no record left: the tree that loads has more operators than the one "
        "that was saved; build the same stream, or make operators that had no state before a TransitioningOperator"
    )


def test_record_that_is_left_over_is_refused() -> None:
    data = saved(Node("a", Node("b")))
    with pytest.raises(StateFormatError, match="the record of 'b' was not read, since the tree that loads has fewer"):
        load_tree(Node("a"), data)


def test_damaged_state_is_refused_before_anything_is_loaded() -> None:
    data = bytearray(saved(Node("a", Node("b", fields=(1,)), fields=(2,))))
    data[-12] ^= 1
    handle = Node("a", Node("b"), fields=("old",))
    with pytest.raises(StateFormatError, match="does not have its checksum"):
        load_tree(handle, bytes(data))
    assert (handle.fields, handle.subscriptions) == (["old"], 0)


def test_records_of_operators_that_were_taken_out_are_skipped() -> None:
    data = saved(Node("gone", Node("a", Node("gone", Node("old", Node("b", Node("gone"))), fields=(1,))), fields=(2,)))
    handle = Node("a", Node("b"))
    load_tree(handle, data, removed={"gone", "old"})
    assert record_names(save_tree(handle)) == ["a", "b"]
    assert "the record is that of 'old', not of 'b'" in refusal(Node("a", Node("b")), data, removed={"gone"})


def test_operator_that_is_there_is_never_skipped() -> None:
    data = saved(Node("a", fields=(5,)))
    handle = Node("a")
    load_tree(handle, data, removed={"a"})
    assert handle.fields == [5]


# --- operators that had no state before -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "loaded"),
    [
        (Node("b", fields=(2,)), Transitioning("new", Node("b"), fields=(0,)), {"new": [0], "b": [2]}),
        (
            Node("a", Node("b", fields=(2,)), fields=(1,)),
            Node("a", Transitioning("new", Node("b"), fields=(0,))),
            {"a": [1], "new": [0], "b": [2]},
        ),
        (Node("a", fields=(1,)), Node("a", Transitioning("new", fields=(0,))), {"a": [1], "new": [0]}),
        (
            Node("a", fields=(1,)),
            Node("a", Transitioning("new", Transitioning("newer", fields=(3,)), fields=(0,))),
            {"a": [1], "new": [0], "newer": [3]},
        ),
    ],
    ids=["at the end of the stream", "operator", "source", "two"],
)
def test_transitioning_operator_without_a_record_begins_anew(
    old: Node, new: Node, loaded: dict[str, list[Any]]
) -> None:
    load_tree(new, saved(old))
    assert {node.name: node.fields for node, _ in stateful_nodes(new)} == loaded
    # From now on it has one.
    again = subscribed(new)
    data = save_tree(again)
    for node, _ in stateful_nodes(again):
        node.fields = []
    load_tree(again, data)
    assert {node.name: node.fields for node, _ in stateful_nodes(again)} == loaded


def test_transitioning_operator_loads_its_record_where_there_is_one() -> None:
    handle = Transitioning("new", Node("b"))
    load_tree(handle, saved(Node("new", Node("b", fields=(2,)), fields=(1,))))
    assert [node.fields for node, _ in stateful_nodes(handle)] == [[1], [2]]


# --- errors of operators ----------------------------------------------------------------------------------------------


class Reading(Node):
    """Reads as it is told."""

    def __init__(self, name: str, read: Callable[[Any], object]) -> None:
        super().__init__(name)
        self.read = read

    def load_state(self, reader: Any, version: Version) -> None:
        self.read(reader)


def failing(error: Exception) -> Callable[[Any], object]:
    def read(reader: Any) -> None:
        reader.read()
        raise error

    return read


@pytest.mark.parametrize(
    ("read", "kind", "said"),
    [
        (lambda reader: reader.read(str), StateFormatError, r"field 0, byte \d+: expected str, found int"),
        (
            lambda reader: (reader.read(), reader.read()),
            StateFormatError,
            r"field 1, byte \d+: the record ends after 1 fi",
        ),
        (
            failing(KeyError("x")),
            StateError,
            "field 1: 'a' cannot take what it read: KeyError: 'x'; where the layout has",
        ),
        (failing(StateError("not now; wait")), StateError, "field 1: not now; wait"),
        (failing(OverflowError("big")), StateError, "field 1: 'a' cannot take what it read: OverflowError: big"),
    ],
)
def test_error_while_loading_tells_record_operator_path_and_field(
    read: Callable[[Any], object], kind: type[StateError], said: str
) -> None:
    with pytest.raises(kind, match=rf"^record 0 \(a at /\), {said}") as refused:
        load_tree(Reading("a", read), saved(Node("a", fields=(1,))))
    assert type(refused.value) is kind


class Writing(Node):
    """Fails while it is saved."""

    def __init__(self, name: str, error: Exception) -> None:
        super().__init__(name)
        self.error = error

    def save_state(self, writer: Any) -> None:
        writer.write(1)
        raise self.error


def test_error_while_saving_tells_record_operator_path_and_field() -> None:
    with pytest.raises(StateError, match=r"^record 0 \(a at /\), field 1: not now; wait"):
        save_tree(Writing("a", StateError("not now; wait")))
    with pytest.raises(ZeroDivisionError) as raised:
        save_tree(Writing("a", ZeroDivisionError("x")))
    assert raised.value.__notes__ == ["while the state was saved: record 0 (a at /), field 1"]
    with pytest.raises(
        StateTypeError, match=r"^record 1 \(b at /0\), field 0: a value of class builtins.object cannot"
    ):
        saved(Node("a", Node("b", fields=(object(),))))
