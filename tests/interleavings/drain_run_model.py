"""What one thread drains: how runs are told apart, and whose list an owner joins (drain_run.h).

The actors are greenlets of one thread. Each runs an outer subscription, of whose queues some become ready while it
does; it may switch to another greenlet inside of any callback, so a step is what happens between two callbacks. Numbers
and addresses are small integers: an address is the lowest one that is free.
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings.explorer import BLOCKED, DONE, Actor

MUTANTS = {
    "identity by address": "two runs are of one subscription if its root lies at the same address",
    "end restores the older run": "a run that ends makes the one current that was so when it began",
    "list of any stack": "an owner joins the newest run of the thread, whichever greenlet it stands in",
    "chains nest without end": "a subscription is drained inside of another one, however many there are",
    "what is awaited joins": "what a blocking end waits for joins a list, too, where many runs are nested",
    "nested in every case": "an owner that becomes ready is drained at once, inside of the one that is drained",
}

DEEPEST = 2  # how many runs of a stack stand inside of each other; what is awaited is not counted in

# A run as the list of the thread holds it: its key, the subscription, the greenlet, and who waits in its list.
Run = tuple[int, int, str, tuple[str, ...]]


def shared_variables() -> dict[str, Hashable]:
    return {
        "runs": (),  # newest first
        "ended": (),  # keys of runs whose memory is gone
        "began": 0,
        "live": (),  # addresses of the roots that are alive
        "numbers": 0,
        "drained": (),  # owners that were drained
        "joined": (),  # owners that were left to a run
        "deepest": 0,
    }


def check_always(shared: SimpleNamespace) -> None:
    assert not {run[0] for run in shared.runs} & set(shared.ended), "a run that has ended is in the list"
    assert shared.deepest <= 1, "drained inside of the same subscription"


def check_at_end(shared: SimpleNamespace) -> None:
    assert shared.runs == (), "a run is left in the list"
    assert set(shared.joined) <= set(shared.drained), f"lost: {set(shared.joined) - set(shared.drained)}"


def subscribe(shared: SimpleNamespace, own: SimpleNamespace, mutant: str) -> int:
    """Make a root; return what tells its subscription from others."""
    own.address = next(place for place in range(1, 9) if place not in shared.live)
    shared.live = (*shared.live, own.address)
    shared.numbers += 1
    return own.address if mutant == "identity by address" else shared.numbers


def current_run(shared: SimpleNamespace, name: str, mutant: str) -> Run | None:
    for run in shared.runs:
        if run[2] == name or mutant in {"list of any stack", "end restores the older run"}:
            return run  # type: ignore[no-any-return]
    return None


def begin(shared: SimpleNamespace, name: str, tree: int) -> int:
    shared.began += 1
    shared.runs = ((shared.began, tree, name, ()), *shared.runs)
    shared.deepest = max(shared.deepest, sum(run[1:3] == (tree, name) for run in shared.runs))
    return int(shared.began)


def end(shared: SimpleNamespace, key: int, mutant: str) -> None:
    """Drain what waits in the list of a run, then take the run out."""
    place = next((place for place, run in enumerate(shared.runs) if run[0] == key), None)
    if place is not None:
        shared.drained = (*shared.drained, *shared.runs[place][3])
        keeps = () if mutant == "end restores the older run" else shared.runs[:place]
        shared.runs = (*keeps, *shared.runs[place + 1 :])
    shared.ended = (*shared.ended, key)


def come(shared: SimpleNamespace, name: str, owner: str, tree: int, mutant: str, *, is_awaited: bool = False) -> int:
    """An owner becomes ready in a greenlet: it joins a run, or begins one, whose key is returned."""
    run = current_run(shared, name, mutant)
    is_deep = sum(run[2] == name for run in shared.runs) >= DEEPEST and mutant != "chains nest without end"
    joins = is_deep and (not is_awaited or mutant == "what is awaited joins")
    if run is not None and (run[1] == tree or joins) and mutant != "nested in every case":
        place = shared.runs.index(run)
        joined = (*run[:3], (*run[3], owner))
        shared.runs = (*shared.runs[:place], joined, *shared.runs[place + 1 :])
        shared.joined = (*shared.joined, owner)
        return 0
    return begin(shared, name, tree)


def drops_and_nests(name: str, mutant: str) -> Actor:
    """Runs a subscription whose callback drops it, subscribes anew and waits for the end of that one."""

    def subscribes(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.tree = subscribe(shared, own, mutant)
        own.run = come(shared, name, f"{name} outer", own.tree, mutant)
        return "drops"

    def drops(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.live = tuple(address for address in shared.live if address != own.address)
        return "nests"

    def nests(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        tree = subscribe(shared, own, mutant)
        own.inner_run = come(shared, name, f"{name} inner", tree, mutant, is_awaited=True)
        return "drains"

    def drains(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.inner_run:
            shared.drained = (*shared.drained, f"{name} inner")
            end(shared, own.inner_run, mutant)
        return "waits"

    def waits(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if f"{name} inner" not in shared.drained:
            return BLOCKED
        shared.live = tuple(address for address in shared.live if address != own.address)
        return "ends"

    def ends(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        end(shared, own.run, mutant)
        return DONE

    steps = {"subscribes": subscribes, "drops": drops, "nests": nests, "drains": drains, "waits": waits, "ends": ends}
    return Actor(name, steps, {"address": 0, "tree": 0, "run": 0, "inner_run": 0})


def waits_in_callback(name: str, tree: int, mutant: str, *, awaited: str = "") -> Actor:
    """Drains an owner of a subscription; below its callback a queue becomes ready; then it may wait for another one."""

    def begins(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.run = come(shared, name, f"{name} source", tree, mutant)
        return "fills" if own.run else DONE

    def fills(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.inner_run = come(shared, name, f"{name} queue", tree, mutant)
        return "drains" if own.inner_run else "waits"

    def drains(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.drained = (*shared.drained, f"{name} queue")
        end(shared, own.inner_run, mutant)
        return "waits"

    def waits(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return BLOCKED if awaited and awaited not in shared.drained else "ends"

    def ends(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.drained = (*shared.drained, f"{name} source")
        end(shared, own.run, mutant)
        return DONE

    steps = {"begins": begins, "fills": fills, "drains": drains, "waits": waits, "ends": ends}
    return Actor(name, steps, {"run": 0, "inner_run": 0})


def sends_down_a_chain(name: str, links: int, mutant: str, *, awaits_last: bool) -> Actor:
    """Each of some subscriptions becomes ready inside of the one before; the last one may be awaited there."""

    def sends(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        link = f"{name} {len(own.keys)}"
        is_awaited = awaits_last and len(own.keys) == links - 1
        own.keys = (*own.keys, come(shared, name, link, 10 + len(own.keys), mutant, is_awaited=is_awaited))
        nested = sum(run[2] == name for run in shared.runs) - is_awaited
        assert nested <= DEEPEST, "nested deeper than the stack may be"
        if len(own.keys) < links:
            return "sends"
        return "drains" if is_awaited else "ends"

    def drains(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.keys[-1]:
            shared.drained = (*shared.drained, f"{name} {links - 1}")
            end(shared, own.keys[-1], mutant)
            own.keys = own.keys[:-1]
        return "waits"

    def waits(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "ends" if f"{name} {links - 1}" in shared.drained else BLOCKED

    def ends(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        key, own.keys = own.keys[-1] if own.keys else 0, own.keys[:-1]
        if key:
            end(shared, key, mutant)
        return "ends" if own.keys else DONE

    return Actor(name, {"sends": sends, "drains": drains, "waits": waits, "ends": ends}, {"keys": ()})
