"""A stream that is run inside of a callback ends there, whatever became of the stream around it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import WouldDeadlockError
from tests.contracts.manual_scheduler import ManualScheduler
from tests.rs_core.callback_points import ELEMENTS, HERE, LAYOUTS, OPERATOR_POINTS, SOURCE_POINTS

# A nested stream drains itself, so its end never waits for another thread: any time at all is enough.
AT_ONCE = 0.001

NESTED: dict[str, Callable[[], object]] = {
    "to_list": lambda: Stream.range(2).flat_map(lambda element: [element]).to_list(timeout_seconds=AT_ONCE),
    "reduce": lambda: Stream.range(2).observe_on(HERE).reduce(lambda sum, one: sum + one, 0, timeout_seconds=AT_ONCE),
    "iteration": lambda: list(Stream.range(2).observe_on(HERE).iterate()),
    "subscribe": lambda: elements_of_a_subscriber(Stream.range(2).flat_map(lambda element: [element])),
}
RESULTS = {"to_list": [0, 1], "reduce": 1, "iteration": [0, 1], "subscribe": [0, 1]}


class Collector:
    """A subscriber whose subscription lies in a list of somebody else: nothing else keeps it alive."""

    def __init__(self, handles: list[Any], elements: list[Any]) -> None:
        self.handles = handles
        self.elements = elements

    def on_subscribe(self, subscription: Any) -> None:
        self.handles.append(subscription)
        subscription.request(2**63 - 1)

    def on_next(self, element: Any) -> None:
        self.elements.append(element)

    def on_error(self, error: Exception) -> None:
        self.elements.append(error)

    def on_complete(self) -> None:
        pass


class NeverRequests(Collector):
    def __init__(self) -> None:
        super().__init__([], [])

    def on_subscribe(self, subscription: Any) -> None:
        self.handles.append(subscription)


def elements_of_a_subscriber(stream: Stream[int]) -> list[Any]:
    elements: list[Any] = []
    stream.subscribe(Collector([], elements))
    return elements


class DropsAndNests:
    """Called first, it cancels the stream around it, drops the last handle, and runs one stream of each kind."""

    def __init__(self) -> None:
        self.handles: list[Any] = []
        self.results: dict[str, Any] = {}

    def __call__(self) -> None:
        if not self.handles:
            return
        self.handles[-1].cancel()
        self.handles.clear()
        for kind, run in NESTED.items():
            try:
                self.results[kind] = run()
            except TimeoutError:
                self.results[kind] = "waited for itself"


def run_in_tasks(stream: Stream[Any], handles: list[Any]) -> None:
    """Run a stream of which only `handles` and the scheduler know."""
    host = ManualScheduler()
    stream.bind(Collector(handles, [])).initialize(SimpleNamespace(scheduler=host))
    host.run_waiting()


@pytest.mark.usefixtures("dropped_signals")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", OPERATOR_POINTS)
def test_streams_run_inside_of_an_operator_whose_stream_is_gone(point: str, layout: str) -> None:
    act = DropsAndNests()
    source = Stream.range(ELEMENTS)
    run_in_tasks(LAYOUTS[layout](source, lambda stream: OPERATOR_POINTS[point](stream, act)), act.handles)
    assert act.results == RESULTS


@pytest.mark.usefixtures("dropped_signals")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", SOURCE_POINTS)
def test_streams_run_inside_of_a_source_whose_stream_is_gone(point: str, layout: str) -> None:
    act = DropsAndNests()
    # take() cancels, which is what some of these points wait for
    run_in_tasks(LAYOUTS[layout](SOURCE_POINTS[point](act), lambda stream: stream).take(2), act.handles)
    assert act.results == RESULTS


@pytest.mark.usefixtures("dropped_signals")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("point", OPERATOR_POINTS)
def test_streams_run_inside_of_an_operator_below_an_emitter_whose_stream_is_gone(point: str, layout: str) -> None:
    act = DropsAndNests()
    emitters: list[Any] = []
    source = Stream.create(emitters.append, on_overflow="error")
    LAYOUTS[layout](source, lambda stream: OPERATOR_POINTS[point](stream, act)).subscribe(Collector(act.handles, []))
    for emitter in emitters:  # none, if it was cancelled while it started
        for element in range(ELEMENTS):
            emitter.emit(element)
        emitter.complete()
    assert act.results == RESULTS


def test_an_emitter_is_not_taken_for_that_of_the_dropped_stream_around_it() -> None:
    outer: list[Any] = []
    handles: list[Any] = []
    refused: list[Any] = []

    def drop_and_overflow(_: Any) -> None:
        handles.pop().cancel()
        inner: list[Any] = []
        subscribers = [NeverRequests() for _ in range(8)]  # the subscription of one may lie where the dropped one was
        for subscriber in subscribers:
            Stream.create(inner.append, capacity=1, on_overflow="block", block_timeout_seconds=AT_ONCE).subscribe(
                subscriber
            )
        for emitter in inner:
            emitter.emit(1)
            try:
                emitter.emit(2)  # no room, and another thread might make some
            except WouldDeadlockError as error:
                refused.append(error)

    stream = Stream.create(outer.append, on_overflow="error").do(on_next=drop_and_overflow).observe_on(HERE)
    stream.subscribe(Collector(handles, []))
    outer[0].emit(1)
    assert refused == []


DEEPEST_RUN = 64  # as in drain_run.h
NESTED_BELOW_IT = 100


class Nesting:
    """Subscribes to the next stream in its `on_next`; notes its level once its stream has ended."""

    def __init__(self, level: int, ended: list[int], ended_at_return: list[int]) -> None:
        self.level, self.ended, self.ended_at_return = level, ended, ended_at_return

    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(2**63 - 1)

    def on_next(self, _: Any) -> None:
        if self.level < NESTED_BELOW_IT:
            nest(self.level + 1, self.ended, self.ended_at_return)

    def on_error(self, error: Exception) -> None:
        raise error

    def on_complete(self) -> None:
        self.ended.append(self.level)


def nest(level: int, ended: list[int], ended_at_return: list[int]) -> None:
    Stream.just(1).subscribe(Nesting(level, ended, ended_at_return))
    if level in ended:
        ended_at_return.append(level)


def test_subscribe_delivers_before_it_returns_to_a_fixed_depth_and_all_do_before_the_first_returns() -> None:
    ended: list[int] = []
    ended_at_return: list[int] = []
    nest(0, ended, ended_at_return)
    assert sorted(ended) == list(range(NESTED_BELOW_IT + 1))
    assert sorted(ended_at_return) == list(range(DEEPEST_RUN + 1))


def test_blocking_end_has_its_elements_at_any_depth() -> None:
    def nested_list(level: int) -> int:
        return level if level == NESTED_BELOW_IT else Stream.just(level + 1).map(nested_list).to_list()[0]

    assert nested_list(0) == NESTED_BELOW_IT
