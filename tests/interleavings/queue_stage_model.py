"""The queue between two threads, step by step: queue_stage.pyx, and its drain as a task as in operators/observe_on.pyx.

The input offers what it was asked for and then ends, on a memory that writes late; the worker runs the tasks; others
request and cancel. Of the drain only the bits that matter here are modelled; drain_model.py has all of them. Variables
that only tell what an observer sees: `holders`, `requested`, `sent`, `ends`, `teardowns`.

The worker of an operator with a demand of its own (operators/python_operator.pyx) makes several elements of one,
which wait for demand, and one more at the end of the input.
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings.explorer import BLOCKED, DONE, Actor, Step, explore
from tests.interleavings.serial_word import MISSED, TOKEN
from tests.interleavings.store_buffer import buffers, is_drained, store, writers

CANCELLED, TERMINAL = 4, 32
LEAVE = CANCELLED | TERMINAL

MUTANTS = {
    "no notice": "the input offers and tells nobody",
    "notice before offer": "the input sets MISSED, then offers",
    "notice without a fence": "the input sets MISSED while its offer is not visible yet",
    "end before error": "the input says that it ended, then with what",
    "relaxed end": "that the input ended is visible before the error is",
    "no notice of the end": "the input ends and tells nobody",
    "ring before end": "the drainer finds the queue empty, then looks whether the input ended",
    "end with elements left": "the drainer ends as soon as the input did",
    "ask before take": "the drainer asks for more before it has taken what makes room",
    "ask for too much": "the drainer asks for the whole queue each time",
    "never ask": "the drainer takes and does not ask for more",
    "leave without a note": "the drainer asks for more and leaves its loop as if it were idle",
    "idle without MISSED": "the drainer goes idle whatever else the word holds",
    "schedule every time": "each notice schedules the task, whoever has the token",
    "claim by look": "an execution looks whether it was scheduled, and leaves the mark",
    "tear down at once": "the canceller does not wait for the drainer",
    "take in behind": "a hooked queue takes an element though emitted ones wait",
    "end behind": "a hooked queue calls the hook for the end though emitted elements wait",
    "leave held input": "a hooked queue that has sent what waited does not look at its input",
    "finish over waiting": "a hooked queue ends though emitted elements wait",
}


def shared_variables(prefetch: int) -> dict[str, Hashable]:
    return {
        "word": 0,
        "demand": 0,
        "asked": prefetch,
        "offered": 0,
        "taken": 0,
        "consumed": 0,
        "waiting": 0,
        "is_ending": False,
        "input_error": None,
        "input_ended": 0,
        "is_scheduled": 0,
        "tasks": 0,
        "holders": (),
        "requested": 0,
        "sent": 0,
        "ends": (),
        "teardowns": 0,
        "is_cancelled": False,
        "is_running": True,
    }


def notice(name: str, mutant: str, following: str) -> dict[str, Step]:
    """Set MISSED; who thereby gets the token schedules the task."""

    def set_missed(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not is_drained(shared, name) and mutant != "notice without a fence":
            return BLOCKED  # seq_cst
        seen, shared.word = shared.word, shared.word | MISSED
        if seen & TERMINAL:
            shared.word = seen
            return following
        if seen & TOKEN and mutant != "schedule every time":
            return following
        shared.word |= TOKEN
        return "schedule"

    def schedule(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.is_scheduled = 1
        shared.tasks += 1
        return following

    return {"set": set_missed, "schedule": schedule}


def source(elements: int, prefetch: int, mutant: str) -> Actor:
    """Offers so many elements as it is asked for them, then ends with an error."""

    def offer(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.is_cancelled:
            return DONE
        if own.offered == elements:
            return "write error"
        if own.offered == shared.asked:
            return BLOCKED
        if mutant == "notice before offer" and not own.has_told:
            own.has_told = True
            return "set"
        own.has_told = False
        assert own.offered - shared.taken < prefetch, "the queue overflowed"
        own.offered += 1
        store(shared, "source", "offered", own.offered, is_release=True)
        return "offer" if mutant in {"no notice", "notice before offer"} else "set"

    def write_error(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        place, value = ("input_ended", 1) if mutant == "end before error" else ("input_error", "broken")
        store(shared, "source", place, value, is_release=False)
        return "end"

    def end(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "end before error":
            store(shared, "source", "input_error", "broken", is_release=True)
        else:
            store(shared, "source", "input_ended", 1, is_release=mutant != "relaxed end")
        own.has_ended = True
        return DONE if mutant == "no notice of the end" else "set"

    def after_set(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return DONE if own.has_ended else "offer"

    steps = {"offer": offer, "write error": write_error, "end": end, **notice("source", mutant, "told")}
    return Actor("source", {**steps, "told": after_set}, {"offered": 0, "has_told": False, "has_ended": False})


def requester(name: str, requests: int, mutant: str) -> Actor:
    def add(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.left == 0:
            return DONE
        own.left -= 1
        shared.requested += 1
        shared.demand += 1
        return "set"

    return Actor(name, {"add": add, **notice(name, mutant, "add")}, {"left": requests})


def canceller(mutant: str) -> Actor:
    def cancel(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.word & TERMINAL:
            return DONE
        shared.is_cancelled = True
        seen, shared.word = shared.word, shared.word | CANCELLED | TOKEN | MISSED
        if seen & TOKEN and mutant != "tear down at once":
            return DONE
        shared.holders = (*shared.holders, "canceller")
        return "tear down"

    return Actor("canceller", {"cancel": cancel, **teardown("canceller", DONE)}, {})


def repeating_scheduler() -> Actor:
    """A scheduler that executes a task once more than it was asked to."""

    def repeat(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.tasks += 1
        return DONE

    return Actor("scheduler", {"repeat": repeat})


def worker(name: str, prefetch: int, mutant: str, emits: int = 0) -> Actor:
    """Executes the tasks: each is one turn of the drain.

    Args:
        name: Of the actor.
        prefetch: How much the input was asked for, and may wait.
        mutant: What is broken.
        emits: How many elements a hooked queue makes of one; 0: the queue is none.
    """
    replenish_at = prefetch - prefetch // 4

    def wait(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not shared.tasks:
            return BLOCKED
        shared.tasks -= 1
        return "claim"

    def claim(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        was_scheduled = shared.is_scheduled
        if mutant != "claim by look":
            shared.is_scheduled = 0
        if not was_scheduled:
            return "wait"
        shared.holders = (*shared.holders, name)
        return "clear"

    def clear(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        seen, shared.word = shared.word, shared.word & ~MISSED
        return "tear down" if seen & LEAVE else "read"

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.wanted, own.sent = shared.demand, 0
        return "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        """One round of send()."""
        if shared.word & LEAVE:
            return "count"
        if emits:
            return look_behind_hooks(shared, own)
        if own.sent == own.wanted:
            return "is it over"
        if shared.taken == shared.offered:
            return "is it over"
        if mutant == "ask before take" and shared.consumed + 1 == replenish_at:
            shared.asked += replenish_at
            return "take"
        return take(shared, own)

    def look_behind_hooks(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.waiting and own.sent != own.wanted:
            shared.waiting -= 1
            send(shared, own)
            return "count" if mutant == "leave held input" and not shared.waiting else "look"
        if shared.is_ending and (not shared.waiting or mutant == "finish over waiting"):
            return "finish"
        has_input = shared.taken != shared.offered
        breaks_rule = mutant == ("take in behind" if has_input else "end behind")
        if shared.is_ending or (shared.waiting and not breaks_rule):
            return "count"
        return take(shared, own) if has_input else "is it over"

    def emit(shared: SimpleNamespace, count: int) -> None:
        assert not shared.waiting, "a hook ran while what was emitted waited"
        shared.waiting += count

    def send(shared: SimpleNamespace, own: SimpleNamespace) -> None:
        own.sent += 1
        assert shared.teardowns == 0, "sent after the teardown"
        shared.sent += 1

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.taken += 1
        shared.consumed += 1
        if emits:
            emit(shared, emits)
        else:
            send(shared, own)
        if shared.consumed < replenish_at:
            return "look"
        shared.consumed = 0
        if mutant in {"ask before take", "never ask"}:
            return "look"
        return "ask"

    def ask(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.asked += prefetch if mutant == "ask for too much" else replenish_at
        if emits:
            return "look"
        return "count" if mutant == "leave without a note" else "mark missed"

    def mark_missed(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word |= MISSED
        return "count"

    def is_it_over(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "ring before end":
            own.is_over = shared.taken == shared.offered
            return "is it empty"
        own.is_over = bool(shared.input_ended)
        return "is it empty" if own.is_over else "count"

    def is_it_empty(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        second = bool(shared.input_ended) if mutant == "ring before end" else shared.taken == shared.offered
        if not own.is_over or not (second or mutant == "end with elements left"):
            return "count"
        if not emits:
            return "finish"
        shared.is_ending = True
        emit(shared, 1)
        return "look"

    def finish(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        assert shared.teardowns == 0, "ended after the teardown"
        shared.ends = (*shared.ends, (shared.sent, shared.input_error))
        return "tear down"

    def count(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.demand -= own.sent
        if own.sent < own.wanted or own.wanted == 0 or shared.demand == 0:
            return "go idle"
        return "clear" if shared.word & LEAVE else "schedule"

    def go_idle(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if shared.word != TOKEN and mutant != "idle without MISSED":
            return "clear" if shared.word & LEAVE else "schedule"
        shared.word &= ~(TOKEN | MISSED)
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return "wait"

    def schedule(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # A turn is one send(): this thread keeps the token for the next one.
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        shared.is_scheduled = 1
        shared.tasks += 1
        return "wait"

    steps = {
        "wait": wait,
        "claim": claim,
        "clear": clear,
        "read": read,
        "look": look,
        "take": take,
        "ask": ask,
        "mark missed": mark_missed,
        "is it over": is_it_over,
        "is it empty": is_it_empty,
        "finish": finish,
        "count": count,
        "go idle": go_idle,
        "schedule": schedule,
        **teardown(name, "wait"),
    }
    variables = {"wanted": 0, "sent": 0, "is_over": False}
    return Actor(name, steps, variables, is_daemon=True)


def teardown(name: str, following: str) -> dict[str, Step]:
    def tear_down(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word |= TERMINAL
        shared.teardowns += 1
        return "leave"

    def leave(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.word &= ~TOKEN
        shared.holders = tuple(holder for holder in shared.holders if holder != name)
        return following

    return {"tear down": tear_down, "leave": leave}


def explore_queue(elements: int, prefetch: int, actors: list[Actor]) -> int:
    """Explore a queue that sends so many elements before it ends."""

    def always(shared: SimpleNamespace) -> None:
        assert len(shared.holders) <= 1, f"two drainers: {shared.holders}"
        assert shared.sent <= shared.requested, "more was sent than requested"
        assert shared.teardowns <= 1, "torn down twice"
        assert shared.ends in ((), ((elements, "broken"),)), f"ended as {shared.ends}"

    def at_end(shared: SimpleNamespace) -> None:
        assert (shared.holders, shared.tasks, shared.word & TOKEN) == ((), 0, 0), "the token was kept"
        if shared.is_cancelled:
            assert shared.teardowns == 1, "never torn down"
        else:
            assert shared.sent == min(shared.requested, elements), f"stalled: {shared.sent} sent"
            if shared.sent == elements:
                assert shared.ends == ((elements, "broken"),), "never ended"

    names = [actor.name for actor in actors]
    places = ["offered", "input_error", "input_ended"]
    return explore(
        {**shared_variables(prefetch), **buffers(names)},
        [*actors, *writers("source", places)],
        always=always,
        at_end=at_end,
    )
