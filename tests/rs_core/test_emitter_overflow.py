"""What becomes of an element that finds no room, policy by policy; what was accepted is lost by a policy only."""

import threading
from typing import Any

import pytest

from rs_core import CapacityError, EmitResult, OverflowPolicy, SerializedEmitter
from rs_core.dropped import set_hook
from tests.rs_core.gated_subscriber import HELD, WAIT_SECONDS, GatedSubscriber, delivery_held

ACCEPTED, DROPPED, OVERFLOWED = EmitResult.ACCEPTED, EmitResult.DROPPED, EmitResult.OVERFLOWED
TIMED_OUT, TERMINATED = EmitResult.TIMED_OUT, EmitResult.TERMINATED
Dropped = list[tuple[str, Any, str]]
SHORT_SECONDS = 0.01


def gated(policy: str, *, capacity: int = 2, **options: Any) -> tuple[SerializedEmitter[Any], GatedSubscriber]:
    subscriber = GatedSubscriber()
    return SerializedEmitter(subscriber, capacity=capacity, on_overflow=policy, **options), subscriber


def test_error_refuses_the_element_and_fails_after_what_waits(dropped_signals: Dropped) -> None:
    emitter, subscriber = gated("error")
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(number) for number in range(4)]
    assert results == [ACCEPTED, ACCEPTED, OVERFLOWED, TERMINATED]
    assert (subscriber.elements, subscriber.names[-1], emitter.dropped_count) == ([HELD, 0, 1], "on_error", 0)
    assert dropped_signals == []
    (error,) = subscriber.errors
    assert type(error) is CapacityError
    assert str(error) == (
        "SerializedEmitter got 2 while 2 elements wait for their consumer; emit more slowly, raise capacity, "
        "or choose another on_overflow"
    )


def test_error_that_comes_after_the_end_is_no_overflow() -> None:
    emitter, subscriber = gated("error")
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(0), emitter.emit(1), emitter.complete(), emitter.emit(2)]
    assert results == [ACCEPTED, ACCEPTED, True, TERMINATED]
    assert subscriber.is_complete


def test_drop_newest_drops_the_element_and_goes_on(dropped_signals: Dropped) -> None:
    emitter, subscriber = gated("drop_newest")
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(number) for number in range(4)]
        assert dropped_signals == [("on_next", 2, "SerializedEmitter"), ("on_next", 3, "SerializedEmitter")]
    assert results == [ACCEPTED, ACCEPTED, DROPPED, DROPPED]
    assert (emitter.emit("after"), subscriber.elements) == (ACCEPTED, [HELD, 0, 1, "after"])
    assert emitter.dropped_count == 2


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_drop_oldest_makes_room_by_the_oldest_that_waits(capacity: int, dropped_signals: Dropped) -> None:
    emitter, subscriber = gated("drop_oldest", capacity=capacity)
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(number) for number in range(6)]
        assert emitter.pending == capacity
    kept = list(range(6))[-capacity:]
    assert (results, subscriber.elements) == ([ACCEPTED] * 6, [HELD, *kept])
    assert [value for _, value, _ in dropped_signals] == list(range(6 - capacity))
    assert emitter.dropped_count == 6 - capacity


def test_latest_keeps_the_last_element_alone(dropped_signals: Dropped) -> None:
    emitter, subscriber = gated("latest", capacity=100)
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(number) for number in range(5)]
        assert emitter.pending == 1
    assert (results, subscriber.elements, emitter.pending) == ([ACCEPTED] * 5, [HELD, 4], 0)
    assert ([value for _, value, _ in dropped_signals], emitter.dropped_count) == ([0, 1, 2, 3], 4)


@pytest.mark.parametrize("policy", ["drop_oldest", "latest"])
def test_the_end_comes_after_the_element_that_displaced_another(policy: str, dropped_signals: Dropped) -> None:
    emitter, subscriber = gated(policy, capacity=1)
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(0), emitter.emit(1), emitter.complete(), emitter.emit(2)]
    assert results == [ACCEPTED, ACCEPTED, True, TERMINATED]
    assert (subscriber.elements, subscriber.is_complete) == ([HELD, 1], True)
    assert [value for _, value, _ in dropped_signals] == [0]


