"""Who meets at a subject, for the model of it: producers, subscribers, an upstream."""

from types import SimpleNamespace

from tests.interleavings import serial_word
from tests.interleavings.explorer import BLOCKED, DONE, Actor, Step
from tests.interleavings.multicaster_model import (
    book,
    call,
    least_room,
    note,
    own_variables,
)


def putting(name: str, signals: tuple[tuple[str, str], ...], steps: dict[str, Step]) -> Actor:
    """Puts signals into the queue, one after the other, each with its notification."""

    def begin(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.number == len(signals):
            return DONE
        own.put = signals[own.number]
        own.number += 1
        return call(own, "push", "begin")

    return Actor(name, {"begin": begin, **steps}, own_variables())


def pushing(name: str, count: int, steps: dict[str, Step]) -> Actor:
    return putting(name, tuple(("push", f"{name}{number}") for number in range(count)), steps)


def sending_what_is_asked(count: int, steps: dict[str, Step]) -> Actor:
    """The upstream's thread: sends up to so many elements as they are requested."""

    def begin(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.number == count:
            return DONE
        if shared.sent == shared.asked:
            return BLOCKED
        shared.sent += 1
        own.number += 1
        own.put = ("push", f"u{shared.sent}")
        return call(own, "push", "begin")

    return Actor("upstream", {"begin": begin, **steps}, own_variables(), is_daemon=True)


def offering(name: str, count: int, mutant: str, steps: dict[str, Step]) -> Actor:
    """Offers; an offer that meets a free token looks at the room itself."""

    def begin(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.number == count:
            return DONE
        own.number += 1
        is_taken, word = serial_word.try_acquire(shared.word)
        if not is_taken:
            return "offer"
        shared.word = word
        return "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.left = shared.listed
        own.room = least_room(shared, mutant)
        return "tell room"

    def tell_room(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        is_found_for_all = own.left == shared.listed or mutant == "room of others"
        shared.room = own.room if is_found_for_all else 0
        own.left = ()
        return "offer with token"

    def offer_with_token(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        offer_now(shared, own)
        return call(own, "clear", "begin")

    def offer(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return call(own, "notify", "begin") if offer_now(shared, own) else "begin"

    def offer_now(shared: SimpleNamespace, own: SimpleNamespace) -> bool:
        waiting = len(shared.queue)
        is_control_there = any(signal[0] not in ("push", "offer") for signal in shared.queue)
        if shared.is_closed or is_control_there:
            return False
        if waiting >= shared.room and mutant != "offered without room":
            return False
        element = f"{name}{own.number}"
        shared.queue = (*shared.queue, ("offer", element, shared.listed))
        shared.accepted += (element,)
        return True

    own_steps = {"look": look, "tell room": tell_room, "offer with token": offer_with_token, "offer": offer}
    return Actor(name, {"begin": begin, **own_steps, **steps}, own_variables())


def joining(name: str, mutant: str, steps: dict[str, Step]) -> Actor:
    """Enters with what is kept, then looks whether it was cancelled meanwhile."""

    def begin(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if book(shared, name).is_closed:
            return DONE
        own.left = shared.kept if mutant == "kept and listed in two steps" else ()
        return "list"

    def list_(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.is_sealed:
            return DONE
        if mutant != "kept and listed in two steps":
            own.left = shared.kept
        # What is kept ends with what went out last, unless more went out since it was taken.
        note(shared, name, got=own.left, since=shared.order.index(own.left[0]) if own.left else len(shared.order))
        own.left = ()
        if not shared.is_shared:
            shared.is_served, shared.kept = True, ()
        if shared.is_ended:
            note(shared, name, ends=1)
            return DONE
        shared.listed = (*shared.listed, name)
        if mutant != "room kept by who enters":
            shared.room = 0
        return DONE if mutant == "entered though closed" else "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "tell" if book(shared, name).is_closed else DONE

    def tell(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.closed += (name,)
        return call(own, "notify", DONE)

    own_steps = {"begin": begin, "list": list_, "look": look, "tell": tell}
    return Actor(f"joins {name}", {**own_steps, **steps}, own_variables())


def requesting(name: str, times: int, steps: dict[str, Step]) -> Actor:
    def begin(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.number == times:
            return DONE
        own.number += 1
        source = book(shared, name)
        note(shared, name, requested=source.requested + 1, demand=source.demand + 1)
        shared.demand_changed = True
        return call(own, "notify", "begin")

    return Actor(f"requests for {name}", {"begin": begin, **steps}, own_variables())


def cancelling(name: str, mutant: str, steps: dict[str, Step]) -> Actor:
    """Cancels a source: it is closed, then the subject is told."""

    def begin(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "told before it is closed":
            shared.closed += (name,)
            return call(own, "notify", "close")
        note(shared, name, is_closed=True)
        return "tell"

    def close(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        note(shared, name, is_closed=True)
        return DONE

    def tell(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.closed += (name,)
        return call(own, "notify", DONE)

    return Actor(f"cancels {name}", {"begin": begin, "tell": tell, "close": close, **steps}, own_variables())


def draining(name: str, count: int, steps: dict[str, Step]) -> Actor:
    """Another thread drains a source: takes an element out, sends it, then lowers the demand, and asks."""

    def begin(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        source = book(shared, name)
        if own.number == count:
            return DONE
        if not source.waiting:
            return BLOCKED
        own.number += 1
        element = shared.order[len(source.got)]
        note(shared, name, waiting=source.waiting - 1, got=(*source.got, element))
        return "lower"

    def lower(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        note(shared, name, demand=book(shared, name).demand - 1)
        shared.demand_changed = True
        return call(own, "notify", "begin")

    return Actor(f"drains {name}", {"begin": begin, "lower": lower, **steps}, own_variables(), is_daemon=True)
