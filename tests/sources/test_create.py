"""create: what a callback emits, from any thread, sent as it is requested."""

import threading
from typing import Any

import pytest

from reactivestreams import EmitResult, Stream, StreamEmitter
from reactivestreams.errors import CapacityError, StateError
from reactivestreams.state import load_tree, save_tree
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import UNBOUNDED, RecordingSubscriber
from tests.contracts.saved_state import fields_of, reader_of
from tests.sources.pushed_emitter import Pushed, pushed, subscribed

ACCEPTED, CANCELLED, TERMINATED = EmitResult.ACCEPTED, EmitResult.CANCELLED, EmitResult.TERMINATED
WAIT_SECONDS = 30.0


# --- elements and demand ----------------------------------------------------------------------------------------------


def test_each_subscription_calls_the_callback_once_with_an_emitter_of_its_own() -> None:
    callback = Pushed()
    stream = Stream.create(callback, on_overflow="error")
    assert callback.emitters == []
    first, second = RecordingSubscriber(first_request=9), RecordingSubscriber(first_request=9)
    stream.subscribe(first)
    stream.subscribe(second)
    for number, emitter in enumerate(callback.emitters):
        emitter.emit(number)
    assert (first.outcome, second.outcome) == (([0], "open"), ([1], "open"))


@pytest.mark.parametrize("policy", ["error", "drop_newest", "drop_oldest", "latest", "block"])
def test_what_the_callback_emits_at_once_flows_at_once_as_far_as_it_is_requested(policy: str) -> None:
    def count(emitter: StreamEmitter[int]) -> None:
        for number in range(5000):
            assert emitter.emit(number) is ACCEPTED
        emitter.complete()

    assert Stream.create(count, on_overflow=policy, capacity=1).to_list() == list(range(5000))


def test_elements_flow_on_demand_only() -> None:
    emitter, subscriber = pushed()
    assert [emitter.emit(number) for number in range(4)] == [ACCEPTED] * 4
    assert subscriber.elements == []
    subscriber.request(1)
    assert subscriber.elements == [0]
    subscriber.request(2)
    assert subscriber.elements == [0, 1, 2]
    subscriber.request(5)
    emitter.emit(4)
    assert subscriber.elements == [0, 1, 2, 3, 4]


def test_demand_is_what_is_requested_beyond_what_waits() -> None:
    emitter, subscriber = pushed()
    seen = [emitter.demand]
    subscriber.request(3)
    seen.append(emitter.demand)
    emitter.emit(0)
    seen.append(emitter.demand)
    for number in range(4):
        emitter.emit(number)
    seen.append(emitter.demand)
    subscriber.request(3)
    seen.append(emitter.demand)
    subscriber.request(UNBOUNDED)
    assert [*seen, emitter.demand] == [0, 3, 2, 0, 1, UNBOUNDED]


