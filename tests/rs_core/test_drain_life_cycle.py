"""The life cycle of a tree: each phase once, from downstream to upstream, by initialize() or by a host's visitors."""

from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import StateError
from rs_core.operators.python_operator import PythonStage
from rs_core.sources.basic import IterableSource, RangeSource
from tests.rs_core.callback_points import ELEMENTS, HERE, LAYOUTS, OPERATOR_POINTS, SOURCE_POINTS
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of, start_by_visits, subscribe_by_visits

Dropped = list[tuple[str, Any, str]]


def whole_chain(source: CountedElements) -> Stream[Any]:
    return (
        Stream.from_iterable(source)
        .map(str)
        .filter(len)
        .do(on_next=len)
        .scan(lambda _, element: element, "")
        .buffer(2)
        .flat_map(list)
        .observe_on(HERE)
        .skip(1)
        .take(3)
    )


NAMES = ["", *(f"rx://operators/{name}" for name in (
    "take", "skip", "observe_on", "flat_map", "buffer", "scan", "do", "filter", "map",
)), "rx://sources/from_iterable"]  # fmt: skip


def test_nodes_are_visited_from_downstream_to_upstream() -> None:
    handle = whole_chain(CountedElements(9)).bind(RecordingSubscriber(demand=None))
    assert [node.name for node in nodes_of(handle)] == [""]
    handle.initialize()
    assert [node.name for node in nodes_of(handle)] == NAMES


def test_every_node_has_the_next_one_upstream_as_its_only_input() -> None:
    handle = whole_chain(CountedElements(9)).bind(RecordingSubscriber(demand=None))
    handle.initialize()
    nodes = nodes_of(handle)
    assert [node.inputs for node in nodes] == [*((node,) for node in nodes[1:]), ()]


def test_every_node_but_the_end_knows_where_it_was_added() -> None:
    handle = whole_chain(CountedElements(9)).bind(RecordingSubscriber(demand=None))
    handle.initialize()
    first, *others = nodes_of(handle)
    assert first.assembly is None
    assert {node.assembly.function for node in others} == {"whole_chain"}
    assert {node.assembly.file for node in others} == {__file__}


@pytest.mark.parametrize("demand", [None, 2])
def test_nodes_stay_visitable_after_they_were_disposed(demand: int | None) -> None:
    source = CountedElements(9)
    subscriber = RecordingSubscriber(demand=demand)
    handle = whole_chain(source).bind(subscriber)
    handle.initialize()
    handle.dispose()
    nodes = nodes_of(handle)
    assert [node.name for node in nodes] == NAMES
    assert all(node.is_disposed for node in nodes)
    assert source.close_calls == ([1] if source.readers else [])


def test_handle_of_an_initialized_stream_may_be_initialized_again_without_effect() -> None:
    subscriber = RecordingSubscriber(demand=None)
    handle = whole_chain(CountedElements(9)).bind(subscriber)
    handle.initialize()
    nodes = nodes_of(handle)
    handle.initialize()
    for node in nodes:
        node.subscribe()
        node.start()
    assert (subscriber.names, nodes_of(handle)) == (["on_subscribe"], nodes)


