"""Visitors: the order of a walk, typed actions, and what a walk survives."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import (
    NOP,
    StaticCompositeSubscription,
    SubscriptionVisitor,
    TreeVisitor,
    TypedVisitor,
)
from reactivestreams.subscriber import DefaultSubscriber
from tests.lifecycle.plain_nodes import Log, PlainNode, SpecialNode, subscribed


class Names(TreeVisitor):
    def __init__(self) -> None:
        self.names: list[str] = []

    def visit_node(self, node: Any) -> None:
        self.names.append(node.name)


def family(log: Log) -> PlainNode:
    """p has the inputs c1, c2 and c3, c1 has g1; g1 and c2 are special."""
    grandchild = SpecialNode("g1", log=log)
    children = PlainNode("c1", grandchild, log=log), SpecialNode("c2", log=log), PlainNode("c3", log=log)
    return subscribed(PlainNode("p", *children, log=log))


def names_of(subscription: Any) -> list[str]:
    names = Names()
    names.apply(subscription)
    return names.names


def test_nodes_are_visited_before_their_inputs_and_the_inputs_in_their_order() -> None:
    assert names_of(family([])) == ["p", "c1", "g1", "c2", "c3"]


def test_nodes_behind_composites_are_visited_in_their_order() -> None:
    log: Log = []
    inner = StaticCompositeSubscription(family(log), NOP, SpecialNode("x", log=log))
    root = subscribed(PlainNode("root", inner, PlainNode("y", log=log), log=log))
    outer = StaticCompositeSubscription(root, SpecialNode("z", log=log))
    assert names_of(outer) == ["root", "p", "c1", "g1", "c2", "c3", "x", "y", "z"]


def test_two_typed_actions_are_called_in_the_order_in_which_they_were_given() -> None:
    calls: list[tuple[int, str]] = []
    visitor = SubscriptionVisitor.do(PlainNode, lambda node: calls.append((1, node.name)))
    visitor.do(SpecialNode, lambda node: calls.append((2, node.name))).apply(family([]))
    assert [number for number, _ in calls] == [1, 1, 1, 2, 1, 2, 1]
    assert [name for number, name in calls if number == 1] == ["p", "c1", "g1", "c2", "c3"]
    assert [name for number, name in calls if number == 2] == ["g1", "c2"]


def test_one_typed_action_is_called_for_nodes_of_its_type_alone() -> None:
    names: list[str] = []
    SubscriptionVisitor.do(SpecialNode, lambda node: names.append(node.name)).apply(family([]))
    assert names == ["g1", "c2"]


def test_builder_leaves_the_visitor_that_it_began_with_alone() -> None:
    names: list[str] = []
    first = SubscriptionVisitor.do(SpecialNode, lambda node: names.append(node.name))
    first.do(PlainNode, lambda node: names.append("other"))
    first.apply(family([]))
    assert names == ["g1", "c2"]


@pytest.mark.parametrize("visitor", [Names(), TypedVisitor((object, print))])
def test_visit_of_none_is_ignored(visitor: TreeVisitor, capsys: pytest.CaptureFixture[str]) -> None:
    visitor.visit(None)
    assert capsys.readouterr().out == ""


def test_handle_that_shows_none_to_a_visitor_has_no_nodes() -> None:
    class Empty:
        def accept(self, visitor: Any, /) -> None:
            visitor.visit(None)

        def dispose(self) -> None:
            pass

    assert names_of(Empty()) == []
    assert names_of(subscribed(PlainNode("p", Empty(), log=[]))) == ["p"]


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_subscription_is_refused(refused: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"apply\(subscription\) needs a subscription, got"):
        SubscriptionVisitor.do(PlainNode, print).apply(refused)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("PlainNode", print), r"do\(kind\) needs a class, got 'PlainNode'"),
        ((PlainNode, None), r"do\(action\) needs a callable, got None"),
    ],
)
def test_what_is_no_type_or_no_action_is_refused(arguments: Any, said: str) -> None:
    with pytest.raises(ArgumentTypeError, match=said):
        SubscriptionVisitor.do(*arguments)


def test_what_a_visitor_raises_ends_the_walk() -> None:
    names: list[str] = []

    def fail_at(node: PlainNode) -> None:
        names.append(node.name)
        if node.name == "g1":
            raise LookupError("g1")

    with pytest.raises(LookupError, match="g1"):
        SubscriptionVisitor.do(PlainNode, fail_at).apply(family([]))
    assert names == ["p", "c1", "g1"]


def test_visitor_without_a_method_of_its_own_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match=r"TreeVisitor has to define visit_node\(self, node\)"):
        TreeVisitor().apply(family([]))


def test_inputs_that_a_visit_makes_are_visited_next() -> None:
    log: Log = []
    bottom = PlainNode("p", PlainNode("c1", PlainNode("g1", log=log), log=log), PlainNode("c2", log=log), log=log)
    SubscriptionVisitor.do(PlainNode, lambda node: node.subscribe()).apply(bottom)
    assert [name for name, _ in log] == ["p", "c1", "g1", "c2"]


def test_walk_inside_a_visit_stands_for_itself() -> None:
    tree = family([])
    outer, inner = Names(), Names()

    def walk_below(node: PlainNode) -> None:
        outer.names.append(node.name)
        if node.name == "c1":
            inner.apply(node)
            visitor.visit(subscribed(PlainNode("elsewhere", log=[])))

    visitor = SubscriptionVisitor.do(PlainNode, walk_below)
    visitor.apply(tree)
    assert outer.names == ["p", "c1", "elsewhere", "g1", "c2", "c3"]
    assert inner.names == ["c1", "g1"]


@pytest.mark.slow
def test_chain_of_any_length_is_walked_with_a_flat_stack() -> None:
    stream: Any = Stream.range(3)
    for _ in range(20_000):
        stream = stream.map(str)
    handle = stream.bind(DefaultSubscriber())
    count: Callable[[Any], object] = lambda node: node.subscribe()  # noqa: E731
    SubscriptionVisitor.do(object, count).apply(handle)
    names = names_of(handle)
    assert (len(names), names[-1]) == (20_002, "rx://sources/range")
    handle.dispose()
