"""The words that authors/subscription.pyx adds to the drain, step by atomic step: permits, announcements, the end.

Requesters add, emitters and an ender come from any thread, and whoever gets the token drains: passes the queue on and
calls the hook, which emits as much as it was told; what it emits while somebody has paused the stream is held. Of the
drain only TOKEN, MISSED, PAUSE and TERMINAL are modelled; drain_model.py has all of it. Variables that only tell
what an observer sees: `holders`, `requested`, `accepted`, `passed_on`, `told`, `ends`.
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings.explorer import BLOCKED, DONE, Actor, Step, explore
from tests.interleavings.serial_word import MISSED, TOKEN
from tests.interleavings.store_buffer import buffers, is_drained, store, writers

PAUSE, TERMINAL = 16, 32

MUTANTS = {
    "announce before permits": "a requester tells the hook of elements for which there are no permits yet",
    "notice before announcement": "a requester sets MISSED, then adds what the hook is to be told",
    "announcement taken in two steps": "the drainer reads what is to be told, then writes 0",
    "no permit": "an emitter does not take a permit",
    "permit taken in two steps": "an emitter reads the permits, then writes one less",
    "permit kept": "an emitter that finds the queue full does not give its permit back",
    "emit without the lock": "emitters write into the queue at the same time",
    "end without the lock": "the end comes between an emitter's look at it and its offer",
    "no notice": "an emitter offers and tells nobody",
    "queue before end": "the drainer finds the queue empty, then looks whether it ended",
    "end with elements left": "the drainer ends as soon as it was told to",
    "relaxed end": "that it ended is visible before the error is",
    "notice before end": "the ender sets MISSED, then says that it ended",
    "pause refuses": "what the hook emits while the stream is paused is refused, as after a cancellation",
    "pause ignored": "what the hook emits while the stream is paused is sent",
    "end with elements held": "the drainer ends when the queue is empty, whatever is held",
    "resume without notice": "who resumes clears PAUSE and tells nobody",
}


def shared_variables(names: list[str]) -> dict[str, Hashable]:
    return {
        "word": 0,
        "demand": 0,
        "permits": 0,
        "unnotified_demand": 0,
        "lock": None,
        "queue": (),
        "is_ending": 0,
        "end_error": None,
        "holders": (),
        "requested": 0,
        "accepted": frozenset(),
        "passed_on": frozenset(),
        "told": 0,
        "hooked": 0,
        "held": 0,
        "ends": (),
        "may_hook": True,
        **buffers(names),
    }


def noticing(name: str, mutant: str, *, following: str, hooks: bool) -> dict[str, Step]:
    """Set MISSED; who thereby gets the token drains, then goes on as `following`."""

    def notice(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not is_drained(shared, name):
            return BLOCKED  # seq_cst
        if shared.word & TERMINAL:
            return following
        seen, takes = shared.word, 0 if shared.word & PAUSE else TOKEN
        shared.word |= MISSED | takes
        if seen & (TOKEN | PAUSE):
            return following
        shared.holders = (*shared.holders, name)
        return "clear"

    def clear(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word &= ~MISSED
        own.sent = 0
        own.seen_word = shared.word
        return "park" if shared.word & PAUSE else "read"

    def park(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.word != own.seen_word:
            return "clear"
        shared.word &= ~TOKEN
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return following

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.wanted = shared.demand
        return "look at end"

    def look_at_end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.ends = bool(shared.is_ending)
        return "pass on"

    def pass_on(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.word & PAUSE:
            return "count"
        if own.sent < own.wanted and shared.held:
            shared.held -= 1
            shared.hooked += 1
            own.sent += 1
            return "pass on"
        if own.sent < own.wanted and shared.queue:
            element, *rest = shared.queue
            shared.queue = tuple(rest)
            assert element not in shared.passed_on, f"{element} was passed on twice"
            shared.passed_on |= {element}
            own.sent += 1
            return "pass on"
        if mutant == "queue before end":
            own.saw_empty = not shared.queue
            return "look late"
        return "announce"

    def look_late(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.ends = bool(shared.is_ending)
        return "announce"

    def announce(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.ends or not shared.unnotified_demand:
            return "end"
        own.told = shared.unnotified_demand
        if mutant == "announcement taken in two steps":
            return "forget"
        shared.unnotified_demand = 0
        return "hook"

    def forget(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.unnotified_demand = 0
        return "hook"

    def hook(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        """The hook emits all that it was told of, one step each, where nobody else emits."""
        shared.told += own.told
        own.to_emit, own.told = own.told if hooks else 0, 0
        return "emit in hook"

    def emit_in_hook(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not own.to_emit:
            return "look at end"
        if shared.is_ending:
            own.to_emit = 0
            return "emit in hook"
        if shared.word & PAUSE and mutant == "pause refuses":
            own.to_emit = 0
            return "emit in hook"
        assert shared.permits > 0, "the hook was told of elements that it must not emit"
        shared.permits -= 1
        own.to_emit -= 1
        if shared.held or (shared.word & PAUSE and mutant != "pause ignored"):
            shared.held += 1
            return "emit in hook"
        assert not shared.word & PAUSE, "an element was sent though the stream is paused"
        own.sent += 1
        shared.hooked += 1
        return "emit in hook"

    def end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        is_empty = own.saw_empty if mutant == "queue before end" else not shared.queue
        is_empty = is_empty and (mutant == "end with elements held" or not shared.held)
        if own.ends and (is_empty or mutant == "end with elements left"):
            shared.word |= TERMINAL
            shared.ends = (*shared.ends, shared.end_error)
            shared.word &= ~TOKEN
            shared.holders = tuple(holder for holder in shared.holders if holder != name)
            return following
        return "count"

    def count(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.demand -= own.sent
        return "go idle" if own.sent < own.wanted or own.wanted == 0 or shared.demand == 0 else "clear"

    def go_idle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.word != TOKEN:
            return "clear"
        shared.word = 0
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return following

    return {
        "notice": notice,
        "clear": clear,
        "park": park,
        "read": read,
        "look at end": look_at_end,
        "pass on": pass_on,
        "look late": look_late,
        "announce": announce,
        "forget": forget,
        "hook": hook,
        "emit in hook": emit_in_hook,
        "end": end,
        "count": count,
        "go idle": go_idle,
    }


DRAINER = {"seen_word": 0, "wanted": 0, "sent": 0, "ends": False, "saw_empty": False, "told": 0, "to_emit": 0}


def requester(name: str, requests: int, mutant: str, *, hooks: bool) -> Actor:
    """Requests one element after the other; where `hooks`, the hook emits them."""

    def permit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.left == 0:
            return DONE
        own.left -= 1
        shared.requested += 1
        if mutant == "announce before permits":
            shared.unnotified_demand += 1
            return "permit late"
        shared.permits += 1
        return "add" if mutant == "notice before announcement" else "tell"

    def permit_late(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.permits += 1
        return "add"

    def tell(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.unnotified_demand += 1
        return "permit" if mutant == "notice before announcement" else "add"

    def add(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.demand += 1
        return "notice"

    following = "tell" if mutant == "notice before announcement" else "permit"
    steps = {"permit": permit, "permit late": permit_late, "tell": tell, "add": add}
    drain = noticing(name, mutant, following=following, hooks=hooks)
    return Actor(name, {**steps, **drain}, {"left": requests, **DRAINER})


def emitter(name: str, elements: str, capacity: int, mutant: str) -> Actor:
    """Emits elements outside of the hooks, each once there is a permit, until the end; lets go what is refused."""

    def lock(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.emitted == len(elements):
            return DONE
        if mutant != "emit without the lock":
            if shared.lock is not None:
                return BLOCKED
            shared.lock = name
        return "look"

    def unlock(shared: SimpleNamespace) -> None:
        if shared.lock == name:
            shared.lock = None

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.is_ending or shared.word & TERMINAL:
            unlock(shared)
            return DONE
        return "take permit"

    def take_permit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen = shared.permits
        if mutant != "no permit":
            if not own.seen:  # it raises; the author asks again later
                unlock(shared)
                return "wait"
            if mutant == "permit taken in two steps":
                return "write permit"
            shared.permits -= 1
        return "offer"

    def write_permit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.permits = own.seen - 1
        return "offer"

    def wait(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "lock" if shared.permits or shared.is_ending or shared.word & TERMINAL else BLOCKED

    def offer(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.queue = shared.queue
        own.is_taken = len(own.queue) < capacity
        return "write"

    def write(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.is_taken:
            element = elements[own.emitted]
            # What it read of the queue is old where another emitter, not the drainer, has written meanwhile.
            added = [other for other in shared.queue if other not in own.queue]
            kept = [other for other in shared.queue if other in own.queue]
            shared.queue = (*kept, element)
            assert mutant == "emit without the lock" or not added, "two emitters at once"
            shared.accepted |= {element}
        own.queue = ()
        own.emitted += 1
        unlock(shared)
        if own.is_taken:
            return "lock" if mutant == "no notice" else "notice"
        return "lock" if mutant == "permit kept" else "give back"

    def give_back(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.permits += 1
        return "lock"

    steps = {
        "lock": lock,
        "look": look,
        "take permit": take_permit,
        "write permit": write_permit,
        "wait": wait,
        "offer": offer,
        "write": write,
        "give back": give_back,
    }
    drain = noticing(name, mutant, following="lock", hooks=False)
    variables = {"emitted": 0, "seen": 0, "queue": (), "is_taken": False, **DRAINER}
    return Actor(name, {**steps, **drain}, variables, is_daemon=True)


def ender(mutant: str, *, hooks: bool = False, pauses: bool = False) -> Actor:
    """Fails the subscription; where it `pauses`, that and resuming come before, with one notice for both."""

    def pause(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.word & TERMINAL:
            shared.word |= PAUSE | MISSED
        return "resume"

    def resume(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word &= ~PAUSE
        return "lock"

    def lock(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant != "end without the lock":
            if shared.lock is not None:
                return BLOCKED
            shared.lock = "ender"
        return "write error"

    def write_error(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "ender", "end_error", "broken", is_release=False)
        return "notice" if mutant == "notice before end" else "write end"

    def write_end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "ender", "is_ending", 1, is_release=mutant != "relaxed end")
        return "unlock"

    def unlock(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.lock == "ender":
            if not is_drained(shared, "ender") and mutant != "relaxed end":
                return BLOCKED  # a lock is given back with a release
            shared.lock = None
        return DONE if mutant == "notice before end" else "notice"

    steps = {"pause": pause, "resume": resume} if pauses else {}
    steps |= {"lock": lock, "write error": write_error, "write end": write_end, "unlock": unlock}
    following = "write end" if mutant == "notice before end" else DONE
    drain = noticing("ender", mutant, following=following, hooks=hooks)
    return Actor("ender", {**steps, **drain}, dict(DRAINER))


def pauser(mutant: str, *, hooks: bool) -> Actor:
    """Pauses the stream, then resumes it."""

    def pause(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.word & TERMINAL:
            shared.word |= PAUSE | MISSED
        return "resume"

    def resume(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word &= ~PAUSE
        return DONE if mutant == "resume without notice" else "notice"

    steps = {"pause": pause, "resume": resume}
    drain = noticing("pauser", mutant, following=DONE, hooks=hooks)
    return Actor("pauser", {**steps, **drain}, dict(DRAINER))


def explore_subscription(actors: list[Actor], capacity: int) -> int:
    names = [actor.name for actor in actors]
    has_ender = "ender" in names

    def always(shared: SimpleNamespace) -> None:
        assert len(shared.holders) <= 1, f"two drainers: {shared.holders}"
        assert len(shared.passed_on) + shared.hooked <= shared.requested, "more was sent than requested"
        assert len(shared.queue) <= capacity, "the queue overflowed"
        assert len(shared.ends) <= 1, "ended twice"

    def at_end(shared: SimpleNamespace) -> None:
        assert shared.word & TOKEN == 0, "the token was kept"
        assert shared.held == 0, "what the hook emitted was not sent"
        assert has_ender or not shared.hooked or shared.hooked == shared.told, "what the hook emitted was refused"
        if has_ender:
            assert shared.ends == ("broken",), f"ended as {shared.ends}"
        else:
            assert shared.told == shared.requested, f"the hook was told of {shared.told} of {shared.requested}"
            used = len(shared.accepted) + shared.hooked
            assert shared.permits + used == shared.requested, "a permit was lost or made"
        assert shared.passed_on == shared.accepted, f"accepted {set(shared.accepted)}, sent {set(shared.passed_on)}"

    places = ["end_error", "is_ending"] if has_ender else []
    return explore(shared_variables(names), [*actors, *writers("ender", places)], always=always, at_end=at_end)
