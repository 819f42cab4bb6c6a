"""A subject, step by atomic step: multicaster.pyx.

An element goes past the queue if the word is idle and nothing waits (multicaster.pyx, I8). One step is one exchange or
CAS of the word, one critical section of the queue, or what the deliverer does between two calls of user code. Sources
take what they are given at once; `lagging` is one that another thread drains. `order`, `inside` and all that is
counted are no variables of the algorithm.

Who runs a step that needs the token has it in `own`; steps that call others keep where to go on in `own.stack`.
"""

from collections.abc import Hashable
from types import SimpleNamespace
from typing import NamedTuple

from tests.interleavings import serial_word
from tests.interleavings.explorer import Step
from tests.interleavings.serial_word import MISSED, TOKEN

CALLING = 4
UNLIMITED = 99

MUTANTS = {
    "idle by store": "the deliverer gives the token up whatever it has missed",
    "MISSED not set": "who finds a deliverer leaves no mark",
    "caller does not look again": "who has called the upstream clears CALLING and goes",
    "kept and listed in two steps": "who enters takes what is kept, then is listed",
    "kept and read in two steps": "the deliverer reads the sources, then keeps the element",
    "entered though closed": "who has entered does not look whether its source was cancelled",
    "told before it is closed": "a source that is cancelled tells the subject, then closes",
    "offered without room": "an offer is taken whatever the room is",
    "room of others": "the room that was found for some sources is told when another one has entered",
    "room kept by who enters": "who enters leaves the room that was found without it",
    "first that raises stops the end": "what a subscriber raises keeps the end from the others",
    "nested element given at once": "what is pushed inside of a delivery goes past the queue",
    "demand counted by who drains": "what is requested is the demand that the drainer counts down",
    "asked without CALLING": "the deliverer calls the upstream though another thread does",
    "who closes asks for nobody": "who was waited for leaves, and what the others want is not found out anew",
    "taken note of beside a caller": "what was asked is taken note of, though another thread calls the upstream",
    "full and ended in two steps": "one too many ends the subject, though the only subscriber has come meanwhile",
    "full and dropped": "what is one too many is dropped, though the only subscriber has come meanwhile",
    "past the registry, idle by store": "who sends an element past the registry gives the token up whatever came",
    "past the registry though retained": "an element goes past the registry though late subscribers are to get it",
    "past the registry, nothing asked": "who sends an element past the registry does not look what to request",
}


class Source(NamedTuple):
    """What is known of a source."""

    name: str
    requested: int
    got: tuple[str, ...] = ()
    waiting: int = 0  # given and not yet sent, where another thread drains it
    demand: int = 0  # as the drainer counts it
    is_lagging: bool = False  # another thread drains it
    is_closed: bool = False
    ends: int = 0
    since: int = -1  # where in the order it begins; -1: it was never listed


def shared_variables(
    *sources: Source, capacity: int = 9, kept: int = 0, has_upstream: bool = False, is_shared: bool = True
) -> dict[str, Hashable]:
    listed = tuple(each.name for each in sources if each.since == 0)
    return {
        "word": 0,
        "queue": (),  # (kind, value), for offers also who was there
        "room": 0,
        "is_closed": False,
        "books": sources,
        "listed": listed,
        "closed": (),  # who has said that it leaves
        "demand_changed": has_upstream,  # what may be requested has to be found out anew
        "kept": (),
        "replay_limit": kept,
        "is_shared": is_shared,  # False: it serves one source, and keeps what comes before that
        "is_served": False,
        "dropped": (),
        "order": (),
        "capacity": capacity,
        "has_upstream": has_upstream,
        "in_flight": 0,
        "asked": 0,
        "sent": 0,
        "inside": 0,
        "inside_upstream": 0,
        "is_ended": False,
        "is_sealed": False,
        "on_empty": 0,  # 1: to be called
        "on_empty_calls": 0,
        "accepted": (),
        "has_nested": False,
    }


# --- what sources and the subject know ------------------------------------------------------------------------------


def book(shared: SimpleNamespace, name: str) -> Source:
    return next(each for each in shared.books if each.name == name)


def note(shared: SimpleNamespace, name: str, **changes: object) -> None:
    shared.books = tuple(each._replace(**changes) if each.name == name else each for each in shared.books)


def takes(shared: SimpleNamespace, name: str, mutant: str) -> int:
    """How many elements more a source can take now."""
    source = book(shared, name)
    if source.is_lagging and mutant == "demand counted by who drains":
        return source.demand - source.waiting
    return source.requested - len(source.got) - source.waiting


def least_room(shared: SimpleNamespace, mutant: str) -> int:
    open_ = [name for name in shared.listed if not book(shared, name).is_closed]
    return min([takes(shared, name, mutant) for name in open_], default=-1)


def wanted(shared: SimpleNamespace, mutant: str) -> int:
    if not shared.has_upstream or shared.is_ended or not shared.listed:
        return 0
    return min(shared.capacity, *[takes(shared, name, mutant) for name in shared.listed]) - shared.in_flight


