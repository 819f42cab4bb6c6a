"""Operators with several inputs: their place in the tree, schedulers and threads."""

import contextvars
import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from reactivestreams import ImmediateScheduler, Stream, WorkerScheduler
from reactivestreams.errors import SchedulerFullError
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    MultiInputNode,
    OperatorTrace,
    Subscribable,
    initialize_tree,
    subscribe_tree,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.lifecycle.joining_nodes import Publishing, Zipping, zipped
from tests.lifecycle.merging_node import Action, Merging, bound
from tests.lifecycle.noting_node import Noting
from tests.rs_core.tree_walks import nodes_of
from tests.together import many_switches, run_together

LEFT, RIGHT = Stream.just("a", "b", "c"), Stream.just(1, 2)


# --- the tree ---------------------------------------------------------------------------------------------------------


def test_visitors_reach_all_inputs_through_the_stream() -> None:
    handle = zipped(LEFT.map(str), RIGHT).map(str).bind(RecordingSubscriber())
    handle.initialize()
    names = [node.name for node in nodes_of(handle) if getattr(node, "name", "")]
    assert names == [
        *("rx://operators/map", "rx://sources/from_publisher", "test/zipping"),
        *("rx://operators/map", "rx://sources/from_iterable", "rx://sources/from_iterable"),
    ]
    handle.dispose()
    disposed = [node for node in nodes_of(handle) if node.is_disposed]
    assert [node.name for node in disposed if getattr(node, "name", "")] == names


def test_host_that_runs_the_phases_gets_the_same() -> None:
    expected, hosted = RecordingSubscriber(first_request=5), RecordingSubscriber(first_request=5)
    zipped(LEFT, RIGHT).subscribe(expected)
    initialize_tree(zipped(LEFT, RIGHT).bind(hosted), None)
    assert hosted.outcome == expected.outcome == ([("a", 1), ("b", 2)], "complete")


def test_disposed_before_the_start_means_that_nothing_starts() -> None:
    log: list[Any] = []
    subscriber = RecordingSubscriber(first_request=1)
    handle = zipped(LEFT, RIGHT, log=log).bind(subscriber)
    handle.dispose()
    initialize_tree(handle, None)
    assert (subscriber.subscription, log) == (None, ["dispose"])


def test_context_reaches_the_inputs_of_an_operator_in_a_stream() -> None:
    scheduler = ManualScheduler()
    context = DefaultOperatorContext("rx://query", scheduler)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = zipped(LEFT, RIGHT).bind(subscriber)
    handle.initialize(context)
    assert {id(node.context) for node in nodes_of(handle)} == {id(context)}
    assert subscriber.elements == []
    scheduler.run_waiting()
    assert subscriber.outcome == ([("a", 1), ("b", 2)], "complete")


def test_context_is_handed_to_the_operator_once_with_its_trace() -> None:
    seen: list[Any] = []

    class Seeing(Merging):
        def on_context(self, context: Any) -> None:
            seen.append((context, self.context))

    context = DefaultOperatorContext("rx://query", ImmediateScheduler())
    node = Seeing(RecordingSubscriber(), Stream.never())
    subscribe_tree(node)
    for _ in range(2):
        node.set_context(context)
    assert (seen, type(node.trace)) == ([(context, context)], OperatorTrace)
    node.dispose()


def test_operator_that_is_disposed_while_it_binds_an_input_disposes_what_was_bound() -> None:
    class Disposing(Subscribable):
        def bind(self, subscriber: Any, /) -> Any:
            node.dispose()
            self.subscriber = subscriber
            return handle

    handle = Noting()
    source = Disposing()
    node = Merging(RecordingSubscriber(), source)
    subscribe_tree(node)
    assert (handle.is_disposed, node.disposals, node.inputs) == (True, 1, (handle,))
    late = ValueError("late")
    with recorded_drops() as drops:
        source.subscriber.on_error(late)
    assert drops == [("on_error", late, "test/merging")]