@pytest.mark.parametrize("demand", [1, 2, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", OPERATOR_POINTS)
def test_host_that_runs_the_phases_itself_gets_the_same(point: str, layout: str, demand: int) -> None:
    stream = LAYOUTS[layout](Stream.range(ELEMENTS), lambda stream: OPERATOR_POINTS[point](stream, dict))
    expected, hosted = RecordingSubscriber(demand=demand), RecordingSubscriber(demand=demand)
    stream.subscribe(expected)
    nodes = subscribe_by_visits(stream.bind(hosted))
    assert hosted.signals == []
    start_by_visits(nodes)
    assert hosted.names == expected.names
    assert list(map(repr, hosted.elements)) == list(map(repr, expected.elements))
    assert list(map(repr, hosted.errors)) == list(map(repr, expected.errors))


@pytest.mark.parametrize("demand", [1, UNBOUNDED])
@pytest.mark.parametrize("point", SOURCE_POINTS)
def test_host_that_runs_the_phases_itself_gets_the_same_of_a_source(point: str, demand: int) -> None:
    subscriber = RecordingSubscriber(demand=demand)
    start_by_visits(subscribe_by_visits(SOURCE_POINTS[point](dict).bind(subscriber)))
    assert (subscriber.elements, subscriber.is_complete) == (list(range(ELEMENTS)), True)


class Logging(PythonStage):
    name = "test/logging"

    def __init__(self, log: list[str], label: str) -> None:
        self.log = log
        self.label = label

    def on_start(self) -> None:
        self.log.append(f"start {self.label}")

    def on_next(self, element: Any) -> None:
        self.emit(element)

    def on_dispose(self) -> None:
        self.log.append(f"dispose {self.label}")


BY_HANDLE_AND_BY_HOST: dict[str, Callable[[Any], None]] = {
    "initialize": lambda handle: handle.initialize(),
    "host": lambda handle: start_by_visits(subscribe_by_visits(handle)),
}


@pytest.mark.parametrize("run", BY_HANDLE_AND_BY_HOST)
def test_nodes_are_started_from_downstream_to_upstream_before_anything_flows(run: str) -> None:
    log: list[str] = []
    subscriber = RecordingSubscriber(actions={"on_subscribe": lambda: log.append("on_subscribe")})
    source = CountedElements(1, on_iter=lambda: log.append("read"))
    stream = Stream.from_iterable(source).lift(Logging, log, "upper").observe_on(HERE).lift(Logging, log, "lower")
    BY_HANDLE_AND_BY_HOST[run](stream.bind(subscriber))
    started = ["on_subscribe", "start lower", "start upper", "read"]
    assert log[: len(started)] == started
    assert sorted(log[len(started) :]) == ["dispose lower", "dispose upper"]


@pytest.mark.parametrize("demand", [None, UNBOUNDED])
def test_context_reaches_every_node_before_the_start(demand: int | None) -> None:
    seen = []

    class Seeing(PythonStage):
        name = "test/seeing"

        def set_context(self, context: Any) -> None:
            seen.append(context)
            super().set_context(context)

        def on_start(self) -> None:
            seen.append("start")

        def on_next(self, element: Any) -> None:
            self.emit(element)

    context = object()
    start_by_visits(subscribe_by_visits(Stream.range(2).lift(Seeing).bind(RecordingSubscriber(demand=demand)), context))
    assert seen == [context, "start"]


@pytest.mark.parametrize("when", ["bound", "subscribed"])
def test_disposed_before_the_start_means_that_nothing_starts(when: str, dropped_signals: Dropped) -> None:
    log: list[str] = []
    source = CountedElements(3)
    subscriber = RecordingSubscriber()
    handle = Stream.from_iterable(source).lift(Logging, log, "only").observe_on(HERE).bind(subscriber)
    if when == "bound":
        handle.dispose()
        nodes = subscribe_by_visits(handle)
    else:
        nodes = subscribe_by_visits(handle)
        handle.dispose()
    start_by_visits(nodes)
    handle.request(3)
    assert subscriber.signals == []
    assert (source.reads, dropped_signals) == (0, [])
    assert all(node.is_disposed for node in nodes)
    assert "start only" not in log


@pytest.mark.parametrize("position", range(1, len(NAMES)))
def test_node_that_is_disposed_stops_what_it_sends(position: int) -> None:
    source = CountedElements(100)
    subscriber = RecordingSubscriber(demand=None)
    handle = whole_chain(source).bind(subscriber)
    handle.initialize()
    handle.request(1)
    disposed = nodes_of(handle)[position]
    disposed.dispose()
    disposed.dispose()
    assert disposed.is_disposed
    assert source.close_calls == [1]
    reads = source.reads
    handle.request(1)
    assert source.reads == reads
    handle.cancel()
    assert all(node.is_disposed for node in nodes_of(handle))


def test_queue_below_a_disposed_node_keeps_what_it_has() -> None:
    subscriber = RecordingSubscriber(demand=None)
    handle = Stream.range(100).observe_on(HERE, prefetch=4).bind(subscriber)
    handle.initialize()
    handle.request(1)
    nodes_of(handle)[-1].dispose()
    handle.request(50)
    assert subscriber.elements == [0, 1, 2, 3]


@pytest.mark.parametrize("source", [RangeSource(range(3)), IterableSource([1, 2])])
def test_stage_made_by_hand_cannot_be_started(source: Any) -> None:
    source.subscribe()
    with pytest.raises(StateError, match="belongs to no stream"):
        source.start()
    source.request(3)
    source.request(-1)
    source.execute()
    source.discard(ValueError())
    source.dispose()
    assert not source.is_disposed  # no stream, so nothing was torn down


def test_task_that_is_run_without_having_been_scheduled_does_nothing() -> None:
    subscriber = RecordingSubscriber(demand=None)
    handle = Stream.range(3).observe_on(HERE).bind(subscriber)
    nodes = subscribe_by_visits(handle)
    for node in nodes[1:]:
        assert node.execute() is True
        node.discard(ValueError())
    start_by_visits(nodes)
    handle.request(2)
    for node in nodes[1:]:
        assert node.execute(HERE) is True
        node.discard(ValueError())
    handle.request(UNBOUNDED)
    assert (subscriber.elements, subscriber.is_complete) == ([0, 1, 2], True)


def test_interrupt_in_a_phase_leaves_nothing_half_started() -> None:
    class Interrupt(KeyboardInterrupt):
        pass

    class Interrupted(PythonStage):
        name = "test/interrupted"

        def on_start(self) -> None:
            raise Interrupt

    source = CountedElements(3)
    subscriber = RecordingSubscriber()
    handle = Stream.from_iterable(source).lift(Interrupted).observe_on(HERE).bind(subscriber)
    with pytest.raises(Interrupt):
        handle.initialize()
    assert all(node.is_disposed for node in nodes_of(handle))
    assert (subscriber.names, source.reads) == (["on_subscribe"], 0)
