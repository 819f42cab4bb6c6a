"""The protocol by which one thread at a time delivers what many emit, step by atomic step: emitter.pyx.

The queue is a ring whose producers claim a place, then publish it: so an element may be hidden for a while behind one
that is claimed and not yet published. `holders`, `inside` and what is counted are no variables of the algorithm.
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings import serial_word
from tests.interleavings.explorer import DONE, Actor, Step
from tests.interleavings.serial_word import MISSED, TOKEN

ENDED = 4

MUTANTS = {
    "token without a CAS": "the token is taken by a load, then a store",
    "idle by store": "the deliverer goes idle by a plain store of 0",
    "idle whatever was missed": "the deliverer clears TOKEN and MISSED without looking",
    "MISSED not set": "who finds a deliverer leaves no mark",
    "notified before published": "who queues an element up notifies first",
    "cleared after the polls": "the deliverer polls until nothing is there, then clears MISSED",
    "direct beside a queue": "who gets the token delivers without looking at the queue",
    "direct after closing": "who gets the token does not look whether the queue is closed",
    "token given up at the end": "the deliverer signals the end and goes idle",
    "ended beside a claim": "the deliverer signals the end when it finds nothing published",
    "nobody sweeps": "who publishes after the end leaves its element there",
}


def shared_variables() -> dict[str, Hashable]:
    return {
        "word": 0,
        "places": (),  # claimed and not yet taken: (element, is it published)
        "is_closed": False,
        "is_failed": False,
        "inside": 0,
        "delivered": frozenset(),
        "dropped": frozenset(),
        "accepted": frozenset(),
        "ends": 0,
    }


def check_always(shared: SimpleNamespace) -> None:
    assert shared.inside <= 1, "two deliveries at once"
    assert shared.ends <= 1, "ended twice"


def check_at_end(shared: SimpleNamespace) -> None:
    lost = shared.accepted - shared.delivered - shared.dropped
    assert not lost, f"lost: {sorted(lost)}"
    assert not shared.dropped or shared.is_failed, "dropped without a failure"
    if shared.is_failed:
        assert shared.word & (TOKEN | ENDED) == TOKEN | ENDED
    elif shared.is_closed:
        assert (shared.ends, shared.word & (TOKEN | ENDED)) == (1, TOKEN | ENDED), "never ended"
    else:
        assert shared.word == 0, f"the word stays at {shared.word}"


def emitting(name: str, elements: int, mutant: str, *, failing: int | None = None) -> Actor:
    """Emits 0, 1, ... one after the other; the subscriber raises about the element `failing` of this thread."""

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.number == elements:
            return DONE
        own.has_seen_end = shared.is_closed
        return "take"

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        is_taken, word = serial_word.try_acquire_idle(shared.word)
        if not is_taken:
            return "claim"
        if mutant == "token without a CAS":
            return "store"
        shared.word = word
        return "is empty"

    def store(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word = TOKEN
        return "is empty"

    def is_empty(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.places or mutant == "direct beside a queue":
            return "is open"
        own.is_emitting = True  # deliver first, then by the queue
        return "clear"

    def is_open(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.is_closed or mutant == "direct after closing":
            return "enter directly"
        own.is_emitting = True
        return "clear"

    def enter_directly(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        accept(shared, own)
        own.element = (name, own.number)
        own.number += 1
        shared.inside += 1
        assert shared.ends == 0, "delivered after the end"
        return "return directly"

    def return_directly(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        note_delivery(shared, own.element)
        return "stop" if own.element == failing_element else "go idle"

    def claim(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.is_emitting = False
        if shared.is_closed:
            own.number += 1
            return "look"
        accept(shared, own)
        own.claimed = (name, own.number)
        shared.places = (*shared.places, (own.claimed, False))
        own.number += 1
        return "notify" if mutant == "notified before published" else "publish"

    def publish(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.places = tuple(
            (element, is_published or element == own.claimed) for element, is_published in shared.places
        )
        own.claimed = None
        return "look" if mutant == "notified before published" else "notify"

    def accept(shared: SimpleNamespace, own: SimpleNamespace) -> None:
        assert not own.has_seen_end, "accepted after the end was seen"
        shared.accepted |= {(name, own.number)}

    steps = {
        "look": look,
        "take": take,
        "store": store,
        "is empty": is_empty,
        "is open": is_open,
        "enter directly": enter_directly,
        "return directly": return_directly,
        "claim": claim,
        "publish": publish,
    }
    failing_element = None if failing is None else (name, failing)
    variables = {"number": 0, "claimed": None, "element": None, "has_seen_end": False, "is_emitting": False}
    return Actor(name, {**steps, **delivering(mutant, following="look", failing=failing_element)}, variables)


def ending(mutant: str) -> Actor:
    """Completes."""

    def close(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.is_closed = True
        return "notify"

    steps = {"close": close, **delivering(mutant, following=DONE, failing=None)}
    return Actor("ender", steps, {"claimed": None, "element": None, "is_emitting": False})


def note_delivery(shared: SimpleNamespace, element: tuple[str, int]) -> None:
    name, number = element
    shared.inside -= 1
    shared.delivered |= {element}
    later = {other for who, other in shared.delivered if who == name and other > number}
    assert not later, f"out of order: {element} came after {later}"


def delivering(mutant: str, *, following: str, failing: Hashable) -> dict[str, Step]:
    """Notify, and deliver where that takes the token; then go on as `following`."""

    def notify(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        seen, word = serial_word.acquire_or_mark(shared.word)
        if not (seen & TOKEN and mutant == "MISSED not set"):
            shared.word = word
        if seen & ENDED:
            return after(own) if mutant == "nobody sweeps" else "sweep"
        if seen & TOKEN:
            return after(own)
        return "poll" if mutant == "cleared after the polls" else "clear"

    def clear(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.clear_missed(shared.word)
        return "is finished" if mutant == "cleared after the polls" else "poll"

    def poll(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.places or not shared.places[0][1]:
            return "clear" if mutant == "cleared after the polls" else "is finished"
        own.element = shared.places[0][0]
        shared.places = shared.places[1:]
        return "enter"

    def enter(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.inside += 1
        assert shared.ends == 0, "delivered after the end"
        return "return"

    def return_(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        note_delivery(shared, own.element)
        return "stop" if own.element == failing else "poll"

    def is_finished(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        claims_count = mutant != "ended beside a claim"
        if shared.is_closed and not (shared.places and claims_count):
            return "end"
        return "go idle"

    def end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.ends += 1
        _, shared.word = serial_word.set_relaxed(shared.word, ENDED)
        if mutant == "token given up at the end":
            shared.word = 0
        return after(own)

    def go_idle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "idle by store":
            shared.word = 0
        elif mutant == "idle whatever was missed":
            shared.word &= ~(TOKEN | MISSED)
        else:
            is_released, shared.word = serial_word.try_release(shared.word, MISSED)
            if not is_released:
                return "poll" if mutant == "cleared after the polls" else "clear"
        return after(own)

    def stop(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.set_relaxed(shared.word, ENDED)
        shared.is_closed = shared.is_failed = True
        return "sweep"

    def sweep(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # One eviction; each is a claim of its own.
        if not shared.places or not shared.places[0][1]:
            return after(own)
        shared.dropped |= {shared.places[0][0]}
        shared.places = shared.places[1:]
        return "sweep"

    def after(own: SimpleNamespace) -> str:
        own.element = None
        if own.claimed is not None and mutant == "notified before published":
            return "publish"
        own.claimed = None
        return "claim" if own.is_emitting else following

    return {
        "notify": notify,
        "clear": clear,
        "poll": poll,
        "enter": enter,
        "return": return_,
        "is finished": is_finished,
        "end": end,
        "go idle": go_idle,
        "stop": stop,
        "sweep": sweep,
    }
