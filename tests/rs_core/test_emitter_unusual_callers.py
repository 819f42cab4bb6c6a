"""Emission from where nobody expects it: signal handlers, finalizers, weak references, the waiting thread itself."""

import gc
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rs_core import EmitResult, SerializedEmitter, WouldDeadlockError
from tests.contracts.finalized import Finalized
from tests.rs_core.gated_subscriber import HELD, WAIT_SECONDS, GatedSubscriber, delivery_held
from tests.rs_core.recording_subscriber import RecordingSubscriber

ACCEPTED = EmitResult.ACCEPTED
needs_user_signals = pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="this system has no signals for users")


# --- the delivering thread ------------------------------------------------------------------------------------------


def test_block_raises_instead_of_waiting_in_the_thread_that_delivers() -> None:
    caught: list[WouldDeadlockError] = []

    class Sink(RecordingSubscriber):
        def on_next(self, element: Any) -> None:
            super().on_next(element)
            if element == 0:
                results.extend([emitter.emit(1), emitter.emit(2)])
                with pytest.raises(WouldDeadlockError) as raised:
                    emitter.emit(3)
                caught.append(raised.value)

    subscriber, results = Sink(demand=None), list[EmitResult]()
    emitter = SerializedEmitter[Any](subscriber, capacity=2, on_overflow="block")
    emitter.emit(0)
    assert (results, subscriber.elements) == ([ACCEPTED, ACCEPTED], [0, 1, 2])
    assert str(caught[0]) == (
        "emit(3) found 2 elements waiting, and this thread is the one that delivers them: it would wait for itself; "
        "emit from another thread, raise capacity, or choose another on_overflow"
    )
    assert emitter.emit(4) is ACCEPTED


def test_block_raises_also_where_the_delivery_came_from_the_queue() -> None:
    class Sink(RecordingSubscriber):
        def on_next(self, element: Any) -> None:
            super().on_next(element)
            if element == 1:
                emitter.emit(2)
                with pytest.raises(WouldDeadlockError):
                    emitter.emit(3)
            elif element == 0:
                emitter.emit(1)

    subscriber = Sink(demand=None)
    emitter = SerializedEmitter[Any](subscriber, capacity=1, on_overflow="block")
    emitter.emit(0)
    assert subscriber.elements == [0, 1, 2]


# --- signal handlers ------------------------------------------------------------------------------------------------


@pytest.fixture
def on_signal() -> Iterator[list[Callable[[], object]]]:
    """What a handler of SIGUSR1 calls."""
    actions: list[Callable[[], object]] = []

    def handle(number: int, frame: object) -> None:
        for action in actions:
            action()

    previous = signal.signal(signal.SIGUSR1, handle)
    yield actions
    signal.signal(signal.SIGUSR1, previous)


@needs_user_signals
def test_a_signal_handler_inside_a_delivery_queues_its_element(on_signal: list[Callable[[], object]]) -> None:
    results: list[object] = []

    class Sink(RecordingSubscriber):
        def on_next(self, element: Any) -> None:
            if element == 0:
                signal.raise_signal(signal.SIGUSR1)
                results.append(list(self.elements))
            super().on_next(element)

    subscriber = Sink(demand=None)
    emitter = SerializedEmitter[Any](subscriber)
    on_signal.append(lambda: results.append(emitter.emit("of the handler")))
    emitter.emit(0)
    assert (results, subscriber.elements) == ([ACCEPTED, []], [0, "of the handler"])


USUAL_SWITCH_SECONDS = 0.005
LONG_SWITCH_SECONDS = 1.0  # far more than a test needs; a thread that never waits has to be let pass all the same


def emit_and_be_interrupted(emitter: SerializedEmitter[Any], element: object) -> EmitResult:
    """Emit, while another thread sends SIGUSR1 to this one: when it waits, since nothing else changes threads."""
    go = threading.Lock()
    go.acquire()

    def send() -> None:
        with go:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGUSR1)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        go.release()
        return emitter.emit(element)
    finally:
        sender.join(WAIT_SECONDS)


@pytest.fixture
def no_switch_but_by_waiting() -> Iterator[None]:
    sys.setswitchinterval(LONG_SWITCH_SECONDS)
    yield
    sys.setswitchinterval(USUAL_SWITCH_SECONDS)  # not what it was: others change it, and the long one must not stay


