"""take_until and skip_until: the elements before, or from, a true predicate or the first element of another stream."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from typing import Any, ClassVar

import pytest

from reactivestreams import Pipeline, Stream, pipeline
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.schedulers import ImmediateScheduler, WorkerScheduler
from reactivestreams.state import load_tree, save_tree
from reactivestreams.subjects import SimpleSubject
from tests.contracts.counted_iterable import CountedIterable
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.operator_contract import OperatorContract
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.state_contract import SerializableContract, StateContract

METHODS = ["take_until", "skip_until"]


def is_7(element: int) -> bool:
    return element == 7


class TestTakeUntil(OperatorContract, StateContract, SerializableContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take_until(is_7)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements[: elements.index(7) + 1] if 7 in elements else elements

    def is_finished_by(self, elements: list[Any]) -> bool:
        return 7 in elements


class TestSkipUntil(OperatorContract, StateContract, SerializableContract):
    elements: ClassVar[list[Any]] = [0, 3, 7, 1, 7, 2]

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip_until(is_7)

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return list(itertools.dropwhile(lambda element: element != 7, elements))


class TestTakeUntilWhatNeverComes(OperatorContract, StateContract):
    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take_until(Stream.never())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestTakeUntilAnEmptyStream(OperatorContract, StateContract):
    reads_ahead = 128  # of unbounded demand, once the other stream is over

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().take_until(Stream.empty())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestSkipUntilWhatIsThere(OperatorContract, StateContract):
    reads_ahead = 128  # of unbounded demand, once the other stream is over

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip_until(Stream.just("now"))

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return elements


class TestSkipUntilWhatNeverComes(OperatorContract, StateContract):
    test_state_is_not_saved_while_elements_flow = None  # type: ignore[assignment]  # none does

    def subject(self) -> Pipeline[Any, Any]:
        return pipeline().skip_until(Stream.never())

    def passed_on(self, elements: list[Any]) -> list[Any]:
        return []


def of_manual(method: str, request: int = UNBOUNDED) -> tuple[ManualPublisher, ManualPublisher, RecordingSubscriber]:
    source, trigger = ManualPublisher(), ManualPublisher()
    subscriber = RecordingSubscriber(first_request=request)
    getattr(Stream.from_publisher(source), method)(trigger).subscribe(subscriber)
    return source, trigger, subscriber


def test_first_element_of_the_other_stream_ends_this_one() -> None:
    source, trigger, subscriber = of_manual("take_until")
    source.send(1, 2)
    trigger.send("now")
    assert subscriber.outcome == ([1, 2], "complete")
    assert (source.cancels, trigger.cancels) == (1, 1)


def test_first_element_of_the_other_stream_lets_elements_pass() -> None:
    source, trigger, subscriber = of_manual("skip_until")
    source.send(1, 2)
    trigger.send("now")
    assert (source.cancels, trigger.cancels) == (0, 1)
    source.send(3, 4)
    source.complete()
    assert subscriber.outcome == ([3, 4], "complete")


@pytest.mark.parametrize("method", METHODS)
def test_one_element_is_requested_of_the_other_stream_without_any_demand(method: str) -> None:
    asked: list[int] = []
    handle = getattr(Stream.never(), method)(Stream.range(9).do(asked.append)).bind(RecordingSubscriber())
    handle.initialize()
    assert asked == [0]


def test_end_by_the_other_stream_needs_no_demand() -> None:
    source, trigger, subscriber = of_manual("take_until", request=0)
    trigger.send("now")
    assert subscriber.outcome == ([], "complete")
    assert source.cancels == 1


def test_completion_of_the_other_stream_without_an_element_changes_nothing() -> None:
    for method, expected in (("take_until", [1, 2]), ("skip_until", [])):
        source, trigger, subscriber = of_manual(method)
        source.send(1)
        trigger.complete()
        source.send(2)
        assert subscriber.outcome == (expected, "open")
        source.complete()
        assert subscriber.outcome == (expected, "complete")


@pytest.mark.parametrize("method", METHODS)
def test_error_of_either_stream_cancels_the_other(method: str) -> None:
    for failing in range(2):
        *inputs, subscriber = of_manual(method)
        inputs[failing].fail(ValueError("broken"))
        assert subscriber.outcome == ([], "ValueError('broken')")
        assert [each.cancels for each in inputs] == [failing, 1 - failing]


def test_error_behind_the_element_that_lets_elements_pass_is_dropped() -> None:
    class SendsAndFails:
        def subscribe(self, subscriber: Any) -> None:
            publisher = ManualPublisher()
            publisher.during_request = [lambda: (publisher.send("now"), publisher.fail(ValueError("late")))]
            publisher.subscribe(subscriber)

    with recorded_drops() as drops:
        assert Stream.range(3).skip_until(SendsAndFails()).to_list() == [0, 1, 2]
    assert [(signal, repr(value)) for signal, value, _ in drops] in ([], [("on_error", "ValueError('late')")])


@pytest.mark.parametrize("method", METHODS)
def test_cancel_reaches_both_streams(method: str) -> None:
    source, trigger, subscriber = of_manual(method)
    subscriber.cancel()
    assert (source.cancels, trigger.cancels) == (1, 1)


def test_source_that_completes_first_completes_the_stream_and_cancels_the_other() -> None:
    for method in METHODS:
        source, trigger, subscriber = of_manual(method)
        source.complete()
        assert subscriber.outcome == ([], "complete")
        assert trigger.cancels == 1


def fed_by(place: str, method: str, trigger: Any, send: Callable[[], object]) -> Stream[int]:
    """Return a stream of which a function makes the other one send at the element 5."""

    def emit(element: int) -> None:
        if element == 5:
            send()

    stream = Stream.range(10**3)
    if place == "above":
        return getattr(stream.do(emit), method)(trigger)  # type: ignore[no-any-return]
    return getattr(stream, method)(trigger).do(emit)  # type: ignore[no-any-return]


@pytest.mark.parametrize("kind", ["subject", "publisher", "subject in a chain"])
def test_what_the_stream_itself_makes_the_other_send_counts_at_once(kind: str) -> None:
    def fed(place: str, method: str) -> Stream[int]:
        if kind == "publisher":
            trigger = ManualPublisher()
            return fed_by(place, method, trigger, lambda: trigger.send("now"))
        subject: SimpleSubject[str] = SimpleSubject()
        if kind == "subject":
            return fed_by(place, method, subject, lambda: subject.on_next("now"))
        other = Stream.from_publisher(subject).concat_with([])
        return fed_by(place, method, other, lambda: subject.on_next("now"))

    assert fed("above", "take_until").to_list() == [0, 1, 2, 3, 4]
    assert fed("below", "take_until").to_list() == [0, 1, 2, 3, 4, 5]
    assert fed("above", "skip_until").to_list() == list(range(5, 10**3))
    assert fed("above", "take_until").take_until(Stream.never()).to_list() == [0, 1, 2, 3, 4]
    assert fed("above", "take_until").merge_with(()).to_list() == [0, 1, 2, 3, 4]
    assert fed("above", "take_until").observe_on(ImmediateScheduler()).to_list() == [0, 1, 2, 3, 4]


def test_demand_is_exact() -> None:
    source = CountedIterable(list(range(100)))
    subscriber = RecordingSubscriber(first_request=3)
    Stream.from_iterable(source).take_until(Stream.never()).subscribe(subscriber)
    assert (subscriber.elements, source.taken) == ([0, 1, 2], 3)


@pytest.mark.parametrize("requested", [3, UNBOUNDED])
@pytest.mark.parametrize("method", METHODS)
def test_elements_are_requested_one_by_one_as_long_as_the_other_may_send(method: str, requested: int) -> None:
    """Each request is made after the element before has passed: what it made the other one send was seen first."""
    log: list[Any] = []
    above = Stream.range(5).do(log.append, on_request=lambda n: log.append(f"request({n})"))
    subscriber = RecordingSubscriber(first_request=requested)
    getattr(above, method)(Stream.never()).subscribe(subscriber)
    served = 0 if method == "skip_until" else min(requested, 5)  # elements that are left out cost no demand
    count = 5 if served < requested else requested
    assert log[: 2 * count] == [each for number in range(count) for each in ("request(1)", number)]
    assert log[2 * count :] in ([], ["request(1)"] if served < requested else [])  # before the end is known


def test_one_requested_element_is_found_behind_many_dropped_ones() -> None:
    opened: SimpleSubject[int] = SimpleSubject()
    subscriber = RecordingSubscriber(first_request=1)
    stream = Stream.range(100_000).do(lambda n: opened.on_next(n) if n == 90_000 else None).skip_until(opened)
    stream.subscribe(subscriber)
    assert subscriber.outcome == ([90_000], "open")


def test_every_kind_of_stream_may_be_the_other_one() -> None:
    async def numbers() -> AsyncIterator[int]:
        yield 1

    class Foreign:
        def subscribe(self, subscriber: Any) -> None:
            Stream.just(1).subscribe(subscriber)

    others: list[Callable[[], Any]] = [lambda: [1], lambda: Stream.just(1), Foreign, numbers]
    for other in others:

        async def run(other: Any = other) -> list[int]:
            return await Stream.range(10**12).take_until(other()).to_list_async()

        asyncio.run(asyncio.wait_for(run(), 10))


@pytest.mark.parametrize("method", METHODS)
def test_other_stream_in_another_thread_is_noticed(method: str) -> None:
    with WorkerScheduler(name="other") as worker:
        other = Stream.range(1_000).filter(lambda n: n == 999).observe_on(worker)
        stream = getattr(Stream.range(10**12), method)(other)
        if method == "take_until":
            stream.run(timeout_seconds=60)
        else:
            assert stream.take(3).count(timeout_seconds=60) == 3


def assembled(method: str, subscriber: Any, size: int | None = None) -> tuple[Any, ManualPublisher]:
    """Return the handle of a stream of a range, in lists if their size is given, and the other stream."""
    trigger = ManualPublisher()
    other = Stream.from_publisher(trigger, recovery="exact")
    stream: Stream[Any] = getattr(Stream.range(9), method)(other)
    return (stream if size is None else stream.buffer(size)).bind(subscriber), trigger


def recovered(handle: Any, method: str, subscriber: Any, size: int | None = None) -> tuple[Any, ManualPublisher]:
    second, trigger = assembled(method, subscriber, size)
    load_tree(second, save_tree(handle))
    second.initialize()
    return second, trigger


def test_state_is_loaded_before_the_other_sends() -> None:
    before, after = RecordingSubscriber(first_request=3), RecordingSubscriber()
    handle, _ = assembled("take_until", before)
    handle.initialize()
    _, trigger = recovered(handle, "take_until", after)
    after.request(2)
    trigger.send("now")
    assert (before.elements, after.outcome) == ([0, 1, 2], ([3, 4], "complete"))


def test_that_the_other_has_sent_is_saved() -> None:
    before, after = RecordingSubscriber(), RecordingSubscriber()
    handle, trigger = assembled("skip_until", before)
    handle.initialize()
    trigger.send("now")
    before.request(3)
    _, second = recovered(handle, "skip_until", after)
    assert second.requests == []
    after.request(UNBOUNDED)
    assert (before.elements, after.outcome) == ([0, 1, 2], ([3, 4, 5, 6, 7, 8], "complete"))


def test_end_that_waits_for_demand_is_saved() -> None:
    """The part of a list that a loaded buffer holds waits for a request, and the end behind it."""
    first, second, third = RecordingSubscriber(), RecordingSubscriber(), RecordingSubscriber()
    source = ManualPublisher()

    def of_lists(subscriber: Any) -> tuple[Any, ManualPublisher]:
        trigger = ManualPublisher()
        elements = Stream.from_publisher(source, recovery="exact")
        stream = elements.take_until(Stream.from_publisher(trigger, recovery="exact")).buffer(2)
        return stream.bind(subscriber), trigger

    handle, _ = of_lists(first)
    handle.initialize()
    first.request(1)
    source.send(1)
    again, trigger = of_lists(second)
    load_tree(again, save_tree(handle))
    again.initialize()
    trigger.send("now")
    assert second.outcome == ([], "open")
    last, _ = of_lists(third)
    load_tree(last, save_tree(again))
    last.initialize()
    assert third.outcome == ([], "open")
    third.request(1)
    assert third.outcome == ([[1]], "complete")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("position", [0, 1, 3])
def test_predicate_that_raises_ends_the_stream(method: str, position: int) -> None:
    def predicate(element: int) -> bool:
        if element == position:
            raise ValueError("mine")
        return False

    subscriber = RecordingSubscriber(first_request=UNBOUNDED)
    getattr(Stream.range(4), method)(predicate).subscribe(subscriber)
    assert subscriber.outcome == (list(range(position)) if method == "take_until" else [], "ValueError('mine')")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("until", [None, 3, pipeline()], ids=["None", "3", "a pipeline"])
def test_what_is_neither_predicate_nor_stream_is_refused_when_the_stream_is_built(method: str, until: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=rf"^{method}\(until\) needs a predicate, or a stream, .*; pass a func"):
        getattr(Stream.range(3), method)(until)