def check_always(shared: SimpleNamespace) -> None:
    assert shared.inside <= 1, "two deliveries at once"
    assert shared.inside_upstream <= 1, "two calls of the upstream at once"
    assert shared.in_flight >= 0
    for source in shared.books:
        assert source.ends <= 1, f"{source.name} ended twice"
        assert len(source.got) + source.waiting <= source.requested, f"{source.name} got what it has not requested"


def check_at_end(shared: SimpleNamespace) -> None:
    assert shared.word == 0, f"the word stays at {shared.word}"
    assert shared.queue == (), f"left in the queue: {shared.queue}"
    lost = set(shared.accepted) - set(shared.order) - set(shared.dropped)
    assert not lost, f"lost: {sorted(lost)}"
    if shared.is_shared and shared.replay_limit:
        assert shared.kept == shared.order[-shared.replay_limit :], f"late subscribers would get {shared.kept}"
    for source in shared.books:
        assert not (source.is_closed and source.name in shared.listed), f"{source.name} is closed and listed"
        if source.since >= 0 and not source.is_closed:
            assert source.got == shared.order[source.since :], f"{source.name} missed something: {source.got}"
            assert source.ends == shared.is_ended, f"{source.name} was not told the end"
    assert wanted(shared, "") <= 0, f"{wanted(shared, '')} elements are wanted and not asked for"
    assert shared.on_empty_calls == (shared.is_sealed and not shared.listed), f"on_empty: {shared.on_empty_calls}"


# --- the token and the deliverer --------------------------------------------------------------------------------------


def call(own: SimpleNamespace, step: str, then: str) -> str:
    own.stack = (*own.stack, then)
    return step


def back(own: SimpleNamespace) -> str:
    *rest, then = own.stack
    own.stack = tuple(rest)
    return str(then)


def own_variables() -> dict[str, Hashable]:
    return {
        "stack": (),
        "signal": None,
        "left": (),
        "to_request": 0,
        "room": 0,
        "number": 0,
        "is_idle": False,
        "is_past": False,
        "put": None,
        "later": None,
    }