class Latest(MultiInputNode[Any]):
    """Sends the elements of the first input, each with the latest of the second, as users would write it."""

    name = "test/latest"
    latest: Any = None

    def __init__(self, subscriber: Any, *streams: Subscribable) -> None:
        super().__init__(subscriber)
        self.streams = streams

    def sources(self) -> Iterable[Subscribable]:
        return self.streams

    def on_start(self) -> None:
        self.request_input(1, 1)

    def on_request(self, n: int) -> None:
        self.request_input(0, n)

    def on_next(self, index: int, element: Any) -> None:
        if index == 1:
            self.latest = element
        else:
            self.emit((element, self.latest))

    def on_complete(self, index: int) -> None:
        if index == 0:
            self.complete()


def start_by_subscribe(publisher: Publishing, subscriber: RecordingSubscriber) -> None:
    publisher.subscribe(subscriber)


def start_as_stream(publisher: Publishing, subscriber: RecordingSubscriber) -> None:
    Stream.from_publisher(publisher).subscribe(subscriber)


def start_by_phases(publisher: Publishing, subscriber: RecordingSubscriber) -> None:
    initialize_tree(publisher.bind(subscriber), None)


def start_by_phases_of_a_host(publisher: Publishing, subscriber: RecordingSubscriber) -> None:
    initialize_tree(publisher.bind(subscriber), DefaultOperatorContext("rx://query", ImmediateScheduler()))


@pytest.mark.parametrize("start", [start_by_subscribe, start_as_stream, start_by_phases, start_by_phases_of_a_host])
def test_all_inputs_are_started_before_a_hook_gets_an_element(start: Callable[..., None]) -> None:
    inner = Publishing(lambda subscriber: Latest(subscriber, LEFT, Stream.just(1)))
    outer = Publishing(lambda subscriber: Latest(subscriber, inner, Stream.just(2)))
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    start(outer, subscriber)
    assert subscriber.outcome == ([(("a", 1), 2), (("b", 1), 2), (("c", 1), 2)], "complete")


def test_operator_can_be_disposed_by_another_thread_while_an_input_starts() -> None:
    publisher = ManualPublisher()
    others: list[ManualPublisher] = [ManualPublisher(), ManualPublisher()]
    node = Merging(RecordingSubscriber(), *map(Stream.from_publisher, [publisher, *others]))

    disposals: list[int] = []

    def dispose_elsewhere() -> None:
        thread = threading.Thread(target=node.dispose)
        thread.start()
        thread.join()
        disposals.append(node.disposals)

    publisher.during_request = [dispose_elsewhere]
    bound(node)
    assert (disposals, node.disposals, publisher.cancels) == ([1], 1, 1)
    assert [each.subscriber for each in others] == [None, None]


@pytest.mark.parametrize("times", [2, 3])
def test_start_begins_once(times: int) -> None:
    log: list[Any] = []
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    node = Zipping(subscriber, LEFT, RIGHT, log=log)
    subscribe_tree(node)
    for _ in range(times):
        node.start()
    assert subscriber.outcome == ([("a", 1), ("b", 2)], "complete")
    assert log.count("start") == 1


# --- threads ----------------------------------------------------------------------------------------------------------


def test_under_a_host_a_request_from_elsewhere_is_served_by_the_scheduler_in_one_task() -> None:
    scheduler = ManualScheduler()
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    seen: list[str] = []
    subscriber = RecordingSubscriber()
    node = Merging(subscriber, Stream.never(), actions={"on_request": lambda: seen.append(variable.get())})
    context = contextvars.copy_context()
    context.run(variable.set, "of the subscriber")
    context.run(initialize_tree, node, DefaultOperatorContext("rx://query", scheduler))
    scheduler.run_waiting()
    node.request(1)
    node.request(1)
    assert (seen, scheduler.waiting) == ([], 1)
    scheduler.run_waiting()
    assert seen == ["of the subscriber"]
    node.dispose()


