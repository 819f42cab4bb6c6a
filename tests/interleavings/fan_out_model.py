"""An element that goes past the queue of an idle owner, step by atomic step: subscription.pyx, Fan-out.

A producer puts an element into the queue, and notifies, unless nothing waits there, there is demand, and it gets the
token of the idle word. Others request, cancel and pause; who gets the token drains. A producer is the only one of its
owner, or shares it with others, and then it drains whatever came while it had the token; so does a source that is bound
to what it gets elements from (sources/publisher.pyx, Past the ring).
`holders`, `before` and what is counted are no variables of the algorithm.
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings import serial_word
from tests.interleavings.explorer import DONE, Actor, Step
from tests.interleavings.serial_word import ACQUIRED, ALL_BUT_TOKEN, FINAL, MARKED, MISSED, TOKEN

CANCELLED, PAUSE, TERMINAL = 4, 16, 32
LEAVE = CANCELLED | PAUSE | TERMINAL

MUTANTS = {
    "past what waits": "the producer does not look whether elements wait",
    "demand not looked at again": "the producer relies on the demand that it saw before it had the token",
    "token of a word that says more": "the producer takes a token that is free, whatever other bits are set",
    "given back by store": "the producer leaves the word idle, whatever came meanwhile",
    "given back without a look": "the producer clears TOKEN, whatever came meanwhile",
    "demand not used up": "the producer sends, and leaves the demand as it is",
    "mark taken for demand": "a producer that is not the only one takes MISSED for a request",
    "all taken for demand": "the producer gives back a token with a cancellation as if a request had come",
}


def shared_variables() -> dict[str, Hashable]:
    return {
        "word": 0,
        "demand": 0,
        "queue": (),
        "requested": 0,
        "pushed": 0,
        "returned": (),  # the elements whose push is over
        "before": (),  # pairs: the push of the first was over before that of the second began
        "sent": (),
        "teardowns": 0,
        "is_cancelled": False,
        "holders": (),
    }


def check_always(shared: SimpleNamespace) -> None:
    assert len(shared.holders) <= 1, f"two have the token: {shared.holders}"
    assert len(shared.sent) <= shared.requested, "more was sent than requested"
    places = {element: place for place, element in enumerate(shared.sent)}
    for first, second in shared.before:
        if second in places:
            assert places.get(first, len(places)) < places[second], f"out of order: {shared.sent}"
    assert shared.teardowns <= 1, "torn down twice"


def check_at_end(shared: SimpleNamespace) -> None:
    assert shared.holders == (), "the token was kept"
    if shared.is_cancelled:
        assert shared.teardowns == 1, "never torn down"
        assert shared.word & (TERMINAL | TOKEN) == TERMINAL, f"the word stays at {shared.word}"
        return
    assert len(shared.sent) == min(shared.pushed, shared.requested), f"stalled: {shared.pushed} pushed, {shared.sent}"
    assert shared.demand == shared.requested - len(shared.sent), "the demand is wrong"
    assert shared.word == 0, f"the word stays at {shared.word}"


def producer(name: str, elements: int, mutant: str, *, is_shared: bool = False) -> Actor:
    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.next == elements:
            return DONE
        own.element = f"{name}{own.next}"
        own.next += 1
        shared.pushed += 1
        shared.before = (*shared.before, *((earlier, own.element) for earlier in shared.returned))
        return "put" if shared.queue and mutant != "past what waits" else "look at demand"

    def look_at_demand(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "acquire" if shared.demand else "put"

    def acquire(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        is_lax = mutant == "token of a word that says more"
        take = serial_word.try_acquire if is_lax else serial_word.try_acquire_idle
        is_taken, shared.word = take(shared.word)
        if not is_taken:
            return "put"
        shared.holders = (*shared.holders, name)
        return "look again"

    def look_again(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.is_sent = bool(shared.demand) or mutant == "demand not looked at again"
        if not own.is_sent:
            return "give back"
        return "push" if mutant == "demand not used up" else "use up"

    def use_up(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.demand -= 1
        return "push"

    def push(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        assert shared.teardowns == 0, "sent after the teardown"
        shared.sent = (*shared.sent, own.element)
        return "give back"

    def give_back(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "given back by store":
            shared.word = 0
        elif mutant == "given back without a look":
            shared.word &= ~TOKEN
        else:
            is_released, shared.word = serial_word.try_release(shared.word, ALL_BUT_TOKEN)
            if not is_released:
                return "look at bits"
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return after(shared, own)

    def look_at_bits(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if (is_shared and mutant != "mark taken for demand") or shared.word & ~(TOKEN | MISSED):
            if mutant != "all taken for demand":
                return "clear"
            shared.word &= ~(TOKEN | MISSED)
            shared.holders = tuple(holder for holder in shared.holders if holder != name)
            return after(shared, own)
        return "clear mark"

    def clear_mark(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.clear_missed(shared.word)
        return "give back"

    def after(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not own.is_sent:
            return "put"
        shared.returned = (*shared.returned, own.element)
        return "look"

    def put(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.is_sent = True
        shared.queue = (*shared.queue, own.element)
        return "set"

    steps = {
        "look": look,
        "look at demand": look_at_demand,
        "acquire": acquire,
        "look again": look_again,
        "use up": use_up,
        "push": push,
        "give back": give_back,
        "look at bits": look_at_bits,
        "clear mark": clear_mark,
        "put": put,
        **set_and_drain(name, 0, after),
    }
    return Actor(name, steps, {"next": 0, "element": "", "is_sent": True, "seen": 0, "wanted": 0})


def requester(name: str, requests: int) -> Actor:
    def add(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.left == 0:
            return DONE
        own.left -= 1
        shared.requested += 1
        shared.demand += 1
        return "set"

    return Actor(
        name,
        {"add": add, **set_and_drain(name, 0, lambda _shared, _own: "add")},
        {"left": requests, "seen": 0, "wanted": 0},
    )


def canceller(name: str) -> Actor:
    def cancel(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        result, word = serial_word.set_or_acquire(shared.word, CANCELLED, 0, TERMINAL | CANCELLED)
        if result == FINAL:
            return DONE
        shared.word = word
        shared.is_cancelled = True
        if result == MARKED:
            return DONE
        shared.holders = (*shared.holders, name)
        return "tear down"

    return Actor(name, {"cancel": cancel, **teardown(name, lambda _shared, _own: DONE)})


def pauser(name: str) -> Actor:
    def pause(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.set_or_acquire(shared.word, PAUSE, PAUSE, TERMINAL)
        return "resume"

    def resume(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.clear_release(shared.word, PAUSE)
        return "set"

    steps = {"pause": pause, "resume": resume, **set_and_drain(name, 0, lambda _shared, _own: DONE)}
    return Actor(name, steps, {"seen": 0, "wanted": 0})


def set_and_drain(name: str, bit: int, following: Step) -> dict[str, Step]:
    """Notify; who thereby gets the token sends what waits, one element a round, as in drain_model.py."""

    def set_bit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        result, shared.word = serial_word.set_or_acquire(shared.word, bit, PAUSE, TERMINAL)
        if result != ACQUIRED:
            return following(shared, own)
        shared.holders = (*shared.holders, name)
        return "clear"

    def clear(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen, shared.word = serial_word.clear_missed(shared.word)
        return "settle" if own.seen & LEAVE else "read"

    def settle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.seen & (CANCELLED | TERMINAL):
            return "tear down"
        is_released, shared.word = serial_word.try_release_from(shared.word, own.seen)
        return give_up(shared, own) if is_released else "clear"

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.wanted = shared.demand
        return "poll"

    def poll(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not own.wanted or not shared.queue:
            return "go idle"
        assert shared.teardowns == 0, "sent after the teardown"
        element, *rest = shared.queue
        shared.queue = tuple(rest)
        shared.sent = (*shared.sent, element)
        return "take"

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.demand -= 1
        return "clear"

    def go_idle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        is_released, shared.word = serial_word.try_release(shared.word, ALL_BUT_TOKEN)
        return give_up(shared, own) if is_released else "clear"

    def give_up(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return following(shared, own)

    return {
        "set": set_bit,
        "clear": clear,
        "settle": settle,
        "read": read,
        "poll": poll,
        "take": take,
        "go idle": go_idle,
        **teardown(name, following),
    }


def teardown(name: str, following: Step) -> dict[str, Step]:
    def tear_down(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.set_relaxed(shared.word, TERMINAL)
        shared.teardowns += 1
        return "leave"

    def leave(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.release_token(shared.word)
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return following(shared, own)

    return {"tear down": tear_down, "leave": leave}
