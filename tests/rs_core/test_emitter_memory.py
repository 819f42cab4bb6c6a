"""Who owns what waits in an emitter: references are exact, and the collector sees the elements."""

import gc
import sys
import weakref

import pytest

from rs_core import SerializedEmitter
from tests.rs_core.gated_subscriber import GatedSubscriber, delivery_held

POLICIES = ["error", "drop_newest", "drop_oldest", "latest", "block"]
EACH_POLICY = pytest.mark.parametrize("policy", POLICIES)


class Node:
    emitter: object = None


class Sink:
    emitter: object = None

    def on_next(self, element: object) -> None: ...
    def on_error(self, error: object) -> None: ...
    def on_complete(self) -> None: ...


@pytest.fixture(autouse=True)
def without_garbage_of_others() -> None:
    gc.collect()


@EACH_POLICY
def test_a_delivered_element_keeps_no_reference(policy: str) -> None:
    emitter, element = SerializedEmitter[object](Sink(), on_overflow=policy), Node()
    before = sys.getrefcount(element)
    for _ in range(10):
        emitter.emit(element)
    assert sys.getrefcount(element) == before


@EACH_POLICY
@pytest.mark.usefixtures("dropped_signals")
def test_an_element_that_waits_has_one_reference_and_none_when_it_is_gone(policy: str) -> None:
    subscriber, element = GatedSubscriber(), Node()
    emitter = SerializedEmitter[object](subscriber, capacity=1, on_overflow=policy, block_timeout_seconds=0.01)
    subscriber.actions["on_next"] = subscriber.signals.clear
    before = sys.getrefcount(element)
    with delivery_held(emitter, subscriber):
        emitter.emit(element)
        assert sys.getrefcount(element) == before + 1
    assert sys.getrefcount(element) == before


@EACH_POLICY
def test_what_is_refused_keeps_no_reference(policy: str) -> None:
    emitter, element = SerializedEmitter[object](Sink(), on_overflow=policy), Node()
    emitter.complete()
    before = sys.getrefcount(element)
    for _ in range(10):
        emitter.emit(element)
    assert sys.getrefcount(element) == before


@EACH_POLICY
def test_the_collector_sees_what_waits(policy: str) -> None:
    elements = [Node()] if policy == "latest" else [Node(), Node()]
    subscriber = GatedSubscriber()
    emitter = SerializedEmitter[object](subscriber, on_overflow=policy)
    with delivery_held(emitter, subscriber):
        for element in elements:
            emitter.emit(element)
        (queue,) = (found for found in gc.get_referents(emitter) if type(found).__name__ == "OverflowQueue")
        assert [found for found in gc.get_referents(queue) if isinstance(found, Node)] == elements
        assert (gc.is_tracked(emitter), gc.is_tracked(queue)) == (True, True)


@EACH_POLICY
def test_a_cycle_of_emitter_and_subscriber_is_collected(policy: str) -> None:
    subscriber = Sink()
    emitter = subscriber.emitter = SerializedEmitter[object](subscriber, on_overflow=policy)
    emitter.emit(subscriber)
    freed = [weakref.ref(subscriber), weakref.ref(emitter)]
    del subscriber, emitter
    assert [reference() is not None for reference in freed] == [True, True]
    gc.collect()
    assert [reference() for reference in freed] == [None, None]


def test_what_waits_is_not_garbage_while_it_waits() -> None:
    subscriber, element = GatedSubscriber(), Node()
    emitter = SerializedEmitter[object](subscriber)
    element.emitter = emitter
    kept = weakref.ref(element)
    with delivery_held(emitter, subscriber):
        emitter.emit(element)
        del element
        gc.collect()
        assert isinstance(kept(), Node)
    assert subscriber.elements[1] is kept()


@pytest.mark.parametrize("policy", ["error", "latest", "block"])
def test_emitters_made_and_dropped_leave_nothing_behind(policy: str) -> None:
    element = Node()
    before = sys.getrefcount(element)
    for _ in range(100):
        emitter = SerializedEmitter[object](Sink(), on_overflow=policy)
        emitter.emit(element)
        del emitter
    assert sys.getrefcount(element) == before


def test_settings_that_are_refused_leave_nothing_behind() -> None:
    subscriber = Sink()
    before = sys.getrefcount(subscriber)
    for _ in range(10):
        with pytest.raises(ValueError, match="capacity"):
            SerializedEmitter[object](subscriber, capacity=0)
    assert sys.getrefcount(subscriber) == before