@needs_user_signals
@pytest.mark.usefixtures("no_switch_but_by_waiting")
def test_an_interrupt_ends_the_wait_for_room_and_the_element_is_not_accepted(
    on_signal: list[Callable[[], object]],
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    on_signal.append(interrupt)
    subscriber = GatedSubscriber()
    emitter = SerializedEmitter[Any](subscriber, capacity=1, on_overflow="block")
    with delivery_held(emitter, subscriber):
        emitter.emit("waits")
        with pytest.raises(KeyboardInterrupt):
            emit_and_be_interrupted(emitter, "interrupted")
    assert subscriber.elements == [HELD, "waits"]
    assert emitter.emit("after") is ACCEPTED


@needs_user_signals
@pytest.mark.usefixtures("no_switch_but_by_waiting")
def test_a_handler_may_wait_for_room_while_its_thread_does(on_signal: list[Callable[[], object]]) -> None:
    """The thread that waits already stands first in line, and cannot go on before its handler has."""
    subscriber = GatedSubscriber()
    emitter = SerializedEmitter[Any](subscriber, capacity=1, on_overflow="block")
    results: list[object] = []

    def emit_too() -> None:
        opener.start()
        results.append(emitter.emit("of the handler"))

    on_signal.append(emit_too)
    opener = threading.Thread(target=subscriber.gate.set)
    with delivery_held(emitter, subscriber):
        emitter.emit("waits")
        results.append(emit_and_be_interrupted(emitter, "of the thread"))
        opener.join(WAIT_SECONDS)
    assert results == [ACCEPTED, ACCEPTED]
    assert subscriber.elements == [HELD, "waits", "of the handler", "of the thread"]


# --- finalizers -----------------------------------------------------------------------------------------------------


def test_a_finalizer_inside_a_delivery_queues_its_element(subscriber: RecordingSubscriber) -> None:
    emitter = SerializedEmitter[Any](subscriber)
    garbage = [Finalized(lambda: emitter.emit("of the finalizer"))]
    subscriber.actions["on_next"] = garbage.clear
    emitter.emit(0)
    assert subscriber.elements == [0, "of the finalizer"]


@pytest.fixture
def subscriber() -> RecordingSubscriber:
    return RecordingSubscriber(demand=None)


def test_a_finalizer_of_an_element_may_emit(subscriber: RecordingSubscriber) -> None:
    taken: list[object] = []

    class Sink:
        def on_next(self, element: object) -> None:
            taken.append(type(element).__name__)
            if len(taken) == 1:
                emitter.emit(Finalized(lambda: emitter.emit("of the finalizer")))

        def on_error(self, error: Exception) -> None: ...

        def on_complete(self) -> None: ...

    emitter = SerializedEmitter[Any](Sink())
    emitter.emit(0)
    assert taken == ["int", "Finalized", "str"]


def test_a_finalizer_of_what_the_subscriber_returns_may_emit() -> None:
    taken: list[object] = []

    class Sink:
        def on_next(self, element: object) -> object:
            taken.append(element)
            return Finalized(lambda: emitter.emit("of the finalizer")) if element == 0 else None

        def on_error(self, error: Exception) -> None: ...

        def on_complete(self) -> None: ...

    emitter = SerializedEmitter[Any](Sink())
    emitter.emit(0)
    assert taken == [0, "of the finalizer"]


def test_a_weak_reference_callback_and_the_collector_inside_a_delivery_queue_their_elements(
    subscriber: RecordingSubscriber,
) -> None:
    class Node:
        itself: object = None

    emitter = SerializedEmitter[Any](subscriber)
    nodes = [Node()]
    nodes[0].itself = nodes[0]
    reference = weakref.ref(nodes[0], lambda _: emitter.emit("of the callback"))
    cycle = Finalized(lambda: emitter.emit("of the finalizer"))
    cycle.itself = cycle  # type: ignore[attr-defined]

    def collect() -> None:
        nonlocal cycle
        if subscriber.element_count == 1:
            nodes.clear()
            del cycle
            gc.collect()

    subscriber.actions["on_next"] = collect
    emitter.emit(0)
    assert reference() is None
    assert (subscriber.elements[0], sorted(subscriber.elements[1:])) == (0, ["of the callback", "of the finalizer"])


def test_a_finalizer_that_finds_no_room_in_the_delivering_thread_is_told_so(
    subscriber: RecordingSubscriber, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: raised.append(unraisable.exc_type))
    emitter = SerializedEmitter[Any](subscriber, capacity=1, on_overflow="block")
    garbage = [Finalized(lambda: emitter.emit("of the finalizer"))]

    def fill() -> None:
        if subscriber.element_count == 1:
            emitter.emit("waits")
            garbage.clear()

    subscriber.actions["on_next"] = fill
    emitter.emit(0)
    assert (subscriber.elements, raised) == ([0, "waits"], [WouldDeadlockError])


def test_a_finalizer_after_the_end_is_refused(subscriber: RecordingSubscriber) -> None:
    results: list[object] = []
    emitter = SerializedEmitter[Any](subscriber)
    garbage = [Finalized(lambda: results.append(emitter.emit("late")))]
    emitter.complete()
    garbage.clear()
    assert (results, subscriber.names) == ([EmitResult.TERMINATED], ["on_complete"])