@pytest.mark.parametrize("policy", ["drop_newest", "drop_oldest", "latest"])
def test_a_hook_may_emit_to_the_emitter_that_dropped(policy: str) -> None:
    emitter, subscriber = gated(policy, capacity=1)
    told: list[object] = []

    def hook(signal: str, value: object, /, *, origin: str) -> None:
        told.append(value)
        if isinstance(value, int):
            told.append(emitter.emit("of the hook"))

    previous = set_hook(hook)
    try:
        with delivery_held(emitter, subscriber):
            emitter.emit(0)
            emitter.emit(1)
    finally:
        set_hook(previous)
    if policy == "drop_newest":
        assert (told, subscriber.elements) == ([1, "of the hook", DROPPED], [HELD, 0])
    else:
        # The hook's first element displaces 1, of which the hook is told inside; its second one displaces the first.
        assert told == [0, 1, "of the hook", ACCEPTED, ACCEPTED]
        assert subscriber.elements == [HELD, "of the hook"]


@pytest.mark.parametrize("policy", ["drop_newest", "drop_oldest", "latest"])
def test_an_interrupt_of_the_hook_is_raised_and_harms_nothing(policy: str) -> None:
    def hook(signal: str, value: object, /, *, origin: str) -> None:
        raise KeyboardInterrupt

    emitter, subscriber = gated(policy, capacity=1)
    previous = set_hook(hook)
    try:
        with delivery_held(emitter, subscriber):
            emitter.emit(0)
            with pytest.raises(KeyboardInterrupt):
                emitter.emit(1)
    finally:
        set_hook(previous)
    kept = 0 if policy == "drop_newest" else 1
    assert (subscriber.elements, emitter.dropped_count) == ([HELD, kept], 1)
    assert emitter.emit("after") is ACCEPTED


# --- block ------------------------------------------------------------------------------------------------------------


def test_block_gives_up_after_its_time_limit(dropped_signals: Dropped) -> None:
    emitter, subscriber = gated("block", block_timeout_seconds=SHORT_SECONDS)
    with delivery_held(emitter, subscriber):
        results = [emitter.emit(number) for number in range(3)]
    assert results == [ACCEPTED, ACCEPTED, TIMED_OUT]
    assert (subscriber.elements, dropped_signals, emitter.dropped_count) == ([HELD, 0, 1], [], 0)
    assert emitter.emit("after") is ACCEPTED


def producers(emitter: SerializedEmitter[Any], count: int) -> tuple[list[threading.Thread], dict[int, EmitResult]]:
    results: dict[int, EmitResult] = {}

    def produce(number: int) -> None:
        results[number] = emitter.emit(number)

    threads = [threading.Thread(target=produce, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads, results


def join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert [thread.name for thread in threads if thread.is_alive()] == []


@pytest.mark.parametrize("capacity", [1, 3])
def test_block_goes_on_when_there_is_room(capacity: int) -> None:
    emitter, subscriber = gated("block", capacity=capacity)
    with delivery_held(emitter, subscriber):
        threads, results = producers(emitter, 8)
    join(threads)
    assert (set(results.values()), sorted(subscriber.elements[1:])) == ({ACCEPTED}, list(range(8)))
    assert subscriber.overlaps == 0


@pytest.mark.parametrize("error", [None, ValueError("why")], ids=["complete", "fail"])
def test_block_goes_on_when_the_emitter_ends(error: ValueError | None) -> None:
    emitter, subscriber = gated("block", capacity=1)
    with delivery_held(emitter, subscriber):
        emitter.emit("waits")
        threads, results = producers(emitter, 4)
        if error is None:
            emitter.complete()
        else:
            emitter.fail(error)
        join(threads)
        assert results == dict.fromkeys(range(4), TERMINATED)
    assert subscriber.elements == [HELD, "waits"]
    assert subscriber.names[-1] == ("on_complete" if error is None else "on_error")


def test_block_goes_on_when_the_subscriber_raises(dropped_signals: Dropped) -> None:
    emitter, subscriber = gated("block", capacity=1)

    def fail() -> None:
        subscriber.is_inside.set()
        assert subscriber.gate.wait(WAIT_SECONDS)
        raise ValueError("mine")

    subscriber.actions["on_next"] = fail
    deliverer = threading.Thread(target=emitter.emit, args=("first",))
    deliverer.start()
    assert subscriber.is_inside.wait(WAIT_SECONDS)
    emitter.emit("waits")
    threads, results = producers(emitter, 4)
    subscriber.gate.set()
    join([*threads, deliverer])
    assert results == dict.fromkeys(range(4), EmitResult.CANCELLED)
    assert [(signal, repr(value)) for signal, value, _ in dropped_signals] == [
        ("on_next", "ValueError('mine')"),
        ("on_next", "'waits'"),
    ]


def test_the_policy_is_given_by_name_or_as_such() -> None:
    for policy in OverflowPolicy:
        assert gated(policy)[0].policy is policy
        assert gated(str(policy))[0].policy is policy
