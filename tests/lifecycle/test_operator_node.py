"""Nodes written in Python: each phase once, dispose at any time, from anywhere; their state."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream
from reactivestreams.errors import ArgumentError, ArgumentTypeError, StateError
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    DynamicCompositeSubscription,
    ObserverNode,
    OperatorNode,
    OperatorSubscription,
    StatefulNode,
    StaticCompositeSubscription,
    initialize_tree,
    load_tree_state,
    save_tree_state,
    set_tree_context,
    start_tree,
    subscribe_tree,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.lifecycle.counted_subscription import CountedSubscription, visited
from tests.lifecycle.listed_records import ListedRecords, ReadRecords
from tests.together import many_switches, run_together

Action = Callable[[], object]


class Noting(StatefulNode):
    """Notes its hooks, and acts in them as told."""

    name = "test/noting"

    def __init__(self, *inputs: OperatorSubscription, actions: dict[str, Action] | None = None) -> None:
        self.sources: Iterable[OperatorSubscription] = inputs
        self.actions = actions or {}
        self.log: list[str] = []
        self.value = 0

    def _act(self, hook: str) -> None:
        self.log.append(hook)
        self.actions.get(hook, int)()

    def bind_inputs(self) -> Iterable[OperatorSubscription]:
        self._act("bind_inputs")
        return self.sources

    def on_context(self, context: Any) -> None:
        self._act("on_context")

    def on_start(self) -> None:
        self._act("on_start")
        self.log.append("on_start returned")

    def on_dispose(self) -> None:
        self._act("on_dispose")

    def save_fields(self, writer: Any) -> None:
        writer.write(self.value)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.value = reader.read()


STARTED = ["bind_inputs", "on_context", "on_start", "on_start returned"]


def saved(node: Any) -> list[Any]:
    records = ListedRecords()
    save_tree_state(node, records)
    return records.records


# --- the life cycle ---------------------------------------------------------------------------------------------------


def test_each_phase_runs_once() -> None:
    node = Noting()
    for _ in range(2):
        node.subscribe()
    node.set_context(None)
    for _ in range(2):
        node.start()
    for _ in range(2):
        node.dispose()
    assert node.log == [*STARTED, "on_dispose"]


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


def test_node_that_another_thread_disposes_while_it_starts_is_torn_down_behind_its_start() -> None:
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


# --- state ------------------------------------------------------------------------------------------------------------


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


class _Sink:
    def write(self, value: Any, /) -> None:
        pass


def test_change_between_save_and_store_stays() -> None:
    node = Noting()
    node.save_state(_Sink())
    node.mark_changed()
    node.on_state_saved()
    assert node.state_changed is True


def recovered(records: list[Any], node: Noting) -> Noting:
    subscribe_tree(node)
    set_tree_context(node, None)
    load_tree_state(node, ReadRecords(records))
    return node


def test_three_generations_go_on_where_the_one_before_was_saved() -> None:
    node = Noting()
    initialize_tree(node, None)
    for generation in (1, 2, 3):
        node.value += generation
        node.mark_changed()
        records = saved(node)
        node = recovered(records, Noting())
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
    again = recovered(saved(node), Noting(source))
    assert (again.is_disposed, again.log, source.disposals) == (True, STARTED[:2], 0)
    for _ in range(2):
        start_tree(again)
    assert (again.log, source.disposals) == ([*STARTED[:2], "on_dispose"], 1)
    assert again.state_changed is False  # it is no news
    assert saved(again)[0][2] == [True, 0]


def test_to_dispose_is_a_change() -> None:
    node = recovered([("test/noting", (1, 0, 0, 0), [False, 5])], Noting())
    start_tree(node)
    node.dispose()
    assert node.state_changed is True


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_writer_or_reader_is_refused(refused: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"save_state\(writer\) needs a StateWriter, got"):
        Noting().save_state(refused)
    with pytest.raises(ArgumentTypeError, match=r"load_state\(reader\) needs a StateReader, got"):
        Noting().load_state(refused, (1, 0, 0, 0))


def test_state_is_loaded_before_the_start_only() -> None:
    node = Noting()
    initialize_tree(node, None)
    with pytest.raises(StateError, match="was started already; load its state between"):
        load_tree_state(node, ReadRecords([("test/noting", (1, 0, 0, 0), [False, 5])]))


def test_state_of_another_version_is_refused() -> None:
    with pytest.raises(StateError, match=r"test/noting reads state of version \(1, 0, 0, 0\), not \(2, 0, 0, 0\)"):
        load_tree_state(Noting(), ReadRecords([("test/noting", (2, 0, 0, 0), [False, 5])]))


def test_node_may_read_the_state_of_an_older_version() -> None:
    class Newer(Noting):
        version = (2, 0, 0, 0)

        def load_older_fields(self, reader: Any, version: Any) -> None:
            assert version == (1, 0, 0, 0)
            self.value = 10 * reader.read()

    node = Newer()
    load_tree_state(node, ReadRecords([("test/noting", (1, 0, 0, 0), [False, 5])]))
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
    with pytest.raises(TypeError):
        load_tree_state(node, ReadRecords([("test/noting", (1, 0, 0, 0), [False])]))
    assert node.state_changed is True


def test_node_without_a_name_is_refused() -> None:
    class Nameless(StatefulNode):
        pass

    with pytest.raises(ArgumentError, match=r"Nameless\.name is ''; set it to the id"):
        Nameless()


# --- observers in the tree --------------------------------------------------------------------------------------------


class Listening(ObserverNode):
    name = "test/listening"

    def __init__(self, *, at_most: int | None = None) -> None:
        self.log: list[Any] = []
        self.at_most = at_most

    def on_start(self) -> None:
        self.log.append("start")

    def on_dispose(self) -> None:
        self.log.append("dispose")

    def hook_on_next(self, element: Any) -> None:
        self.mark_changed()
        self.log.append(element)
        if self.at_most is not None and len(self.log) > self.at_most:
            self.dispose()

    def hook_on_error(self, error: Exception) -> None:
        self.log.append(repr(error))

    def hook_on_complete(self) -> None:
        self.log.append("complete")

    def hook_on_cancel(self) -> None:
        self.log.append("cancel")

    def save_fields(self, writer: Any) -> None:
        writer.write(self.log)

    def load_fields(self, reader: Any, version: Any) -> None:
        self.log = ["loaded", *reader.read()]


def observed(stream: Stream[Any], observer: Listening) -> StaticCompositeSubscription:
    return StaticCompositeSubscription(observer, stream.bind(observer))


@pytest.mark.parametrize(
    ("stream", "last"),
    [(Stream.just(1, 2), "complete"), (Stream.just(1, 2).map(lambda n: n // (2 - n)), "ZeroDivisionError")],
)
def test_observer_gets_elements_and_the_end_and_is_disposed_once(stream: Stream[Any], last: str) -> None:
    observer = Listening()
    tree = observed(stream, observer)
    initialize_tree(tree, None)
    start_tree(tree)
    tree.dispose()
    assert observer.log[:2] == ["start", 1]
    assert observer.log[-2].startswith(last)
    assert observer.log[-1] == "dispose"
    assert observer.log.count("dispose") == 1


def test_observer_that_is_disposed_inside_a_signal_cancels_its_stream() -> None:
    observer = Listening(at_most=2)
    tree = observed(Stream.range(100), observer)
    initialize_tree(tree, None)
    assert observer.log == ["start", 0, 1, "cancel", "dispose"]
    assert all(node.is_disposed for node in visited(tree))


def test_observer_that_cancels_is_disposed() -> None:
    observer = Listening()
    tree = observed(Stream.never(), observer)
    initialize_tree(tree, None)
    observer.cancel()
    assert (observer.log, observer.is_disposed) == (["start", "cancel", "dispose"], True)
    assert all(node.is_disposed for node in visited(tree))


def test_observer_is_saved_and_goes_on() -> None:
    observer = Listening()
    tree = observed(Stream.just(1, 2).observe_on(ImmediateScheduler()).take(9), observer)
    initialize_tree(tree, None)
    records = saved(tree)
    assert [name for name, _, _ in records][:2] == ["test/listening", "rx://operators/take"]
    again = Listening()
    initialize_tree(
        observed(Stream.just(1, 2).observe_on(ImmediateScheduler()).take(9), again),
        None,
        reader_factory=ReadRecords(records),
    )
    assert again.log == ["loaded", "start", 1, 2, "complete", "dispose", "cancel", "dispose"]
    assert again.is_disposed