def delivering(mutant: str, *, nested: str = "", raises: str = "", sends_inside: bool = False) -> dict[str, Step]:
    """Notify and deliver; `nested` is pushed inside of the first delivery, `raises` raises when it is told the end."""

    def notify(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        seen, word = serial_word.acquire_or_mark(shared.word)
        if seen & TOKEN and mutant == "MISSED not set":
            return back(own)
        shared.word = word
        return back(own) if seen & TOKEN else "clear"

    def clear(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.clear_missed(shared.word)
        return "forget closed"

    def prune_closed(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.closed:
            if mutant != "who closes asks for nobody":
                shared.demand_changed = True
            shared.listed = tuple(name for name in shared.listed if name not in shared.closed)
            shared.closed = ()
        own.left = shared.listed
        own.room = least_room(shared, mutant)
        return "take"

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.is_idle = not shared.queue
        if own.is_idle:
            return "find call"
        shared.demand_changed = True
        is_found_for_all = own.left == shared.listed or mutant == "room of others"
        shared.room = own.room if is_found_for_all else 0
        own.signal, *rest = shared.queue
        shared.queue = tuple(rest)
        kind = own.signal[0]
        if kind not in ("push", "offer"):
            shared.room = 0
        if kind == "seal":
            shared.is_sealed, shared.on_empty = True, 1
            return "find call"
        if kind == "end":
            return "end"
        shared.room -= shared.room > 0
        if mutant == "kept and read in two steps":
            own.left = shared.listed
        return "keep"

    def end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.left = shared.listed
        shared.is_ended, shared.listed = True, ()
        return "tell end"

    def keep(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        element = own.signal[1]
        if shared.is_ended:
            return "drop"
        if not shared.is_shared and not shared.is_served:
            if len(shared.kept) >= shared.replay_limit:
                return "end unserved"
            shared.order += (element,)
            shared.kept += (element,)
            own.left = ()
            return "give"
        if mutant != "kept and read in two steps":
            own.left = shared.listed
        shared.order += (element,)
        if shared.is_shared:
            shared.kept = (*shared.kept, element)[-shared.replay_limit :] if shared.replay_limit else ()
        return "give"

    def end_unserved(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.is_served:
            if mutant == "full and dropped":
                own.left = ()
                return "find call"
            if mutant != "full and ended in two steps":
                return "keep"
        shared.is_ended, shared.is_closed, shared.listed = True, True, ()
        return "drop"

    def drop(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.dropped += (own.signal[1],)
        own.left = ()
        return "find call"

    def give(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not own.left:
            if own.signal[0] == "push" and shared.in_flight:
                shared.in_flight -= 1
            own.is_past, was_past = False, own.is_past
            return "look what to do" if was_past else "find call"
        name = own.left[0]
        shared.inside += 1
        if own.signal[0] == "offer" and takes(shared, name, mutant) <= 0:
            assert name not in own.signal[2], f"{name} has not requested what was accepted"
            note(shared, name, is_closed=True)  # it came later, and fails
            shared.closed += (name,)
        elif not book(shared, name).is_closed:
            give_to(shared, name, own.signal[1])
        if nested and not shared.has_nested:
            shared.has_nested = True
            own.put = ("push", nested)
            if mutant == "nested element given at once":
                shared.order += (nested,)
                shared.accepted += (nested,)
                for each in shared.listed:
                    give_to(shared, each, nested)
                return "given"
            return call(own, "push", "given")
        return "given"

    def give_to(shared: SimpleNamespace, name: str, element: str) -> None:
        source = book(shared, name)
        if source.is_lagging:
            note(shared, name, waiting=source.waiting + 1)
        else:
            note(shared, name, got=(*source.got, element))

    def given(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.inside -= 1
        own.left = own.left[1:]
        return "give"

    def tell_end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not own.left:
            return "find call"
        name = own.left[0]
        note(shared, name, ends=book(shared, name).ends + 1)
        own.left = () if name == raises and mutant == "first that raises stops the end" else own.left[1:]
        return "tell end"

    def find_call(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.signal, own.left = None, ()
        if not own.is_idle and not shared.queue:
            return "clear"
        own.to_request = 0
        if shared.on_empty and not shared.listed:
            shared.on_empty = 0
            return "give up for the call"
        may_call = not shared.word & CALLING or mutant == "asked without CALLING"
        n = wanted(shared, mutant) if may_call and shared.demand_changed else 0
        if may_call or mutant == "taken note of beside a caller":
            shared.demand_changed = False
        if n <= 0:
            return "go idle" if own.is_idle else "clear"
        own.to_request = n
        shared.in_flight += n
        _, shared.word = serial_word.set_relaxed(shared.word, CALLING)
        return "give up for the call"

    def give_up_for_the_call(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.release_token(shared.word)
        return "enter call"

    def enter_call(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not own.to_request:
            shared.on_empty_calls += 1
            return "notify"
        shared.inside_upstream += 1
        shared.asked += own.to_request
        if sends_inside and shared.sent < shared.asked:
            shared.sent += 1
            own.put = ("push", f"u{shared.sent}")
            return call(own, "push", "leave call")
        return "leave call"

    def leave_call(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.inside_upstream -= 1
        return "clear asking"

    def clear_asking(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        _, shared.word = serial_word.clear_release(shared.word, CALLING)
        return back(own) if mutant == "caller does not look again" else "notify"

    def go_idle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "idle by store":
            shared.word &= ~(TOKEN | MISSED)
            return back(own)
        is_released, shared.word = serial_word.try_release(shared.word, MISSED)
        return back(own) if is_released else "clear"

    def push(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.put[0] != "push":
            return put(shared, own)
        is_taken, shared.word = serial_word.try_acquire_idle(shared.word)
        return "look past" if is_taken else put(shared, own)

    def look_past(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        retains = shared.replay_limit and (shared.is_shared or not shared.is_served)
        if mutant == "past the registry though retained":
            retains = False
        if shared.closed or shared.queue or shared.is_closed or shared.is_ended or retains:
            return "leave past"
        own.signal, own.put, own.left, own.is_past = own.put, None, shared.listed, True
        shared.accepted += (own.signal[1],)
        shared.order += (own.signal[1],)
        return "find room past"

    def find_room_past(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.room = least_room(shared, mutant)
        return "tell room past"

    def tell_room_past(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.room = own.room if own.left == shared.listed else 0
        shared.room -= shared.room > 0
        shared.demand_changed = True
        return "give"

    def look_what_to_do(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        is_to_ask = shared.has_upstream and mutant != "past the registry, nothing asked"
        own.signal, own.left = None, ()
        return "clear" if is_to_ask or shared.on_empty or shared.closed else "go idle past"

    def go_idle_past(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "past the registry, idle by store":
            shared.word &= ~(TOKEN | MISSED)
            return back(own)
        is_released, shared.word = serial_word.try_release(shared.word, MISSED)
        return back(own) if is_released else "clear"

    def leave_past(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.later, own.put = own.put, None
        is_released, shared.word = serial_word.try_release(shared.word, MISSED)
        return "put later" if is_released else call(own, "clear", "put later")

    def put_later(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.put, own.later = own.later, None
        return put(shared, own)

    def put(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.is_closed:
            return back(own)
        shared.queue = (*shared.queue, own.put)
        if own.put[0] in ("push", "offer"):
            shared.accepted += (own.put[1],)
        elif own.put[0] == "end":
            shared.is_closed = True
        own.put = None
        return "notify"

    return {
        "notify": notify,
        "clear": clear,
        "forget closed": prune_closed,
        "take": take,
        "give": give,
        "given": given,
        "end": end,
        "keep": keep,
        "end unserved": end_unserved,
        "drop": drop,
        "tell end": tell_end,
        "find call": find_call,
        "give up for the call": give_up_for_the_call,
        "enter call": enter_call,
        "leave call": leave_call,
        "clear asking": clear_asking,
        "go idle": go_idle,
        "push": push,
        "look past": look_past,
        "find room past": find_room_past,
        "tell room past": tell_room_past,
        "look what to do": look_what_to_do,
        "go idle past": go_idle_past,
        "leave past": leave_past,
        "put later": put_later,
    }
