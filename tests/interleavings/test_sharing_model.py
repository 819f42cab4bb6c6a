"""Subscribers that come to a shared stream and leave it (`sharing.pyx`), in every interleaving of their steps.

Each step is a critical section of the connector, or a call outside of it. A connection is written as (connected, over,
subscriptions to the upstream, disposed).
"""

from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore

FRESH = (False, False, 0, False)
CONNECTED, OVER, SUBSCRIBED, DISPOSED = range(4)
NEVER = -1

MUTANTS = {
    "choose and count in two steps": "ended under a subscriber",
    "end after the last was counted off": "ended under a subscriber",
    "renew whatever is there": "runs for ever",
    "connect before the source is in the core": "missed the first element",
    "mark as connected afterwards": "connected 2 times",
    "keep the count of the connection before": "waits for ever",
}
GRACE_MUTANTS = {
    "forget the alarm afterwards": "runs for ever",
    "end without a look at the time": "ended before its grace was over",
    "ring and end in two steps": "ended under a subscriber",
    "keep the time of who left before": "ended before its grace was over",
    "set a time that another one has to set": "ended before its grace was over",
    "set an alarm that has rung": "its scheduler is disposed",
}


def of(state: SimpleNamespace, connection: int, what: int) -> int:
    return int(state.connections[connection][what])


def put(state: SimpleNamespace, connection: int, what: int, value: int) -> None:
    changed = list(state.connections[connection])
    changed[what] = value
    state.connections = (*state.connections[:connection], tuple(changed), *state.connections[connection + 1 :])


def dispose(state: SimpleNamespace, connection: int) -> None:
    put(state, connection, DISPOSED, True)
    assert connection not in state.members, "ended under a subscriber"


