"""Nodes written in Python: each phase once, dispose at any time, from anywhere."""

import threading

import pytest

from reactivestreams import ImmediateScheduler
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    DynamicCompositeSubscription,
    OperatorNode,
    initialize_tree,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.lifecycle.counted_subscription import CountedSubscription, visited
from tests.lifecycle.noting_node import STARTED, Noting
from tests.together import many_switches, run_together


def test_each_phase_runs_once() -> None:
    node = Noting()
    for _ in range(2):
        node.subscribe()
    for context in ("the first one", "another one"):
        node.set_context(context)
    for _ in range(2):
        node.start()
    for _ in range(2):
        node.dispose()
    node.set_context("a late one")
    assert (node.log, node.context) == ([*STARTED, "on_dispose"], "the first one")


def test_inputs_are_there_from_subscribe_on_and_stay_after_dispose() -> None:
    source = CountedSubscription()
    node = Noting(source)
    assert tuple(node.inputs) == ()
    node.subscribe()
    node.dispose()
    assert (tuple(node.inputs), source.disposals, visited(node)) == ((source,), 1, [node])


def test_inputs_that_come_and_go_are_those_of_the_composite() -> None:
    inputs = DynamicCompositeSubscription()
    node = Noting()
    node.sources = inputs
    node.subscribe()
    late = CountedSubscription()
    inputs.add(late)
    assert list(node.inputs) == [late]
    node.dispose()
    assert late.disposals == 1


def test_node_without_hooks_or_a_constructor_of_the_base_works() -> None:
    class Bare(OperatorNode):
        def __init__(self, anything: object) -> None:
            self.anything = anything

    node = Bare(7)
    initialize_tree(node, None)
    node.dispose()
    assert (tuple(node.inputs), node.context, node.trace, node.is_disposed) == ((), None, None, True)


def test_node_knows_its_context_and_logs_with_its_path(caplog: pytest.LogCaptureFixture) -> None:
    node = Noting()
    context = DefaultOperatorContext("rx://query", ImmediateScheduler())
    initialize_tree(node, context)
    assert node.context is context
    assert node.trace is not None
    node.trace.error("no")
    assert [record.getMessage() for record in caplog.records] == ["[rx://query > test/noting] no"]


@pytest.mark.parametrize("phases", [0, 1, 2])
def test_node_that_was_disposed_before_does_not_start(phases: int) -> None:
    source = CountedSubscription()
    node = Noting(source)
    for phase in (node.subscribe, lambda: node.set_context(None))[:phases]:
        phase()
    node.dispose()
    initialize_tree(node, None)
    assert "on_start" not in node.log
    assert node.log.count("on_dispose") == 1
    assert source.disposals >= 1


@pytest.mark.parametrize("hook", ["bind_inputs", "on_context", "on_start", "on_dispose"])
def test_node_may_be_disposed_inside_every_hook(hook: str) -> None:
    source = CountedSubscription()
    node = Noting(source)
    node.actions[hook] = node.dispose
    initialize_tree(node, None)
    node.dispose()
    assert (node.log.count("on_dispose"), node.is_disposed) == (1, True)
    assert source.disposals >= 1
    assert ("on_start" in node.log) == (hook in {"on_start", "on_dispose"})
    if hook == "on_start":
        assert node.log[-2:] == ["on_start returned", "on_dispose"]


def test_node_that_another_thread_disposes_while_it_starts_is_torn_down_after_its_start() -> None:
    disposed = threading.Event()
    node = Noting()

    def wait_until_disposed() -> None:
        disposer = threading.Thread(target=lambda: (node.dispose(), disposed.set()))
        disposer.start()
        assert disposed.wait(10)  # it does not wait for the start
        disposer.join()
        assert node.is_disposed

    node.actions["on_start"] = wait_until_disposed
    initialize_tree(node, None)
    assert node.log == [*STARTED, "on_dispose"]


@pytest.mark.slow
def test_threads_that_start_and_dispose_a_node_run_its_hooks_once_and_apart() -> None:
    with many_switches():
        for _ in range(100):
            source = CountedSubscription()
            node = Noting(source)
            run_together(
                lambda: initialize_tree(node, None),  # noqa: B023
                lambda: initialize_tree(node, None),  # noqa: B023
                node.dispose,
            )
            assert node.log.count("on_dispose") == 1
            assert node.log.count("on_start") == node.log.count("on_start returned") <= 1
            if "on_start" in node.log:
                assert node.log.index("on_start returned") < node.log.index("on_dispose")
            assert source.disposals >= 1 or list(node.inputs) == []


def test_what_the_start_hook_raises_is_raised_by_the_start() -> None:
    def fail() -> None:
        raise LookupError("no")

    node = Noting(actions={"on_start": fail})
    with pytest.raises(LookupError, match="no"):
        initialize_tree(node, None)
    node.dispose()
    assert node.log[-1] == "on_dispose"


def test_what_the_dispose_hook_raises_goes_to_the_hook_for_dropped_signals() -> None:
    def fail() -> None:
        raise OSError("busy")

    node = Noting(actions={"on_dispose": fail})
    with recorded_drops() as drops:
        node.dispose()
    assert [(signal, repr(error), origin) for signal, error, origin in drops] == [
        ("on_dispose", "OSError('busy')", "Noting")
    ]
