"""The serialized emitter: one signal at a time, each thread's in its order, nothing after the end."""

import threading
import weakref
from collections import Counter
from typing import Any

import pytest

from rs_core import EmitResult, OverflowPolicy, SerializedEmitter
from tests.rs_core.gated_subscriber import HELD, WAIT_SECONDS, GatedSubscriber, delivery_held
from tests.rs_core.recording_subscriber import RecordingSubscriber
from tests.together import many_switches

Dropped = list[tuple[str, Any, str]]


@pytest.fixture
def subscriber() -> RecordingSubscriber:
    return RecordingSubscriber()


@pytest.fixture
def emitter(subscriber: RecordingSubscriber) -> SerializedEmitter[Any]:
    return SerializedEmitter(subscriber)


def test_an_idle_emitter_delivers_in_the_emitting_thread(subscriber: RecordingSubscriber) -> None:
    threads: list[int] = []
    subscriber.actions["on_next"] = lambda: threads.append(threading.get_ident())
    emitter = SerializedEmitter[Any](subscriber)
    assert (emitter.emit("a"), emitter.emit("b")) == (EmitResult.ACCEPTED, EmitResult.ACCEPTED)
    assert (subscriber.elements, threads) == (["a", "b"], [threading.get_ident()] * 2)


def test_on_subscribe_is_not_called_and_not_needed() -> None:
    class Three:
        def on_next(self, element: object) -> None: ...
        def on_error(self, error: object) -> None: ...
        def on_complete(self) -> None: ...

    assert SerializedEmitter(Three()).emit(1).is_accepted


def test_completion_comes_once_and_nothing_after_it(
    emitter: SerializedEmitter[Any], subscriber: RecordingSubscriber
) -> None:
    emitter.emit("a")
    assert (emitter.is_terminated, emitter.complete(), emitter.complete(), emitter.is_terminated) == (
        False,
        True,
        False,
        True,
    )
    assert emitter.emit("late") is EmitResult.TERMINATED
    assert subscriber.signals == [("on_next", "a"), ("on_complete",)]


def test_failure_comes_once_and_later_ones_go_to_the_hook(
    emitter: SerializedEmitter[Any], subscriber: RecordingSubscriber, dropped_signals: Dropped
) -> None:
    first, second = ValueError("first"), ValueError("second")
    assert (emitter.fail(first), emitter.fail(second), emitter.complete()) == (True, False, False)
    assert subscriber.signals == [("on_error", first)]
    assert dropped_signals == [("on_error", second, "SerializedEmitter")]


def test_a_failure_after_completion_goes_to_the_hook(
    emitter: SerializedEmitter[Any], subscriber: RecordingSubscriber, dropped_signals: Dropped
) -> None:
    late = ValueError("late")
    emitter.complete()
    assert emitter.fail(late) is False
    assert (subscriber.names, dropped_signals) == (["on_complete"], [("on_error", late, "SerializedEmitter")])


def test_the_signals_of_the_subscriber_are_looked_up_once(
    emitter: SerializedEmitter[Any], subscriber: RecordingSubscriber
) -> None:
    subscriber.on_next = subscriber.on_complete = None  # type: ignore[assignment, method-assign]
    emitter.emit("a")
    emitter.complete()
    assert subscriber.signals == [("on_next", "a"), ("on_complete",)]


@pytest.mark.parametrize("kind", ["function", "compiled", "static"])
def test_signals_may_be_any_callables(kind: str) -> None:
    taken: list[object] = []

    class Sink:
        on_error = on_complete = staticmethod(lambda *_: taken.append("end"))

        @staticmethod
        def on_next(element: object) -> None:
            taken.append(element)

    def take(element: object) -> None:
        taken.append(element)

    sink: Any = Sink()
    if kind == "function":
        sink.on_next = take
    elif kind == "compiled":
        sink.on_next = taken.append
    emitter = SerializedEmitter[Any](sink)
    emitter.emit(1)
    emitter.complete()
    assert taken == [1, "end"]


def test_an_emission_inside_a_delivery_is_queued_and_does_not_nest(subscriber: RecordingSubscriber) -> None:
    depth, deepest = 0, 0
    results: list[EmitResult] = []

    def emit_more() -> None:
        nonlocal depth, deepest
        depth += 1
        deepest = max(deepest, depth)
        if subscriber.element_count < 500:
            results.append(emitter.emit(subscriber.element_count))
        depth -= 1

    subscriber.actions["on_next"] = emit_more
    emitter = SerializedEmitter[int](subscriber, capacity=1)
    emitter.emit(0)
    assert (subscriber.elements, deepest) == (list(range(500)), 1)
    assert Counter(results) == {EmitResult.ACCEPTED: 499}


def test_an_end_inside_a_delivery_comes_after_what_was_accepted(subscriber: RecordingSubscriber) -> None:
    results: list[object] = []

    def end_on_the_first() -> None:
        if subscriber.element_count == 1:
            results.extend([emitter.emit(2), emitter.complete(), emitter.emit(3), list(subscriber.names)])

    subscriber.actions["on_next"] = end_on_the_first
    emitter = SerializedEmitter[int](subscriber)
    emitter.emit(1)
    assert results == [EmitResult.ACCEPTED, True, EmitResult.TERMINATED, ["on_next"]]
    assert subscriber.signals == [("on_next", 1), ("on_next", 2), ("on_complete",)]