def subscriber(mutant: str, number: int, *, grace: bool = False) -> Actor:
    """Comes, and leaves when it is there."""

    def look(state: SimpleNamespace, own: SimpleNamespace) -> str:
        own.connection = state.current
        return "renew" if of(state, own.connection, OVER) else "count"

    def renew(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.current == own.connection or mutant == "renew whatever is there":
            state.connections = (*state.connections, FRESH)
            state.current = len(state.connections) - 1
        return "look"

    def count(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.current != own.connection or of(state, own.connection, OVER):
            return "look"
        return "count without a look" if mutant == "choose and count in two steps" else add_up(state, own)

    def add_up(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.counted != own.connection and mutant != "keep the count of the connection before":
            state.count, state.has_connected = 0, False
        state.counted = own.connection
        state.count += 1
        own.connects = False
        if not state.has_connected and mutant != "mark as connected afterwards":
            state.has_connected = True
            own.connects = not of(state, own.connection, CONNECTED)
            put(state, own.connection, CONNECTED, True)
        elif not state.has_connected:
            own.connects = True
        return "connect" if mutant == "connect before the source is in the core" and own.connects else "add"

    def add(state: SimpleNamespace, own: SimpleNamespace) -> str:
        assert not of(state, own.connection, DISPOSED), "ended under a subscriber"
        members = list(state.members)
        members[number] = own.connection
        state.members = tuple(members)
        return "connect" if own.connects and mutant != "connect before the source is in the core" else "leave"

    def connect(state: SimpleNamespace, own: SimpleNamespace) -> str:
        assert state.members[number] == own.connection, "missed the first element"
        subscriptions = of(state, own.connection, SUBSCRIBED) + 1
        assert subscriptions == 1, f"connected {subscriptions} times"
        put(state, own.connection, SUBSCRIBED, subscriptions)
        state.has_connected = True
        put(state, own.connection, CONNECTED, True)
        return "leave"

    def leave(state: SimpleNamespace, own: SimpleNamespace) -> str:
        assert of(state, own.connection, CONNECTED), "waits for ever"
        members = list(state.members)
        members[number] = NEVER
        state.members = tuple(members)
        return "count off"

    def count_off(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.counted != own.connection:
            return DONE
        state.count -= 1
        if state.count or not state.has_connected or of(state, own.connection, OVER):
            return DONE
        if grace:
            state.last_left = number
            if mutant != "keep the time of who left before":
                state.due = NEVER
            return "look for an alarm"
        if mutant != "end after the last was counted off":
            put(state, own.connection, OVER, True)
        return "end"

    def end(state: SimpleNamespace, own: SimpleNamespace) -> str:
        put(state, own.connection, OVER, True)
        dispose(state, own.connection)
        return DONE

    def look_for_alarm(state: SimpleNamespace, own: SimpleNamespace) -> str:
        own.found = state.alarm != NEVER
        return "set the alarm"

    def set_alarm(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.found and state.alarm == NEVER and mutant != "set an alarm that has rung":
            return "look for an alarm"
        is_last = state.last_left == number or mutant == "set a time that another one has to set"
        if state.counted == own.connection and state.count == 0 and is_last:
            state.time += 1
            state.due = state.time
            state.due_of = number
            if state.alarm == NEVER:
                assert not own.found, "its scheduler is disposed"
                state.alarm = state.due
        return DONE

    steps = {
        "look": look,
        "renew": renew,
        "count": count,
        "count without a look": add_up,
        "add": add,
        "connect": connect,
        "leave": leave,
        "count off": count_off,
        "end": end,
        "look for an alarm": look_for_alarm,
        "set the alarm": set_alarm,
    }
    return Actor(f"subscriber {number}", steps, {"connection": NEVER, "connects": False, "found": False})


def scheduler(mutant: str) -> Actor:
    """Runs the alarm when it is due."""

    def ring(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.alarm == NEVER:
            return BLOCKED
        own.connection, own.due = state.counted, state.due
        if state.count or state.due == NEVER or of(state, own.connection, OVER):
            if mutant == "forget the alarm afterwards":
                return "forget"
            state.alarm = NEVER
            return "ring"
        if own.due > state.alarm and mutant != "end without a look at the time":
            return "set again"
        return "end without a look" if mutant == "ring and end in two steps" else "end"

    def forget(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.alarm = NEVER
        return "ring"

    def set_again(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.alarm = own.due
        return "ring"

    def end(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.count == 0 and state.due == own.due:
            return end_it(state, own)
        return "ring"

    def end_it(state: SimpleNamespace, own: SimpleNamespace) -> str:
        is_over = state.alarm >= state.due and state.due_of == state.last_left
        assert is_over or mutant == "ring and end in two steps", "ended before its grace was over"
        put(state, own.connection, OVER, True)
        state.alarm = NEVER
        return "dispose"

    def dispose_it(state: SimpleNamespace, own: SimpleNamespace) -> str:
        dispose(state, own.connection)
        return "ring"

    steps = {
        "ring": ring,
        "forget": forget,
        "set again": set_again,
        "end": end,
        "end without a look": end_it,
        "dispose": dispose_it,
    }
    return Actor("scheduler", steps, {"connection": NEVER, "due": 0}, is_daemon=True)


def run(mutant: str = "", *, subscribers: int = 3, grace: bool = False) -> int:
    shared = {
        "connections": (FRESH,),
        "current": 0,
        "counted": NEVER,
        "count": 0,
        "has_connected": False,
        "members": (NEVER,) * subscribers,
        "time": 0,
        "due": NEVER,
        "due_of": NEVER,
        "last_left": NEVER,
        "alarm": NEVER,
    }

    def all_ended(state: SimpleNamespace) -> None:
        for connected, _, subscriptions, disposed in state.connections:
            assert subscriptions == connected, f"connected {subscriptions} times"
            assert disposed or not subscriptions, "a connection that nobody needs runs for ever"

    actors = [subscriber(mutant, number, grace=grace) for number in range(subscribers)]
    return explore(shared, [*actors, *([scheduler(mutant)] if grace else [])], at_end=all_ended)


@pytest.mark.parametrize(("subscribers", "grace"), [(3, False), (2, True)])
def test_connection_ends_with_its_last_subscriber_and_none_with_a_subscriber(subscribers: int, grace: bool) -> None:
    assert run(subscribers=subscribers, grace=grace) > 100  # interleavings were explored indeed


@pytest.mark.parametrize("mutant", MUTANTS)
def test_broken_count_is_found(mutant: str) -> None:
    with pytest.raises(ViolationError, match=MUTANTS[mutant]):
        run(mutant)


@pytest.mark.parametrize("mutant", GRACE_MUTANTS)
def test_broken_grace_is_found(mutant: str) -> None:
    with pytest.raises(ViolationError, match=GRACE_MUTANTS[mutant]):
        run(mutant, grace=True, subscribers=3 if mutant == "end without a look at the time" else 2)
