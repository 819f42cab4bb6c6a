"""What is no Exception, such as KeyboardInterrupt: it ends the whole subscription and is raised where Python called."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.dropped import set_hook
from reactivestreams.errors import StreamCancelledError
from reactivestreams.schedulers import WorkerScheduler
from tests.rs_core.callback_points import LAYOUTS, OPERATOR_POINTS, SOURCE_POINTS
from tests.rs_core.counted_elements import CountedElements
from tests.rs_core.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.rs_core.tree_walks import nodes_of

Dropped = list[tuple[str, Any, str]]
IN_FINALIZERS = re.compile("death")  # Python itself reports what a finalizer raises, and lets it go


class Interrupt(KeyboardInterrupt):
    pass


class Interrupter:
    def __init__(self, call: int) -> None:
        self.left = call
        self.interrupt = Interrupt()
        self.has_raised = False

    def __call__(self) -> None:
        self.left -= 1
        if self.left == 0:
            self.has_raised = True
            raise self.interrupt


def interrupted(stream: Stream[Any], interrupter: Interrupter, demand: int) -> RecordingSubscriber:
    """Subscribe to a stream that is interrupted; check that nothing of it is left, and that it was raised."""
    subscriber = RecordingSubscriber(demand=demand)
    try:
        stream.subscribe(subscriber)
    except Interrupt:
        assert interrupter.has_raised
        assert "on_error" not in subscriber.names
        signals = list(subscriber.signals)
        subscriber.subscription.request(3)
        assert subscriber.signals == signals
    else:
        assert not interrupter.has_raised
    assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
    return subscriber


@pytest.mark.parametrize("demand", [1, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", [point for point in OPERATOR_POINTS if not IN_FINALIZERS.search(point)])
def test_interrupt_in(point: str, layout: str, demand: int, dropped_signals: Dropped) -> None:
    for call in (1, 3):
        interrupter = Interrupter(call)
        source = CountedElements(6)
        stream = LAYOUTS[layout](
            Stream.from_iterable(source), lambda stream, act=interrupter: OPERATOR_POINTS[point](stream, act)
        )
        interrupted(stream, interrupter, demand)
        assert [calls for calls in source.close_calls if calls != 1] == []
    assert [told for told in dropped_signals if not isinstance(told[1], ValueError)] == []


@pytest.mark.parametrize("demand", [1, UNBOUNDED])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", SOURCE_POINTS)
def test_interrupt_in_a_source_in(point: str, layout: str, demand: int, dropped_signals: Dropped) -> None:
    for call in (1, 3):
        interrupter = Interrupter(call)
        interrupted(LAYOUTS[layout](SOURCE_POINTS[point](interrupter), lambda stream: stream), interrupter, demand)
    assert dropped_signals == []


@pytest.mark.parametrize("point", ["close", "closed generator", "cancel of a publisher"])
def test_interrupt_while_a_cancelled_source_is_closed_is_raised_by_cancel(point: str) -> None:
    interrupter = Interrupter(1)
    subscriber = RecordingSubscriber(demand=None)
    SOURCE_POINTS[point](interrupter).map(str).subscribe(subscriber)
    subscriber.subscription.request(1)
    with pytest.raises(Interrupt):
        subscriber.cancel()
    subscriber.cancel()
    assert [node for node in nodes_of(subscriber.subscription) if not node.is_disposed] == []
    assert subscriber.elements == ["0"]


def test_interrupt_that_nobody_can_raise_goes_to_the_hook(dropped_signals: Dropped) -> None:
    interrupter = Interrupter(1)
    with WorkerScheduler(name="reactivestreams-interrupted") as worker:
        # The worker has had enough and closes the source, which rests in this thread.
        stream = Stream.from_iterable(CountedElements(6, on_close=interrupter)).observe_on(worker, prefetch=2).take(1)
        assert stream.to_list(timeout_seconds=20) == [0]
    assert [(signal, type(value)) for signal, value, _ in dropped_signals] == [("cancel", Interrupt)]


def test_interrupt_of_the_first_thread_of_two_reaches_who_waits_behind_the_second(dropped_signals: Dropped) -> None:
    interrupter = Interrupter(3)

    def interrupt(element: int) -> int:
        interrupter()
        return element

    with WorkerScheduler(name="reactivestreams-a") as a, WorkerScheduler(name="reactivestreams-b") as b:
        stream = Stream.range(10).observe_on(a).map(interrupt).observe_on(b).buffer(2).flat_map(list)
        with pytest.raises(StreamCancelledError):
            stream.to_list(timeout_seconds=20)
    assert [(signal, type(value), origin) for signal, value, origin in dropped_signals] == [
        ("task", Interrupt, "reactivestreams-a")
    ]


# Where user code runs once more because a stream is torn down.
TEARDOWN_POINTS: dict[str, Callable[[Callable[[], object]], Stream[Any]]] = {
    **{name: SOURCE_POINTS[name] for name in ("close", "closed generator", "cancel of a publisher")},
    **{
        name: lambda act, name=name: OPERATOR_POINTS[name](Stream.range(6), act)  # type: ignore[misc]
        for name in (
            "flat_map, closed generator",
            "PythonStage, on_dispose",
            "PythonStage with own demand, on_dispose",
        )
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", TEARDOWN_POINTS)
def test_first_interrupt_of_a_run_is_raised_and_the_second_goes_to_the_hook(
    point: str, layout: str, dropped_signals: Dropped
) -> None:
    first, second = Interrupter(1), Interrupter(1)
    stream = LAYOUTS[layout](TEARDOWN_POINTS[point](second), lambda stream: stream.do(on_next=lambda _: first()))
    with pytest.raises(Interrupt) as raised:
        stream.subscribe(RecordingSubscriber())
    assert second.has_raised
    assert raised.value is first.interrupt
    assert [value for _, value, _ in dropped_signals] == [second.interrupt]


def test_interrupt_of_the_hook_that_is_told_of_a_second_interrupt_does_not_replace_the_first() -> None:
    first, second = Interrupter(1), Interrupter(1)
    told: list[object] = []

    def hook(_signal: str, value: object, /, *, origin: str) -> None:
        told.append(value)
        raise Interrupt

    previous = set_hook(hook)
    try:
        with pytest.raises(Interrupt) as raised:
            Stream.from_iterable(CountedElements(6, on_close=second)).do(on_next=lambda _: first()).run()
    finally:
        set_hook(previous)
    assert raised.value is first.interrupt
    assert told == [second.interrupt]


def test_interrupt_in_a_nested_stream_ends_both() -> None:
    interrupter = Interrupter(2)
    inner_source, outer_source = CountedElements(6), CountedElements(6)

    def interrupt(element: int) -> int:
        interrupter()
        return element

    outer = Stream.from_iterable(outer_source).map(
        lambda _: Stream.from_iterable(inner_source).map(interrupt).to_list()
    )
    with pytest.raises(Interrupt):
        outer.to_list()
    assert (inner_source.close_calls, outer_source.close_calls) == ([1], [1])


def test_iterator_is_closed_by_an_interrupt() -> None:
    interrupter = Interrupter(2)
    source = CountedElements(6)

    def interrupt(element: int) -> int:
        interrupter()
        return element

    elements = iter(Stream.from_iterable(source).map(interrupt))
    assert next(elements) == 0
    with pytest.raises(Interrupt):
        next(elements)
    assert (list(elements), source.close_calls) == ([], [1])