@pytest.mark.parametrize("end", ["on_complete", "on_error"])
def test_signals_made_inside_the_end_come_too_late(
    end: str, subscriber: RecordingSubscriber, dropped_signals: Dropped
) -> None:
    late = ValueError("late")
    results: list[object] = []
    subscriber.actions[end] = lambda: results.extend([emitter.emit(1), emitter.fail(late), emitter.complete()])
    emitter = SerializedEmitter[int](subscriber)
    if end == "on_complete":
        emitter.complete()
    else:
        emitter.fail(ValueError("the end"))
    assert (results, subscriber.names) == ([EmitResult.TERMINATED, False, False], [end])
    assert dropped_signals == [("on_error", late, "SerializedEmitter")]


def test_what_is_emitted_while_another_thread_delivers_waits_for_it() -> None:
    subscriber = GatedSubscriber()
    emitter = SerializedEmitter[Any](subscriber, capacity=3)
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(number) for number in range(3)]
        assert (emitter.pending, subscriber.elements) == (3, [HELD])
    assert results == [EmitResult.ACCEPTED] * 3
    assert (subscriber.elements, emitter.pending) == ([HELD, 0, 1, 2], 0)


@pytest.mark.parametrize("error", [None, ValueError("why")], ids=["complete", "fail"])
def test_an_end_while_another_thread_delivers_comes_after_what_waits(error: ValueError | None) -> None:
    subscriber = GatedSubscriber()
    emitter = SerializedEmitter[Any](subscriber)
    with delivery_held(emitter, subscriber):
        emitter.emit(1)
        assert emitter.complete() if error is None else emitter.fail(error)
        assert (emitter.emit(2), emitter.is_terminated) == (EmitResult.TERMINATED, True)
    end = ("on_complete",) if error is None else ("on_error", error)
    assert subscriber.signals == [("on_next", HELD), ("on_next", 1), end]


def test_four_threads_are_delivered_one_at_a_time_and_each_in_its_order() -> None:
    class Sink(RecordingSubscriber):
        inside = overlaps = 0

        def on_next(self, element: Any) -> None:
            self.inside += 1
            self.overlaps += self.inside != 1
            super().on_next(element)
            self.inside -= 1

    count, subscriber = 2_000, Sink(demand=None)
    emitter = SerializedEmitter[Any](subscriber, capacity=16, on_overflow="block")
    results: list[EmitResult] = []

    def produce(name: str) -> None:
        results.extend([emitter.emit((name, number)) for number in range(count)])

    threads = [threading.Thread(target=produce, args=(name,)) for name in "abcd"]
    with many_switches():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_SECONDS)
    emitter.complete()
    assert (subscriber.overlaps, Counter(results)) == (0, {EmitResult.ACCEPTED: 4 * count})
    for name in "abcd":
        assert [number for who, number in subscriber.elements if who == name] == list(range(count))
    assert subscriber.is_complete


@pytest.mark.parametrize("end", ["complete", "fail", "consumer"])
def test_the_subscriber_is_let_go_at_the_end(end: str, dropped_signals: Dropped) -> None:
    subscriber = RecordingSubscriber()
    emitter = SerializedEmitter[Any](subscriber)
    kept = weakref.ref(subscriber)
    if end == "complete":
        emitter.complete()
    elif end == "fail":
        emitter.fail(ValueError("why"))
    else:
        subscriber.actions["on_next"] = {}.popitem
        emitter.emit(1)
        dropped_signals.clear()  # its traceback holds the subscriber
    del subscriber
    assert (kept(), emitter.is_terminated) == (None, True)


def test_an_emitter_tells_its_settings(subscriber: RecordingSubscriber) -> None:
    emitter = SerializedEmitter[int](subscriber, capacity=7, on_overflow=OverflowPolicy.DROP_NEWEST)
    assert (emitter.capacity, emitter.policy, emitter.pending, emitter.dropped_count) == (7, "drop_newest", 0, 0)
    assert repr(emitter) == "SerializedEmitter(0 of 7 elements wait, on_overflow='drop_newest')"
    emitter.complete()
    assert repr(emitter) == "SerializedEmitter(0 of 7 elements wait, on_overflow='drop_newest', terminated)"


def test_the_settings_by_default(emitter: SerializedEmitter[Any]) -> None:
    assert (emitter.capacity, emitter.policy) == (1024, OverflowPolicy.ERROR)


def test_the_policy_latest_holds_one_element_whatever_the_capacity(subscriber: RecordingSubscriber) -> None:
    assert SerializedEmitter[int](subscriber, capacity=7, on_overflow="latest").capacity == 1


def test_one_result_alone_is_accepted() -> None:
    assert [result for result in EmitResult if result.is_accepted] == [EmitResult.ACCEPTED]


def test_an_emitter_cannot_be_subclassed() -> None:
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (SerializedEmitter,), {})


def test_an_emitter_that_its_own_delivery_drops_delivers_to_the_end() -> None:
    taken: list[int] = []
    held: list[SerializedEmitter[int]] = []

    class Sink:
        def on_next(self, element: int) -> None:
            taken.append(element)
            if element == 1:
                emitter = held.pop()
                emitter.emit(2)

        def on_error(self, error: Exception) -> None: ...

        def on_complete(self) -> None: ...

    held.append(SerializedEmitter[int](Sink()))
    held[0].emit(1)
    assert taken == [1, 2]