def test_under_a_host_signals_from_elsewhere_are_handled_by_its_scheduler() -> None:
    host, other = ManualScheduler(), ManualScheduler()
    stream = Stream.just(1, 2).observe_on(other)
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Publishing(lambda output: Merging(output, stream, window=2)).bind(subscriber)
    initialize_tree(handle, DefaultOperatorContext("rx://query", host))
    host.run_waiting()
    assert other.waiting == 1
    other.run_waiting()
    assert (subscriber.outcome, host.waiting) == (([], "open"), 1)
    host.run_waiting()
    assert subscriber.outcome == ([1, 2], "complete")


def test_under_a_host_a_request_of_another_task_waits_while_its_scheduler_is_paused() -> None:
    root = ManualScheduler()
    host, other = root.create_child(), root.create_child()
    hooks: list[str] = []
    subscriber = RecordingSubscriber()
    actions: dict[str, Action] = {"on_request": lambda: hooks.append("on_request")}
    node = Merging(subscriber, Stream.just(1), Stream.never(), actions=actions)
    initialize_tree(node, DefaultOperatorContext("rx://query", host))
    root.run_waiting()
    host.pause_async()
    other.schedule(lambda: subscriber.request(1))
    root.run_waiting()
    assert (hooks, subscriber.outcome) == ([], ([], "open"))
    host.continue_()
    root.run_waiting()
    assert (hooks, subscriber.outcome) == (["on_request"], ([1], "open"))
    node.dispose()


def test_under_a_host_what_a_task_of_it_brings_goes_on_in_that_task() -> None:
    host = ManualScheduler()
    subscriber = RecordingSubscriber()
    node = Merging(subscriber, Stream.just(1))
    initialize_tree(node, DefaultOperatorContext("rx://query", host))
    host.run_waiting()
    scheduled = host.schedule_calls
    host.schedule(lambda: subscriber.request(1))
    host.run_next()
    assert (subscriber.outcome, host.schedule_calls) == (([1], "complete"), scheduled + 1)


def test_scheduler_that_takes_no_task_ends_the_stream_with_its_error() -> None:
    class Full(ManualScheduler):
        def schedule(self, task: Any, **due: Any) -> None:
            raise SchedulerFullError("full")

    subscriber = RecordingSubscriber()
    node = Merging(subscriber)
    initialize_tree(node, DefaultOperatorContext("rx://query", Full()))
    node.request(1)
    assert repr(subscriber.error) == "SchedulerFullError('full')"


@pytest.mark.slow
def test_inputs_and_requests_of_several_threads_lose_nothing() -> None:
    count = 400
    with (
        many_switches(),
        WorkerScheduler(name="reactivestreams-left") as left,
        WorkerScheduler(name="reactivestreams-right") as right,
    ):
        subscriber = RecordingSubscriber()
        streams = [Stream.range(count).observe_on(each, prefetch=8) for each in (left, right)]
        zipped(*streams).subscribe(subscriber)

        def request() -> None:
            for _ in range(count):
                subscriber.subscription.request(1)

        subscriber.requested = UNBOUNDED
        run_together(request, request)
        assert subscriber.ended.wait(30)
    assert subscriber.outcome == ([(number, number) for number in range(count)], "complete")


@pytest.mark.slow
def test_dispose_beside_signals_of_several_threads_leaves_everything_disposed() -> None:
    with WorkerScheduler(name="reactivestreams-left") as left, WorkerScheduler(name="reactivestreams-right") as right:
        for _ in range(20):
            subscriber = RecordingSubscriber(first_request=UNBOUNDED)
            nodes: list[Merging] = []

            def create(output: Any, into: list[Merging] = nodes) -> Merging:
                endless = [Stream.range(10**9).observe_on(each, prefetch=4) for each in (left, right)]
                into.append(Merging(output, *endless))
                return into[0]

            handle = Stream.from_publisher(Publishing(create)).bind(subscriber)
            run_together(handle.initialize, handle.dispose)
            handle.dispose()
            for worker in (left, right):
                _settle(worker)
            assert [node.disposals for node in nodes] in ([], [1])


def _settle(worker: WorkerScheduler) -> None:
    """Wait until what the worker was given before has run."""
    done = threading.Event()
    worker.schedule(done.set)
    assert done.wait(10)
