"""The words that the base classes add to the drain, step by atomic step: who links, who cancels, who runs hooks.

The subject is an asynchronous subscriber: threads bring subscriptions, one cancels, a worker runs the task. Of the
drain only the bits that matter here are modelled; drain_model.py has all of them. `holders`, `hooks` and `cancels` are
no variables of the algorithm: they say what an observer sees.
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings.explorer import BLOCKED, DONE, Actor, Step
from tests.interleavings.serial_word import MISSED, TOKEN

CANCELLED, TERMINAL, NEW = 4, 32, 128
NOT_LINKED, LINKED, UNLINKED = "not linked", "linked", "unlinked"
OPEN = "open"

MUTANTS = {
    "claim in two steps": "who brings a subscription looks whether there is one, then claims",
    "link by store": "who brings a subscription does not look whether the source was torn down",
    "unlink in two steps": "the teardown looks for a subscription, then marks the source as torn down",
    "unlink by look": "the teardown looks for a subscription and leaves no mark",
    "cancel without open": "a cancellation before the subscription leaves the source closed",
    "cancel tears down": "the canceller tears an idle source down in its own thread",
    "schedule every time": "each signal schedules the task, whoever has the token",
    "idle without MISSED": "the drainer clears TOKEN whatever else the word holds",
    "outcome in two steps": "the end and cancel() look at each other's flag after they set their own",
    "outcome not kept": "cancel() does not decide which hook is the last one",
}


def shared_variables() -> dict[str, Hashable]:
    return {
        "word": NEW,
        "claimed": False,
        "writing": (),
        "link": NOT_LINKED,
        "subscription": None,
        "cancels": (),
        "is_cancelled": False,
        "ended": False,
        "outcome": OPEN,
        "tasks": 0,
        "has_begun": False,
        "hooks": (),
        "holders": (),
    }


def check_always(shared: SimpleNamespace) -> None:
    assert len(shared.holders) <= 1, f"two drainers: {shared.holders}"
    assert shared.tasks <= 1, "two tasks wait"
    assert len(shared.writing) <= 1, f"two subscriptions: {shared.writing}"
    assert len(set(shared.cancels)) == len(shared.cancels), f"cancelled twice: {shared.cancels}"
    assert len(set(shared.hooks)) == len(shared.hooks), f"a hook ran twice: {shared.hooks}"
    for last in ("cancel", "complete"):
        assert last not in shared.hooks[:-1], f"a hook behind the last one: {shared.hooks}"


def subscriber_of(name: str, mutant: str, *, then_completes: bool = False) -> Actor:
    """A publisher: brings a subscription; after it completes, where it was told to."""

    def claim(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen, claims = shared.claimed, mutant != "claim in two steps"
        shared.claimed = shared.claimed or claims
        return "refuse" if own.seen else ("write" if claims else "claim late")

    def claim_late(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.claimed = True
        return "write"

    def write(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.writing = (*shared.writing, name)
        shared.subscription = name
        return "link"

    def link(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        seen, shared.link = shared.link, LINKED
        if seen == UNLINKED and mutant != "link by store":
            return "refuse"
        return "notify the subscription"

    def refuse(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.cancels = (*shared.cancels, name)
        return DONE

    def end_input(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not then_completes or shared.word & TERMINAL:
            return DONE
        shared.ended = True
        return "notify the end"

    steps = {
        "claim": claim,
        "claim late": claim_late,
        "write": write,
        "link": link,
        "refuse": refuse,
        **notify("notify the subscription", mutant, following="open"),
        **open_source("open", mutant, following="end the input"),
        "end the input": end_input,
        **notify("notify the end", mutant, following=DONE),
    }
    return Actor(name, steps, {"seen": False})


def canceller(name: str, mutant: str) -> Actor:
    """The author: sets the flag, decides the outcome, leaves the rest to a turn."""

    def flag(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.is_cancelled = True
        return "decide"

    def decide(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "outcome in two steps":
            shared.outcome = "cancel" if "complete" not in shared.outcome else "both"
        elif mutant != "outcome not kept" and shared.outcome == OPEN:
            shared.outcome = "cancel"
        return "set CANCELLED"

    following = DONE if mutant == "cancel without open" else "open"
    steps = {
        "flag": flag,
        "decide": decide,
        **notify("set CANCELLED", mutant, bit=CANCELLED, following=following, tears_down=mutant == "cancel tears down"),
        **open_source("open", mutant, following=DONE),
        **turn(name, mutant, following=following),
    }
    return Actor(name, steps, {"seen": 0})


def worker(name: str, mutant: str) -> Actor:
    """The scheduler: runs the task whenever it waits."""

    def run(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.tasks:
            return BLOCKED
        shared.tasks -= 1
        shared.holders = (*shared.holders, name)
        return "clear"

    return Actor(name, {"run": run, **turn(name, mutant, following="run")}, {"seen": 0}, is_daemon=True)


def notify(label: str, mutant: str, *, following: str, bit: int = 0, tears_down: bool = False) -> dict[str, Step]:
    """Set MISSED (and a bit); who thereby moves the word from idle to TOKEN schedules the task."""

    def set_bit(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.word & TERMINAL:
            return following
        takes = not shared.word & (TOKEN | NEW)
        shared.word |= bit | MISSED | (TOKEN if takes else 0)
        if takes and tears_down:
            shared.holders = (*shared.holders, "canceller")
            return "unlink"
        if takes or (mutant == "schedule every time" and not shared.word & NEW):
            shared.tasks += 1
        return following

    return {label: set_bit}


def open_source(label: str, mutant: str, *, following: str) -> dict[str, Step]:
    """Clear NEW; whoever did so notifies."""

    def clear_new(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        was_new, shared.word = shared.word & NEW, shared.word & ~NEW
        return f"{label}: notify" if was_new else following

    return {label: clear_new, **notify(f"{label}: notify", mutant, following=following)}


def turn(name: str, mutant: str, *, following: str) -> dict[str, Step]:
    """One turn under the token: the first hook, the end of the input, the teardown."""

    def hook(shared: SimpleNamespace, which: str) -> None:
        assert name == "worker", f"the hook {which} ran outside of the scheduler"
        shared.hooks = (*shared.hooks, which)

    def clear(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen, shared.word = shared.word, shared.word & ~MISSED
        return "unlink" if own.seen & CANCELLED else "first hook"

    def first_hook(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.link != NOT_LINKED and not shared.has_begun:
            shared.has_begun = True
            hook(shared, "subscribe")
        return "look for the end"

    def look_for_end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "end" if shared.ended else "go idle"

    def end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word |= TERMINAL
        if mutant == "outcome in two steps":
            shared.outcome = "complete" if "cancel" not in shared.outcome else "both"
        elif shared.outcome == OPEN:
            shared.outcome = "complete"
        return "last hook"

    def last_hook(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.outcome == "complete":
            hook(shared, "complete")
        return "unlink"

    def go_idle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "idle without MISSED":
            shared.word &= ~(TOKEN | MISSED)
        elif shared.word == TOKEN:
            shared.word = 0
        else:
            return "clear"
        shared.holders = ()
        return following

    def unlink(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word |= TERMINAL
        own.seen = shared.link == LINKED
        if mutant == "unlink in two steps":
            return "unlink late"
        if mutant != "unlink by look":
            shared.link = UNLINKED
        return "cancel the subscription" if own.seen else "cancel hook"

    def unlink_late(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.link = UNLINKED
        return "cancel the subscription" if own.seen else "cancel hook"

    def cancel_subscription(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.ended:
            shared.cancels = (*shared.cancels, shared.subscription)
        return "cancel hook"

    def cancel_hook(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.outcome == "cancel":
            hook(shared, "cancel")
        return "leave"

    def leave(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word &= ~TOKEN
        shared.holders = ()
        return following

    return {
        "clear": clear,
        "first hook": first_hook,
        "look for the end": look_for_end,
        "end": end,
        "last hook": last_hook,
        "go idle": go_idle,
        "unlink": unlink,
        "unlink late": unlink_late,
        "cancel the subscription": cancel_subscription,
        "cancel hook": cancel_hook,
        "leave": leave,
    }
