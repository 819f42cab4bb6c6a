"""Stages: each phase once whichever thread comes, dispose before, inside and beside the start, requests before it."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream, WorkerScheduler
from reactivestreams.errors import InvalidRequestError
from reactivestreams.lifecycle import (
    DefaultOperatorContext,
    initialize_tree,
    set_tree_context,
    start_tree,
    subscribe_tree,
)
from rs_core.operators.python_operator import PythonStage
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of
from tests.together import many_switches, run_together

Action = Callable[[], object]


class Hooked(PythonStage[Any, Any]):
    """Passes elements on, notes its hooks, and acts in them as told."""

    name = "test/hooked"

    def __init__(self, log: list[str], actions: dict[str, Action]) -> None:
        self.log = log
        self.actions = actions

    def _act(self, hook: str) -> None:
        self.log.append(hook)
        self.actions.get(hook, int)()
        self.log.append(f"{hook} returned")

    def on_start(self) -> None:
        self._act("on_start")

    def on_next(self, element: Any) -> None:
        self.emit(element)
        self._act("on_next")

    def on_complete(self) -> None:
        self._act("on_complete")
        super().on_complete()

    def on_dispose(self) -> None:
        self._act("on_dispose")


class HookedWithOwnDemand(Hooked):
    name = "test/hooked_with_own_demand"
    demand = "own"

    def on_request(self, n: int) -> None:
        self.request_upstream(n)
        self._act("on_request")


STAGES = [Hooked, HookedWithOwnDemand]
HOOKS = [(Hooked, hook) for hook in ("on_start", "on_next", "on_complete", "on_dispose")]
HOOKS += [(HookedWithOwnDemand, hook) for hook in ("on_start", "on_request", "on_next", "on_complete", "on_dispose")]


def overlaps(log: list[str]) -> list[str]:
    """Return what began before what was running had returned."""
    return [later for first, later in zip(log[::2], log[1::2], strict=True) if later != f"{first} returned"]


@pytest.mark.parametrize(("stage", "hook"), HOOKS)
def test_stream_may_be_disposed_inside_every_hook_and_no_hook_runs_inside_of_another(
    stage: type[Hooked], hook: str
) -> None:
    log: list[str] = []
    actions: dict[str, Action] = {}
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(2).lift(stage, log, actions).bind(subscriber)
    actions[hook] = handle.dispose
    handle.initialize()
    handle.dispose()
    assert (log.count("on_dispose"), overlaps(log)) == (1, [])
    assert log[-1] == "on_dispose returned"
    assert [node.is_disposed for node in nodes_of(handle)] == [True] * 3
    assert subscriber.faults == []


@pytest.mark.parametrize("stage", STAGES)
def test_stream_that_another_thread_disposes_while_a_stage_starts_is_cleaned_up_after_that(
    stage: type[Hooked],
) -> None:
    log: list[str] = []

    def dispose_elsewhere() -> None:
        disposer = threading.Thread(target=handle.dispose)
        disposer.start()
        disposer.join(10)  # it does not wait for the start
        assert not disposer.is_alive()

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(2).lift(stage, log, {"on_start": dispose_elsewhere}).bind(subscriber)
    handle.initialize()
    assert log == ["on_start", "on_start returned", "on_dispose", "on_dispose returned"]
    assert subscriber.outcome == ([], "open")


@pytest.mark.parametrize("stage", STAGES)
def test_what_on_start_raises_after_it_disposed_the_stream_goes_to_the_hook_for_dropped_signals(
    stage: type[Hooked],
) -> None:
    log: list[str] = []

    def dispose_and_fail() -> None:
        handle.dispose()
        raise LookupError("late")

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.range(2).lift(stage, log, {"on_start": dispose_and_fail}).bind(subscriber)
    with recorded_drops() as drops:
        handle.initialize()
    assert [(signal, repr(error)) for signal, error, _ in drops] == [("on_start", "LookupError('late')")]
    assert (subscriber.outcome, log) == (([], "open"), ["on_start", "on_dispose", "on_dispose returned"])


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_threads_that_start_and_dispose_a_stream_run_each_hook_once_and_apart(stage: type[Hooked]) -> None:
    with many_switches():
        for _ in range(100):
            log: list[str] = []
            subscriber = RecordingSubscriber(first_request=1)
            handle = Stream.range(9).lift(stage, log, {}).bind(subscriber)
            subscribe_tree(handle)
            set_tree_context(handle, None)
            run_together(lambda: start_tree(handle), lambda: start_tree(handle), handle.dispose)  # noqa: B023
            assert (log.count("on_dispose"), overlaps(log), log.count("on_start") <= 1) == (
                log.count("on_start"),
                [],
                True,
            )
            assert subscriber.faults == []
            assert [node.is_disposed for node in nodes_of(handle)] == [True] * 3


@pytest.mark.slow
def test_threads_that_start_a_tree_start_it_once() -> None:
    with many_switches():
        for _ in range(50):
            publisher = ManualPublisher()
            subscriber = RecordingSubscriber(first_request=5)
            handle = Stream.from_publisher(publisher).map(str).bind(subscriber)
            subscribe_tree(handle)
            run_together(*[lambda: start_tree(handle)] * 3)  # noqa: B023
            publisher.send(1)
            publisher.complete()
            assert (publisher.requests, subscriber.outcome) == ([5], (["1"], "complete"))


def test_second_start_leaves_the_first_one_alone() -> None:
    log: list[str] = []
    subscriber = RecordingSubscriber(first_request=2)
    actions: dict[str, Action] = {}
    handle = Stream.range(2).lift(HookedWithOwnDemand, log, actions).bind(subscriber)
    # A thread that comes while the start is under way must not let elements flow.
    actions["on_start"] = lambda: start_tree(handle)
    initialize_tree(handle, None)
    assert log[:2] == ["on_start", "on_start returned"]
    assert subscriber.outcome == ([0, 1], "complete")


def test_nothing_flows_while_another_thread_starts_the_end() -> None:
    class Starting(RecordingSubscriber):
        def on_subscribe(self, subscription: Any, /) -> None:
            super().on_subscribe(subscription)
            run_together(lambda: start_tree(handle))
            came.extend(self.elements)

    came: list[int] = []
    subscriber = Starting(first_request=2)
    handle = Stream.range(2).map(abs).bind(subscriber)
    initialize_tree(handle, None)
    assert came == []
    assert (subscriber.outcome, subscriber.faults) == (([0, 1], "complete"), [])


@pytest.mark.parametrize("stage", STAGES)
def test_nothing_flows_while_another_thread_starts_an_operator(stage: type[Hooked]) -> None:
    log: list[str] = []
    subscriber = RecordingSubscriber(first_request=2)
    actions: dict[str, Action] = {}
    handle = Stream.range(2).lift(stage, log, actions).bind(subscriber)
    actions["on_start"] = lambda: run_together(lambda: start_tree(handle))
    initialize_tree(handle, None)
    assert log[:2] == ["on_start", "on_start returned"]
    assert subscriber.outcome == ([0, 1], "complete")


def test_second_context_leaves_the_first_one_alone() -> None:
    first, second = ManualScheduler(), ManualScheduler()
    subscriber = RecordingSubscriber(first_request=2)
    handle = Stream.range(2).map(str).bind(subscriber)
    for scheduler in (first, second):
        subscribe_tree(handle)
        set_tree_context(handle, DefaultOperatorContext("rx://query", scheduler))
    start_tree(handle)
    assert {node.context.scheduler for node in nodes_of(handle)} == {first}
    second.run_waiting()
    assert subscriber.outcome == ([], "open")
    first.run_waiting()
    assert subscriber.outcome == (["0", "1"], "complete")


@pytest.mark.parametrize("phase", [lambda handle: None, subscribe_tree])
def test_stream_that_was_disposed_before_the_start_reads_nothing(phase: Callable[[Any], None]) -> None:
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=1)
    handle = Stream.from_publisher(publisher).bind(subscriber)
    phase(handle)
    handle.dispose()
    initialize_tree(handle, None)
    assert (publisher.subscriber, subscriber.subscription) == (None, None)
    assert [node.is_disposed for node in nodes_of(handle)] == [True, True]


def test_elements_wait_in_the_queue_of_a_boundary_until_its_scheduler_runs() -> None:
    scheduler = ManualScheduler()
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    Stream.from_publisher(publisher).observe_on(scheduler, prefetch=8).subscribe(subscriber)
    scheduler.run_waiting()
    publisher.send(1, 2, 3, 4)
    assert (subscriber.elements, scheduler.waiting) == ([], 1)  # however many there are, one task waits
    scheduler.run_waiting()
    assert (subscriber.elements, scheduler.waiting) == ([1, 2, 3, 4], 0)
    subscriber.cancel()


# --- demand before the start ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phases", [0, 1, 2])
def test_requests_before_the_start_add_up_whatever_phase_they_come_in(phases: int) -> None:
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).bind(subscriber)
    steps: list[Action] = [lambda: subscribe_tree(handle), lambda: set_tree_context(handle, None)]
    for step in steps[:phases]:
        step()
    handle.request(1)
    for step in steps[phases:]:
        step()
    handle.request(1)
    subscriber.requested = 2
    assert subscriber.elements == []
    start_tree(handle)
    assert subscriber.outcome == ([0, 1], "open")
    handle.dispose()


def test_illegal_request_between_the_phases_ends_the_stream_after_on_subscribe() -> None:
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).bind(subscriber)
    subscribe_tree(handle)
    handle.request(-1)
    start_tree(handle)
    assert isinstance(subscriber.error, InvalidRequestError)
    assert subscriber.faults == []


@pytest.mark.slow
def test_requests_beside_the_start_are_not_lost() -> None:
    with many_switches():
        for _ in range(200):
            subscriber = RecordingSubscriber()
            subscriber.requested = 20
            handle = Stream.range(99).bind(subscriber)
            run_together(
                handle.initialize,
                lambda: [handle.request(1) for _ in range(10)],  # noqa: B023
                lambda: [handle.request(1) for _ in range(10)],  # noqa: B023
            )
            assert subscriber.elements == list(range(20))
            handle.dispose()


@pytest.mark.slow
def test_cancellation_beside_the_start_is_not_lost() -> None:
    with many_switches():
        for _ in range(200):
            subscriber = RecordingSubscriber(first_request=1)
            handle = Stream.never().map(str).bind(subscriber)
            run_together(handle.initialize, handle.cancel)
            assert [node.is_disposed for node in nodes_of(handle)] == [True] * 3


# --- other streams as inputs ------------------------------------------------------------------------------------------


def test_stream_that_is_the_source_of_another_is_part_of_its_tree() -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    handle = Stream.from_publisher(Stream.range(3).map(str)).map(len).bind(subscriber)
    handle.initialize()
    assert [node.name for node in nodes_of(handle)] == [
        *("", "rx://operators/map", "rx://sources/from_publisher"),
        *("", "rx://operators/map", "rx://sources/range"),
    ]
    assert subscriber.outcome == ([1, 1, 1], "complete")


def test_inner_stream_is_disposed_with_the_outer_one_and_stays_visitable() -> None:
    handle = Stream.from_publisher(Stream.never()).bind(RecordingSubscriber(first_request=1))
    handle.initialize()
    handle.dispose()
    assert [node.is_disposed for node in nodes_of(handle)] == [True] * 4


def test_inner_stream_that_cannot_be_bound_ends_the_outer_one_with_its_error() -> None:
    class Broken(Stream[int]):
        def bind(self, subscriber: Any) -> Any:
            raise LookupError("no")

    broken = Broken.from_iterable([1])
    subscriber = RecordingSubscriber(first_request=1)
    Stream.from_publisher(broken).subscribe(subscriber)
    assert subscriber.outcome == ([], "LookupError('no')")


def test_inner_stream_runs_on_the_scheduler_of_the_host_too() -> None:
    with WorkerScheduler(name="reactivestreams-host") as host:
        threads: set[str] = set()
        note = lambda _: threads.add(threading.current_thread().name)  # noqa: E731
        subscriber = RecordingSubscriber(first_request=UNBOUNDED)
        stream = Stream.from_publisher(Stream.range(3).do(on_next=note)).do(on_next=note)
        stream.bind(subscriber).initialize(DefaultOperatorContext("rx://query", host))
        assert subscriber.ended.wait(10)
    assert threads == {"reactivestreams-host"}