def test_an_emission_inside_on_next_does_not_nest() -> None:
    class Emitting(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            super().on_next(element)
            if element < 500:
                callback.emitter.emit(element + 1)

    callback, subscriber = Pushed(), Emitting(first_request=UNBOUNDED)
    subscribed(callback, subscriber, capacity=1)
    callback.emitter.emit(0)
    assert subscriber.outcome == (list(range(501)), "open")


def test_threads_are_delivered_one_at_a_time_and_each_in_its_order() -> None:
    count = 500

    def produce(emitter: StreamEmitter[Any], name: str) -> None:
        for number in range(count):
            assert emitter.emit((name, number)) is ACCEPTED
        done.acquire()
        if not done.acquire(blocking=False):
            emitter.complete()
        else:
            done.release()

    done = threading.Semaphore(4)
    threads: list[threading.Thread] = []

    def start(emitter: StreamEmitter[Any]) -> None:
        threads.extend(threading.Thread(target=produce, args=(emitter, name)) for name in "abcd")
        for thread in threads:
            thread.start()

    subscriber = RecordingSubscriber(first_request=7, then_request=1)
    subscribed(start, subscriber, capacity=4, on_overflow="block")
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert subscriber.faults == []
    for name in "abcd":
        assert [number for who, number in subscriber.elements if who == name] == list(range(count))
    assert subscriber.is_complete


def test_none_is_an_element_for_operators_but_cannot_be_emitted() -> None:
    emitter, _ = pushed(1)
    with pytest.raises(TypeError, match=r"§2\.13: emit\(None\)"):
        emitter.emit(None)


# --- the end ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [None, ValueError("why")], ids=["complete", "fail"])
def test_the_end_needs_no_demand_and_comes_after_what_was_accepted(error: ValueError | None) -> None:
    emitter, subscriber = pushed()
    emitter.emit(1)
    assert (emitter.complete() if error is None else emitter.fail(error)) is True
    assert (subscriber.outcome, emitter.is_cancelled) == (([], "open"), True)
    subscriber.request(1)
    assert subscriber.outcome == ([1], "complete" if error is None else repr(error))


def test_an_end_without_elements_comes_at_once() -> None:
    emitter, subscriber = pushed()
    emitter.complete()
    assert subscriber.outcome == ([], "complete")


def test_what_comes_after_the_end_is_refused() -> None:
    emitter, subscriber = pushed(9)
    emitter.complete()
    late = ValueError("late")
    with recorded_drops() as drops:
        assert (emitter.emit(1), emitter.complete(), emitter.fail(late)) == (TERMINATED, False, False)
    assert subscriber.outcome == ([], "complete")
    assert [(signal, value, origin.partition(" ")[0]) for signal, value, origin in drops] == [
        ("on_error", late, "rx://sources/create")
    ]


def test_an_exception_of_the_callback_fails_the_stream_after_what_it_emitted() -> None:
    def emit_and_fail(emitter: StreamEmitter[int]) -> None:
        emitter.emit(1)
        raise ValueError("mine")

    stream = Stream.create(emit_and_fail, on_overflow="error")
    subscriber = RecordingSubscriber()
    stream.subscribe(subscriber)
    assert subscriber.outcome == ([], "open")
    subscriber.request(1)
    assert subscriber.outcome == ([1], "ValueError('mine')")
    assert subscriber.error is not None
    assert subscriber.error.__notes__ == [f"in rx://sources/create, assembled at {stream.assembly}"]


def test_an_exception_of_the_callback_after_its_end_goes_to_the_hook() -> None:
    def end_and_fail(emitter: StreamEmitter[int]) -> None:
        emitter.complete()
        raise ValueError("mine")

    with recorded_drops() as drops:
        subscriber = subscribed(end_and_fail, RecordingSubscriber())
    assert subscriber.outcome == ([], "complete")
    assert [(signal, repr(value)) for signal, value, _ in drops] == [("on_error", "ValueError('mine')")]


def test_an_interrupt_of_the_callback_cancels_the_stream_and_is_raised() -> None:
    disposed: list[str] = []

    def interrupted(emitter: StreamEmitter[int]) -> None:
        emitter.on_dispose(lambda: disposed.append("disposed"))
        raise KeyboardInterrupt

    subscriber = RecordingSubscriber(first_request=1)
    with pytest.raises(KeyboardInterrupt):
        Stream.create(interrupted, on_overflow="error").subscribe(subscriber)
    assert (subscriber.outcome, disposed) == (([], "open"), ["disposed"])


def test_an_interrupt_of_the_subscriber_leaves_through_the_emission() -> None:
    class Interrupted(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            raise KeyboardInterrupt

    callback = Pushed()
    subscribed(callback, Interrupted(first_request=5))
    with pytest.raises(KeyboardInterrupt):
        callback.emitter.emit(1)
    assert (callback.emitter.emit(2), callback.emitter.is_cancelled) == (CANCELLED, True)


def test_a_subscriber_that_raises_is_a_cancel() -> None:
    class Failing(RecordingSubscriber):
        def on_next(self, element: Any, /) -> None:
            raise ValueError("mine")

    callback = Pushed()
    subscribed(callback, Failing(first_request=5))
    with recorded_drops() as drops:
        assert callback.emitter.emit(1) is ACCEPTED
    assert [repr(value) for _, value, _ in drops] == ["ValueError('mine')"]
    assert callback.emitter.emit(2) is CANCELLED


# --- overflow ---------------------------------------------------------------------------------------------------------


def test_error_fails_the_stream_after_what_waits() -> None:
    emitter, subscriber = pushed(capacity=2)
    assert [emitter.emit(number) for number in range(4)] == [ACCEPTED, ACCEPTED, EmitResult.OVERFLOWED, TERMINATED]
    assert subscriber.outcome == ([], "open")
    subscriber.request(5)
    assert subscriber.elements == [0, 1]
    assert isinstance(subscriber.error, CapacityError)
    assert str(subscriber.error).startswith("rx://sources/create assembled at ")
    assert "got 2 while 2 elements wait for their consumer; emit more slowly" in str(subscriber.error)


@pytest.mark.parametrize(
    ("policy", "results", "kept", "told"),
    [
        ("drop_newest", [ACCEPTED, ACCEPTED, EmitResult.DROPPED, EmitResult.DROPPED], [0, 1], [2, 3]),
        ("drop_oldest", [ACCEPTED] * 4, [2, 3], [0, 1]),
        ("latest", [ACCEPTED] * 4, [3], [0, 1, 2]),
    ],
)
def test_dropping_policies_tell_the_hook(
    policy: str, results: list[EmitResult], kept: list[int], told: list[int]
) -> None:
    emitter, subscriber = pushed(on_overflow=policy, capacity=2)
    with recorded_drops() as drops:
        assert [emitter.emit(number) for number in range(4)] == results
    assert [value for _, value, _ in drops] == told
    emitter.complete()
    subscriber.request(5)
    assert subscriber.outcome == (kept, "complete")


# --- hosts, state, description ----------------------------------------------------------------------------------------


def test_a_running_stream_cannot_be_saved() -> None:
    callback, subscriber = Pushed(), RecordingSubscriber()
    handle = Stream.create(callback, on_overflow="error").bind(subscriber)
    handle.initialize()
    with pytest.raises(StateError, match="it does not give again what it gave, nor what comes before a recovery"):
        save_tree(handle)
    callback.emitter.emit(1)
    state = save_tree(handle, allow_restart=True)
    again, after = Pushed(), RecordingSubscriber(first_request=UNBOUNDED)
    loaded = Stream.create(again, on_overflow="error").bind(after)
    load_tree(loaded, state)
    loaded.initialize()
    again.emitter.emit(2)
    assert after.elements == [2]  # the callback was called anew, and what waited is lost


def test_an_ended_stream_is_saved_and_stays_ended() -> None:
    callback = Pushed()
    stream = Stream.create(callback, on_overflow="error")
    handle = stream.bind(RecordingSubscriber())
    handle.initialize()
    callback.emitter.complete()
    (source,) = handle.inputs
    assert fields_of(source) == [True]
    disposed = stream.bind(RecordingSubscriber())
    disposed.subscribe()
    (loaded,) = disposed.inputs
    loaded.subscribe()
    loaded.load_state(reader_of(True), loaded.version)
    disposed.initialize()
    assert len(callback.emitters) == 1  # not called again


def test_the_description_shows_what_is_not_the_default() -> None:
    def ticks(emitter: StreamEmitter[int]) -> None: ...

    assert repr(Stream.create(ticks, on_overflow="error")) == "Stream.create(ticks, on_overflow='error')"
    assert repr(Stream.create(ticks, on_overflow="block", capacity=8, block_timeout_seconds=1)) == (
        "Stream.create(ticks, on_overflow='block', capacity=8, block_timeout_seconds=1.0)"
    )


def test_an_emitter_shows_where_it_belongs() -> None:
    callback = Pushed()
    stream = Stream.create(callback, on_overflow="error", capacity=3)
    stream.subscribe(RecordingSubscriber())
    callback.emitter.emit(1)
    assert repr(callback.emitter) == (
        f"<StreamEmitter of rx://sources/create assembled at {stream.assembly}: 1 of 3 elements wait>"
    )
