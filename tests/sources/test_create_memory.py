"""What waits for demand in a stream of create: the collector sees it, and a stream that nobody holds is freed."""

import gc
import sys
import weakref
from typing import Any

import pytest

from reactivestreams import Stream, StreamEmitter
from tests.contracts.dropped_signals import recorded_drops
from tests.contracts.recording_subscriber import RecordingSubscriber

EACH_POLICY = pytest.mark.parametrize("policy", ["error", "drop_newest", "drop_oldest", "latest", "block"])


class Node:
    emitter: object = None


@pytest.fixture(autouse=True)
def without_garbage_of_others() -> None:
    gc.collect()


def waiting(policy: str, *elements: Any) -> tuple[StreamEmitter[Any], RecordingSubscriber]:
    emitters: list[StreamEmitter[Any]] = []
    subscriber = RecordingSubscriber()
    Stream.create(emitters.append, on_overflow=policy, capacity=4).subscribe(subscriber)
    for element in elements:
        emitters[0].emit(element)
    return emitters.pop(), subscriber


@EACH_POLICY
def test_a_cycle_through_an_element_that_waits_is_collected(policy: str) -> None:
    node = Node()
    emitter, subscriber = waiting(policy, node)
    node.emitter = emitter
    freed = [weakref.ref(node), weakref.ref(emitter)]
    del node, emitter, subscriber
    assert [reference() is not None for reference in freed] == [True, True]
    gc.collect()
    assert [reference() for reference in freed] == [None, None]


@EACH_POLICY
def test_what_waits_is_kept_by_its_subscription_through_a_collection(policy: str) -> None:
    node = Node()
    node.emitter, subscriber = waiting(policy, node)
    kept = weakref.ref(node)
    del node
    gc.collect()
    subscriber.request(1)
    assert subscriber.elements == [kept()]
    assert isinstance(kept(), Node)


@EACH_POLICY
@pytest.mark.parametrize("end", ["cancel", "deliver"])
def test_what_waited_is_released_exactly_once(policy: str, end: str) -> None:
    node = Node()
    before = sys.getrefcount(node)
    emitter, subscriber = waiting(policy, node)
    assert sys.getrefcount(node) == before + 1
    if end == "cancel":
        subscriber.cancel()
    else:
        subscriber.request(1)
        subscriber.elements.clear()
    assert sys.getrefcount(node) == before
    assert emitter.is_cancelled is (end == "cancel")


def test_a_finalizer_that_a_cancel_runs_may_emit() -> None:
    class Emitting:
        def __del__(self) -> None:
            results.append(emitter.emit("late"))

    results: list[object] = []
    emitter, subscriber = waiting("error", Emitting())
    with recorded_drops() as drops:
        subscriber.cancel()
    assert ([str(result) for result in results], drops) == (["EmitResult.CANCELLED"], [])


@pytest.mark.parametrize("end", ["complete", "cancel"])
def test_an_emitter_that_outlives_its_stream_does_not_hold_the_subscriber(end: str) -> None:
    emitter, subscriber = waiting("error")
    freed = weakref.ref(subscriber)
    if end == "complete":
        emitter.complete()
    else:
        subscriber.cancel()
    del subscriber
    gc.collect()  # subscriber and subscription know each other
    assert (freed(), emitter.is_cancelled) == (None, True)
