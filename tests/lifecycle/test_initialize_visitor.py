"""The phases of the life cycle over a whole tree: alone, together, by functions and by a bound visitor."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    InitializeVisitor,
    StaticCompositeSubscription,
    initialize_tree,
    set_tree_context,
    start_tree,
    subscribe_tree,
)
from reactivestreams.state import SnapshotReader, load_nodes
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.lifecycle.plain_nodes import Log, PlainNode, StatefulNode
from tests.lifecycle.snapshot_records import VERSION, snapshot_of

CONTEXT = object()
NAMES = ["p", "c1", "g1", "c2"]


def family(log: Log) -> PlainNode:
    """p has the inputs c1 and c2, c1 has g1; c1 and g1 have state."""
    grandchild = StatefulNode("g1", log=log)
    return PlainNode("p", StatefulNode("c1", grandchild, log=log), PlainNode("c2", log=log), log=log)


def steps_by_functions(tree: Any) -> list[Callable[[], None]]:
    return [
        lambda: subscribe_tree(tree),
        lambda: set_tree_context(tree, CONTEXT),
        lambda: load_nodes(tree, records()),
        lambda: start_tree(tree),
    ]


def steps_by_visitor(tree: Any) -> list[Callable[[], None]]:
    phases = InitializeVisitor(tree)
    return [
        phases.subscribe,
        lambda: phases.set_context(CONTEXT),
        lambda: phases.load_state(records()),
        phases.start,
    ]


def records() -> SnapshotReader:
    return snapshot_of(("c1", VERSION, [11]), ("g1", VERSION, [22]))


@pytest.mark.parametrize("steps", [steps_by_functions, steps_by_visitor])
def test_each_phase_can_be_run_alone(steps: Callable[[Any], list[Callable[[], None]]]) -> None:
    log: Log = []
    tree = family(log)
    for step, call, names in zip(
        steps(tree),
        ["subscribe", "set_context", "load_state", "start"],
        [NAMES, NAMES, ["c1", "g1"], NAMES],
        strict=True,
    ):
        log.clear()
        step()
        assert log == [(name, call) for name in names]


def initialize_by_function(tree: Any, snapshot: Any) -> None:
    initialize_tree(tree, CONTEXT, snapshot=snapshot)


def initialize_by_visitor(tree: Any, snapshot: Any) -> None:
    InitializeVisitor(tree).initialize(CONTEXT, snapshot=snapshot)


@pytest.mark.parametrize("initialize", [initialize_by_function, initialize_by_visitor])
@pytest.mark.parametrize("has_state", [False, True])
def test_all_phases_run_in_their_order(initialize: Callable[[Any, Any], None], has_state: bool) -> None:
    log: Log = []
    initialize(family(log), records() if has_state else None)
    loading = [(name, "load_state") for name in ("c1", "g1")] if has_state else []
    assert log == [
        *((name, "subscribe") for name in NAMES),
        *((name, "set_context") for name in NAMES),
        *loading,
        *((name, "start") for name in NAMES),
    ]


def test_all_nodes_get_the_same_context() -> None:
    log: Log = []
    tree = family(log)
    initialize_tree(tree, CONTEXT)
    (child, _) = tree.inputs
    assert [tree.context is CONTEXT, child.context is CONTEXT] == [True, True]  # type: ignore[attr-defined]


def test_several_trees_are_initialized_as_one() -> None:
    log: Log = []
    initialize_tree(StaticCompositeSubscription(PlainNode("a", log=log), PlainNode("b", log=log)), CONTEXT)
    assert [name for name, _ in log] == ["a", "b"] * 3


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_subscription_is_refused(refused: Any) -> None:
    for refusing in (
        InitializeVisitor,
        subscribe_tree,
        start_tree,
        lambda tree: set_tree_context(tree, CONTEXT),
        lambda tree: initialize_tree(tree, CONTEXT),
    ):
        with pytest.raises(ArgumentTypeError, match="needs a subscription, got"):
            refusing(refused)


def test_load_without_a_snapshot_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="needs a SnapshotReader, got None"):
        InitializeVisitor(family([])).load_state(None)  # type: ignore[arg-type]


def test_stream_runs_on_the_scheduler_of_the_context() -> None:
    scheduler = ManualScheduler()
    subscriber = RecordingSubscriber(first_request=2)
    handle = Stream.range(9).map(str).buffer(2).bind(subscriber)
    initialize_tree(handle, DefaultOperatorContext("test", scheduler))
    assert subscriber.outcome == ([], "open")  # nothing flows from inside the start
    scheduler.run_waiting()
    assert subscriber.outcome == ([["0", "1"], ["2", "3"]], "open")
    handle.dispose()
