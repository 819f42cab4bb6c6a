"""defer: the stream is made when it is subscribed, and is part of the tree."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from reactivestreams import Stream
from reactivestreams.errors import ArgumentTypeError, StateError
from reactivestreams.schedulers import WorkerScheduler
from tests.contracts.manual_publisher import ManualPublisher
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import save, stages_of, start

COUNT = 5


class Numbers:
    """A publisher of another origin."""

    def subscribe(self, subscriber: Any, /) -> None:
        Stream.range(COUNT).subscribe(subscriber)


MADE: dict[str, Callable[[], Any]] = {
    "stream": lambda: Stream.range(COUNT),
    "stream with operators": lambda: Stream.range(-1, COUNT - 1).map(lambda number: number + 1),
    "list": lambda: list(range(COUNT)),
    "generator": lambda: (number for number in range(COUNT)),
    "publisher": Numbers,
    "deferred": lambda: Stream.defer(lambda: range(COUNT)),
}

made = pytest.mark.parametrize("made", MADE.values(), ids=MADE)


@made
@pytest.mark.parametrize("window", [1, 2, COUNT, UNBOUNDED])
def test_elements_are_those_of_what_was_made(made: Callable[[], Any], window: int) -> None:
    subscriber = RecordingSubscriber(first_request=window, then_request=1)
    Stream.defer(made).subscribe(subscriber)
    assert subscriber.outcome == (list(range(COUNT)), "complete")


@made
@pytest.mark.parametrize("position", range(1, COUNT + 1))
def test_cancel_at_any_position_leaves_silence(made: Callable[[], Any], position: int) -> None:
    subscriber = RecordingSubscriber(first_request=UNBOUNDED, cancel_after=position)
    Stream.defer(made).subscribe(subscriber)
    assert subscriber.outcome == (list(range(position)), "open")


def test_asynchronous_iterable_is_read_in_the_loop() -> None:
    async def numbers() -> AsyncIterator[int]:
        for number in range(COUNT):
            yield number

    async def main() -> list[int]:
        return await Stream.defer(lambda: numbers()).to_list_async()  # noqa: PLW0108 - the function itself is refused

    assert asyncio.run(main()) == list(range(COUNT))


def test_factory_is_called_for_each_subscription_when_it_begins() -> None:
    calls: list[int] = []
    stream = Stream.defer(lambda: calls.append(1) or [len(calls)]).map(lambda number: number * 10)
    assert calls == []
    assert (stream.to_list(), stream.to_list()) == ([10], [20])


def test_requests_and_cancellation_reach_the_publisher_that_was_made() -> None:
    publisher = ManualPublisher()
    subscriber = RecordingSubscriber(first_request=3)
    Stream.defer(lambda: publisher).subscribe(subscriber)
    publisher.send(1, 2)
    subscriber.cancel()
    assert (publisher.requested, publisher.cancels, subscriber.elements) == (3, 1, [1, 2])


def test_stream_with_a_thread_of_its_own_can_be_made() -> None:
    with WorkerScheduler() as worker:
        assert Stream.defer(lambda: Stream.range(COUNT).observe_on(worker)).to_list() == list(range(COUNT))


@pytest.mark.parametrize("first_request", [0, 1])
def test_failing_factory_ends_the_stream_behind_its_subscription(first_request: int) -> None:
    def failing() -> Any:
        raise OSError("no connection")

    stream = Stream.defer(failing)
    subscriber = RecordingSubscriber(first_request=first_request)
    stream.subscribe(subscriber)
    assert subscriber.outcome == ([], "OSError('no connection')")
    assert subscriber.error is not None
    assert subscriber.error.__notes__ == [f"in rx://sources/defer, assembled at {stream.assembly}"]


def test_interrupt_of_the_factory_is_raised_where_it_is_subscribed() -> None:
    def interrupted() -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stream.defer(interrupted).subscribe(RecordingSubscriber())


@pytest.mark.parametrize("wrong", [3, None, object()])
def test_what_is_no_source_is_an_error_of_the_stream(wrong: Any) -> None:
    with pytest.raises(
        ArgumentTypeError, match=r"defer\(factory\): what it returns needs a stream, a publisher, an it"
    ):
        Stream.defer(lambda: wrong).to_list()


def test_nodes_of_what_was_made_are_part_of_the_tree() -> None:
    handle = Stream.defer(lambda: Stream.range(3).map(str)).filter(bool).bind(RecordingSubscriber())
    handle.initialize()
    names = [node.name.rpartition("/")[2] for node in stages_of(handle)]
    assert names == ["", "filter", "defer", "map", "range"]


@pytest.mark.parametrize("position", range(COUNT + 1))
def test_recovered_stream_goes_on_with_what_is_made_again(position: int) -> None:
    before, after = RecordingSubscriber(first_request=position), RecordingSubscriber(first_request=UNBOUNDED)
    stream = Stream.defer(lambda: Stream.range(COUNT).scan(lambda total, number: total + number, 0))
    handle = stream.bind(before)
    handle.initialize()
    start(stream.bind(after), save(handle))
    assert before.elements + after.elements == [0, 1, 3, 6, 10]


def test_source_that_was_made_states_its_own_recovery() -> None:
    handle = Stream.defer(Numbers).bind(RecordingSubscriber(first_request=1))
    handle.initialize()
    with pytest.raises(StateError, match="begins anew after a recovery"):
        save(handle)


@pytest.mark.parametrize("wrong", [3, None, [1, 2]])
def test_factory_that_cannot_be_called_is_refused(wrong: Any) -> None:
    with pytest.raises(ArgumentTypeError, match=r"defer\(factory\) needs a callable, got "):
        Stream.defer(wrong)


def test_coroutine_function_is_refused() -> None:
    async def fetch() -> list[int]:
        return [1]

    wrong: Any = fetch
    with pytest.raises(ArgumentTypeError, match=r"defer\(factory\) needs a function that returns its result"):
        Stream.defer(wrong)
