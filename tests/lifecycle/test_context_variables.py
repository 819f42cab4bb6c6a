"""Context variables: those of who subscribed, in every boundary and task of a scheduler, a copy for each drain."""

import contextvars
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import AsyncBaseSubscriber, ImmediateScheduler, Stream
from reactivestreams.lifecycle import DefaultOperatorContext, initialize_tree, set_tree_context
from rs_core.ends.subscriber import SubscriberStage
from tests.contracts.manual_scheduler import ManualScheduler
from tests.contracts.recording_subscriber import RecordingSubscriber
from tests.lifecycle.merging_node import Merging

VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


def by_handle(handle: SubscriberStage, context: Any) -> None:
    handle.initialize(context)


def by_host(handle: SubscriberStage, context: Any) -> None:
    initialize_tree(handle, context)


def in_own_context(subscribe: Callable[[], object], value: str) -> None:
    """Subscribe where the variable has a value that it has nowhere else."""

    def run() -> None:
        VARIABLE.set(value)
        subscribe()

    contextvars.copy_context().run(run)


def noting(seen: list[str], value_to_set: str | None = None) -> Callable[[Any], Any]:
    """Return a function that notes the variable, then sets it."""

    def note(element: Any) -> Any:
        seen.append(VARIABLE.get())
        if value_to_set is not None:
            VARIABLE.set(value_to_set)
        return element

    return note


@pytest.mark.parametrize("run", [by_handle, by_host])
@pytest.mark.parametrize(
    "source",
    [
        lambda: Stream.range(3),
        lambda: Stream.from_iterable([0, 1, 2]),
        lambda: Stream.from_publisher(Stream.range(3)),
        lambda: Stream.range(3).flat_map(lambda element: [element]),
    ],
    ids=["range", "iterable", "publisher", "queue"],
)
def test_tasks_of_the_hosts_scheduler_run_in_the_variables_of_who_subscribed(
    run: Callable[[SubscriberStage, Any], None], source: Callable[[], Stream[Any]]
) -> None:
    seen: list[str] = []
    scheduler = ManualScheduler()
    subscriber = RecordingSubscriber(first_request=5)
    handle = source().map(noting(seen)).bind(subscriber)
    in_own_context(lambda: run(handle, DefaultOperatorContext("rx://query", scheduler)), "of the subscriber")
    scheduler.run_waiting()
    assert (seen, subscriber.is_complete) == (["of the subscriber"] * 3, True)
    assert VARIABLE.get() == "unset"


@pytest.mark.parametrize("scheduler_of_host", [None, ManualScheduler, ImmediateScheduler])
def test_boundary_runs_in_the_variables_of_who_subscribed(scheduler_of_host: Callable[[], Any] | None) -> None:
    seen: list[str] = []
    scheduler = ManualScheduler()
    subscriber = RecordingSubscriber(first_request=5)
    handle = Stream.range(3).observe_on(scheduler).map(noting(seen)).bind(subscriber)
    host = None if scheduler_of_host is None else DefaultOperatorContext("rx://query", scheduler_of_host())
    in_own_context(lambda: handle.initialize(host), "of the subscriber")
    for each in (getattr(host, "scheduler", None), scheduler):
        if isinstance(each, ManualScheduler):
            each.run_waiting()
    scheduler.run_waiting()
    assert (seen, subscriber.is_complete) == (["of the subscriber"] * 3, True)


def test_assignments_in_callbacks_last_for_one_drain_and_no_longer() -> None:
    seen: list[str] = []
    scheduler = ManualScheduler()
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).map(noting(seen, "set in a callback")).bind(subscriber)
    in_own_context(lambda: handle.initialize(DefaultOperatorContext("rx://query", scheduler)), "of the subscriber")
    scheduler.run_waiting()
    for _ in range(2):
        subscriber.request(2)
        scheduler.run_waiting()
    assert seen == ["of the subscriber", "set in a callback"] * 2
    handle.dispose()


def test_drains_of_the_caller_use_the_callers_variables() -> None:
    seen: list[str] = []
    subscriber = RecordingSubscriber()
    handle = Stream.range(9).map(noting(seen)).bind(subscriber)
    in_own_context(handle.initialize, "of the subscriber")
    in_own_context(lambda: subscriber.request(1), "of the caller")
    subscriber.request(1)
    assert seen == ["of the caller", "unset"]
    handle.dispose()


def test_each_subscription_has_the_variables_of_its_own_subscriber() -> None:
    seen: list[str] = []
    scheduler = ManualScheduler()
    stream = Stream.range(1).observe_on(scheduler).map(noting(seen))
    for name in ("first", "second"):
        in_own_context(lambda: stream.subscribe(RecordingSubscriber(first_request=2)), name)
    scheduler.run_waiting()
    assert seen == ["first", "second"]


def test_end_that_a_disposed_scheduler_brings_runs_in_the_variables_of_who_subscribed() -> None:
    seen: list[str] = []
    scheduler = ManualScheduler()
    subscriber = RecordingSubscriber(first_request=5)
    stream = Stream.range(3).observe_on(scheduler).do(on_error=noting(seen))
    in_own_context(lambda: stream.subscribe(subscriber), "of the subscriber")
    scheduler.dispose()
    assert (seen, type(subscriber.error).__name__) == (["of the subscriber"], "SchedulerDisposedError")


def test_hooks_of_an_asynchronous_subscriber_run_in_the_variables_of_who_subscribed() -> None:
    seen: list[str] = []

    class Hooked(AsyncBaseSubscriber[int]):
        def hook_on_next(self, element: int) -> None:
            noting(seen, "set in a hook")(element)

    scheduler = ManualScheduler()
    hooked = Hooked(scheduler=scheduler)
    in_own_context(lambda: Stream.range(2).subscribe(hooked), "of the subscriber")
    scheduler.run_waiting()
    assert seen[0] == "of the subscriber"
    assert set(seen) <= {"of the subscriber", "set in a hook"}


def test_second_context_leaves_the_variables_that_came_with_the_first() -> None:
    seen: list[str] = []
    scheduler = ManualScheduler()
    note = noting(seen)
    node = Merging(RecordingSubscriber(), actions={"on_request": lambda: note(None)})
    for value in ("of who subscribed", "of somebody else"):
        in_own_context(lambda: set_tree_context(node, DefaultOperatorContext("rx://query", scheduler)), value)
    initialize_tree(node, None)
    node.request(1)
    scheduler.run_waiting()
    assert seen == ["of who subscribed"]
