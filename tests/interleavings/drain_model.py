"""The protocol by which one thread at a time drains a demand owner, step by atomic step.

The shared variables: the state word, the demand, and what an observer would count. `holders` is no variable of the
algorithm: it says who is between taking the token and giving it up. Who got the token drains here and now; which list
an owner joins instead, where its thread drains already, is in drain_run_model.py. A turn that waits has the token, and
nobody is there (subscription.pyx, Turns).
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings import serial_word
from tests.interleavings.explorer import DONE, Actor, Step
from tests.interleavings.serial_word import ACQUIRED, ALL_BUT_TOKEN, FINAL, MARKED, MISSED, TOKEN

CANCELLED, PAUSE, TERMINAL = 4, 16, 32
LEAVE = CANCELLED | PAUSE | TERMINAL

MUTANTS = {
    "idle by store": "the drainer goes idle by a plain store of 0",
    "idle without MISSED": "the drainer clears TOKEN whatever else the word holds",
    "look before add": "the requester looks at the word, then adds its demand",
    "MISSED not set": "a requester that finds a drainer leaves no mark",
    "read before clear": "the drainer reads the demand, then clears MISSED",
    "cancel tears down at once": "the canceller does not wait for the drainer",
    "cancel only marks": "the canceller sets its bit and does not take a token that is free",
    "token not taken": "who finds the word idle drains without setting TOKEN",
    "end without TERMINAL": "the drainer tears down and leaves the word as if it had gone idle",
    "park by store": "the drainer parks without looking whether it was resumed meanwhile",
    "save after a look": "the saver looks whether somebody drains, and saves without the token",
    "released without a look": "the saver clears TOKEN whatever came meanwhile",
    "released by store": "the saver leaves the word as it found it",
    "turn left in silence": "the drainer leaves its turn, and nothing comes for the token",
    "turn run twice": "who comes for a turn does not look whether somebody has taken it back",
    "turn taken by a look": "the canceller sees that a turn waits, and tears down without taking it",
}


def shared_variables(elements: int) -> dict[str, Hashable]:
    return {
        "word": 0,
        "demand": 0,
        "elements": elements,
        "requested": 0,
        "sent": 0,
        "ends": 0,
        "teardowns": 0,
        "is_cancelled": False,
        "holders": (),
        "turn_waits": False,
    }


def check_always(shared: SimpleNamespace) -> None:
    assert len(shared.holders) <= 1, f"two drainers: {shared.holders}"
    assert shared.sent <= shared.requested, "more was sent than requested"
    assert shared.teardowns <= 1, "torn down twice"
    assert shared.ends <= 1, "ended twice"


def check_at_end(shared: SimpleNamespace) -> None:
    assert shared.holders == (), "the token was kept"
    assert not shared.turn_waits, "a turn waits for ever"
    if shared.is_cancelled or not shared.elements:
        assert shared.teardowns == 1, "never torn down"
        assert shared.word & (TERMINAL | TOKEN) == TERMINAL, f"the word stays at {shared.word}"
        if not shared.is_cancelled:
            assert shared.ends == 1, "never ended"
    else:
        assert shared.sent == shared.requested, f"stalled: {shared.requested} requested, {shared.sent} sent"
        assert shared.word == 0, f"the word stays at {shared.word}"


def requester(name: str, requests: int, mutant: str, *, is_loop: bool = False) -> Actor:
    """Requests 1 element after the other; drains where it gets the token.

    The thread of a loop leaves its turn behind each element, and comes for it behind its own requests.
    """

    def add(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.left == 0 and own.expected:
            own.expected -= 1
            return "come"
        if own.left == 0:
            return DONE
        own.left -= 1
        if mutant == "look before add":
            return look(shared, own, then="add late")
        return add_late(shared, own, then="look")

    def add_late(shared: SimpleNamespace, own: SimpleNamespace, then: str = "") -> str:
        shared.requested += 1
        shared.demand += 1
        return then or ("add" if own.is_seen else "set")

    def look(shared: SimpleNamespace, own: SimpleNamespace, then: str = "") -> str:
        own.is_seen = bool(shared.word & TERMINAL) or shared.word & (TOKEN | MISSED) == TOKEN | MISSED
        return then or ("add" if own.is_seen else "set")

    def come(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.turn_waits and mutant != "turn run twice":
            return "add"
        shared.turn_waits = False
        shared.holders = (*shared.holders, name)
        return "clear"

    steps = {
        "add": add,
        "add late": add_late,
        "look": look,
        "come": come,
        **set_and_drain(name, mutant, bit=0, following="add", is_loop=is_loop),
    }
    return Actor(name, steps, {"left": requests, "expected": 0, "is_seen": False, "seen": 0, "wanted": 0})


def canceller(name: str, mutant: str) -> Actor:
    def cancel(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        result, word = serial_word.set_or_acquire(shared.word, CANCELLED, 0, TERMINAL | CANCELLED)
        if result == FINAL:
            return DONE
        shared.is_cancelled = True
        if mutant == "cancel only marks":
            shared.word |= CANCELLED | MISSED
            return DONE
        shared.word = word
        if result == MARKED and mutant != "cancel tears down at once":
            return "take back"
        shared.holders = (*shared.holders, name)
        return "tear down"

    def take_back(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.turn_waits:
            return DONE
        shared.turn_waits = mutant == "turn taken by a look"
        shared.holders = (*shared.holders, name)
        return "tear down"

    return Actor(name, {"cancel": cancel, "take back": take_back, **teardown(name, mutant, following=DONE)})


def pauser(name: str, mutant: str) -> Actor:
    """Pauses and resumes; drains where the resumption gets the token."""

    def pause(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.set_or_acquire(shared.word, PAUSE, PAUSE, TERMINAL)
        return "resume"

    def resume(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.clear_release(shared.word, PAUSE)
        return "set"

    steps = {"pause": pause, "resume": resume, **set_and_drain(name, mutant, bit=0, following=DONE)}
    return Actor(name, steps, {"seen": 0, "wanted": 0})


def saver(name: str, mutant: str) -> Actor:
    """Holds the token while it reads what the token guards; drains where something came meanwhile."""

    def hold(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.found = shared.word
        is_taken, word = serial_word.try_acquire(shared.word)
        if not is_taken:
            return DONE  # refused
        if mutant != "save after a look":
            shared.word = word
            shared.holders = (*shared.holders, name)
        own.sent, own.teardowns = shared.sent, shared.teardowns
        return "save"

    def save(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        assert (shared.sent, shared.teardowns) == (own.sent, own.teardowns), "it moved while it was saved"
        return DONE if mutant == "save after a look" else "release hold"

    def release_hold(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # The loop of a compare-and-swap: one that fails changes nothing and looks again.
        seen = shared.word
        is_due = not seen & TERMINAL and (seen & CANCELLED or seen & (MISSED | PAUSE) == MISSED)
        if mutant == "released by store":
            shared.word = own.found
        elif is_due and mutant != "released without a look":
            return "read" if mutant == "read before clear" else "clear"
        else:
            _, shared.word = serial_word.try_release_from(seen, seen)
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return DONE

    draining = set_and_drain(name, mutant, bit=0, following=DONE)
    steps = {"hold": hold, "save": save, "release hold": release_hold, **draining}
    return Actor(name, steps, {"found": 0, "sent": 0, "teardowns": 0, "seen": 0, "wanted": 0})


def set_and_drain(name: str, mutant: str, *, bit: int, following: str, is_loop: bool = False) -> dict[str, Step]:
    """Set MISSED (and a bit); who thereby moves the word from idle to TOKEN drains, then goes on as `following`."""

    def set_bit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # A compare-and-swap that succeeds; one that fails changes nothing and is tried again.
        seen = shared.word
        result, shared.word = serial_word.set_or_acquire(seen, bit, PAUSE, TERMINAL)
        if mutant == "MISSED not set" and not seen & MISSED:
            shared.word &= ~MISSED
        if mutant == "token not taken" and not seen & TOKEN:
            shared.word &= ~TOKEN
        if result != ACQUIRED:
            return following
        shared.holders = (*shared.holders, name)
        return "read" if mutant == "read before clear" else "clear"

    def clear(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen, shared.word = serial_word.clear_missed(shared.word)
        if own.seen & LEAVE:
            return "settle"
        return "send" if mutant == "read before clear" else "read"

    def settle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.seen & CANCELLED:
            return "tear down"
        if mutant == "park by store":
            shared.word = own.seen & ~(TOKEN | MISSED)
            return give_up(shared)
        is_released, shared.word = serial_word.try_release_from(shared.word, own.seen)
        if not is_released:
            return "read" if mutant == "read before clear" else "clear"
        return give_up(shared)

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.wanted = shared.demand
        return "clear" if mutant == "read before clear" else "send"

    def send(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # One element a round: the loops look at the word after each.
        if not own.wanted:
            return "go idle"
        assert shared.teardowns == 0, "sent after the teardown"
        shared.sent += 1
        shared.elements -= 1
        return "take"

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.demand -= 1
        if not shared.elements:
            return "end"
        if is_loop and not shared.word & LEAVE:  # the bit that says so is the drainer's own
            return "leave turn"
        return "go idle" if shared.demand == 0 else ("read" if mutant == "read before clear" else "clear")

    def leave_turn(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.turn_waits = True
        own.expected += mutant != "turn left in silence"
        return give_up(shared)

    def go_idle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "idle by store":
            shared.word = 0
        elif mutant == "idle without MISSED":
            shared.word &= ~(TOKEN | MISSED)
        else:
            is_released, shared.word = serial_word.try_release(shared.word, ALL_BUT_TOKEN)
            if not is_released:
                return "read" if mutant == "read before clear" else "clear"
        return give_up(shared)

    def end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # A cancellation that came before this step is met by the same teardown.
        assert shared.teardowns == 0, "ended after the teardown"
        if mutant != "end without TERMINAL":
            _, shared.word = serial_word.set_relaxed(shared.word, TERMINAL)
        shared.ends += 1
        return "tear down"

    def give_up(shared: SimpleNamespace) -> str:
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return following

    return {
        "set": set_bit,
        "clear": clear,
        "settle": settle,
        "read": read,
        "send": send,
        "take": take,
        "leave turn": leave_turn,
        "go idle": go_idle,
        "end": end,
        **teardown(name, mutant, following=following),
    }


def teardown(name: str, mutant: str, *, following: str) -> dict[str, Step]:
    def tear_down(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant != "end without TERMINAL":
            _, shared.word = serial_word.set_relaxed(shared.word, TERMINAL)
        shared.teardowns += 1
        return "leave"

    def leave(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.release_token(shared.word)
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return following

    return {"tear down": tear_down, "leave": leave}
