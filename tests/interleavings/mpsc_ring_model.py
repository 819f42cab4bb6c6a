"""The ring of mpsc_ring.h as steps, on a memory that writes late. A mutant is the ring with one rule broken.

A compare-and-swap changes the memory at once; one that is a release waits until the actor's stores are visible. A step
that looks at nothing which others change is joined to the one before it. What this memory cannot show is the release of
`evict`'s claim (P4): it makes a difference only where two observers see the stores of two threads in different orders.
"""

from collections.abc import Hashable, Sequence
from types import SimpleNamespace

from tests.interleavings.explorer import BLOCKED, DONE, Actor, explore
from tests.interleavings.store_buffer import buffers, is_drained, load, store, writers

CLOSED = 1000  # the bit: no index of a model comes near

FULL, BUSY, WAS_CLOSED = "full", "busy", "closed"


def slots_of(capacity: int) -> int:
    return 2 if capacity <= 2 else 4


def producer(name: str, elements: Sequence[str], capacity: int, mutant: str) -> Actor:
    """Offers each element once and notes what became of it."""
    slots = slots_of(capacity)
    room = capacity + (mutant == "off by one")

    def has_room(shared: SimpleNamespace, own: SimpleNamespace) -> bool:
        return own.position - load(shared, name, "consumer_index") < room or mutant == "no capacity check"

    def answered(shared: SimpleNamespace, own: SimpleNamespace, answer: str) -> str:
        if answer == FULL:
            assert name in shared.saw_full, f"{name} was told that the ring is full, which it never was meanwhile"
        if answer == BUSY:
            assert name in shared.saw_eviction, f"{name} was told that the ring is busy, but nobody evicted"
        own.offered += 1
        shared.offering -= {name}
        return "start"

    def start(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.offered == len(elements):
            if not is_drained(shared, name):
                return BLOCKED
            shared.running -= {name}
            return DONE
        shared.offering |= {name}
        shared.saw_full -= {name}
        shared.saw_eviction -= {name}
        own.position = shared.producer_index  # relaxed
        return "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.position >= CLOSED:
            if mutant != "close not seen":
                return answered(shared, own, WAS_CLOSED)
            own.position -= CLOSED
        if mutant == "write before acquire":
            store(shared, name, f"slot_{own.position % slots}", elements[own.offered], is_release=False)
        ahead = load(shared, name, f"sequence_{own.position % slots}") - own.position  # acquire (P2)
        if mutant == "no sequence check":
            ahead = 0
        if ahead > 0:
            own.position = shared.producer_index
            return "look"
        return "measure" if ahead == 0 else "measure a taken slot"

    def measure(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        return "claim" if has_room(shared, own) else answered(shared, own, FULL)

    def measure_taken(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not has_room(shared, own):
            return answered(shared, own, FULL)
        return answered(shared, own, BUSY) if mutant == "no second look" else "look again"

    def look_again(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if load(shared, name, f"sequence_{own.position % slots}") < own.position:  # acquire (P2)
            return answered(shared, own, BUSY)
        return "look"

    def claim(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "claim without compare":
            shared.producer_index = own.position + 1
        elif shared.producer_index % CLOSED == own.position and mutant == "close not seen":
            shared.producer_index += 1
        elif shared.producer_index == own.position:
            shared.producer_index += 1  # relaxed: a compare-and-swap
        else:
            own.position = shared.producer_index
            return "look"
        shared.accepted = (*shared.accepted, elements[own.offered])
        return "publish" if mutant == "publish before write" else "write"

    def write(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, name, f"slot_{own.position % slots}", elements[own.offered], is_release=False)
        return answered(shared, own, "accepted") if mutant == "publish before write" else "publish"

    def publish(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        place, is_release = f"sequence_{own.position % slots}", mutant != "relaxed publish"
        store(shared, name, place, own.position + 1, is_release=is_release)  # release (P1)
        return "write" if mutant == "publish before write" else answered(shared, own, "accepted")

    steps = {
        "start": start,
        "look": look,
        "measure": measure,
        "measure a taken slot": measure_taken,
        "look again": look_again,
        "claim": claim,
        "write": write,
        "publish": publish,
    }
    return Actor(name, steps, {"offered": 0, "position": 0})


def consumer(capacity: int, mutant: str) -> Actor:
    """Polls until the producers are done and nothing is left."""
    slots = slots_of(capacity)

    def check(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant == "read before acquire":
            own.element = load(shared, "consumer", f"slot_{own.position % slots}")
        return "acquire"

    def acquire(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        published = load(shared, "consumer", f"sequence_{own.position % slots}")  # acquire (P1)
        if published != own.position + 1 and mutant != "poll without a look":
            is_over = not shared.running and shared.producer_index % CLOSED == own.position
            return DONE if is_over else BLOCKED if mutant != "read before acquire" else "check"
        if mutant == "read before acquire":
            return "free"
        return {"free before read": "free", "index before free": "read first"}.get(mutant, "read")

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.element = load(shared, "consumer", f"slot_{own.position % slots}")
        return take(shared, own) if mutant == "free before read" else "free"

    def read_first(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.element = load(shared, "consumer", f"slot_{own.position % slots}")
        return "move"

    def free(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "consumer", f"sequence_{own.position % slots}", own.position + slots, is_release=True)  # P2
        return take(shared, own) if mutant == "index before free" else "move"

    def move(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, "consumer", "consumer_index", own.position + 1, is_release=mutant != "relaxed index")  # P4
        if mutant == "free before read":
            return "read"
        return "free" if mutant == "index before free" else take(shared, own)

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.taken = (*shared.taken, (own.position, own.element))
        own.position += 1
        own.element = None
        return "check"

    steps = {"check": check, "acquire": acquire, "read": read, "read first": read_first, "free": free, "move": move}
    return Actor("consumer", steps, {"position": 0, "element": None})


def evictor(name: str, rounds: int, capacity: int, mutant: str) -> Actor:
    """Takes the oldest element out; with rounds below 0 until the producers are done and nothing is left."""
    slots = slots_of(capacity)

    def start(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.rounds == 0:
            return DONE
        own.position = shared.consumer_index  # relaxed
        return "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        ahead = load(shared, name, f"sequence_{own.position % slots}") - (own.position + 1)  # acquire (P1)
        if ahead > 0:
            own.position = shared.consumer_index
            return "look"
        if ahead < 0 and mutant != "evict without a look":
            return nothing(shared, own)
        return "free" if mutant == "evict frees before it claims" else "claim"

    def nothing(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if own.rounds > 0:
            own.rounds -= 1
            return "start"
        is_over = not shared.running and shared.producer_index % CLOSED == own.position
        return DONE if is_over else BLOCKED

    def claim(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not is_drained(shared, name):
            return BLOCKED  # release (P4)
        if shared.consumer_index != own.position and mutant != "evict without compare":
            own.position = shared.consumer_index
            return "look"
        shared.consumer_index = own.position + 1
        shared.evicting += 1
        return "free" if mutant == "evict frees before it reads" else "read"

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.element = load(shared, name, f"slot_{own.position % slots}")
        if mutant == "evict frees before it reads":
            return take(shared, own)
        return take(shared, own) if mutant == "evict frees before it claims" else "free"

    def free(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, name, f"sequence_{own.position % slots}", own.position + slots, is_release=True)  # P2
        return {"evict frees before it reads": "read", "evict frees before it claims": "claim"}.get(mutant, "note")

    def note(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        # The slot is seen free only when the memory has written it.
        return take(shared, own) if is_drained(shared, name) else BLOCKED

    def take(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.taken = tuple(sorted((*shared.taken, (own.position, own.element)), key=str))
        shared.evicting -= 1
        own.element = None
        own.rounds -= own.rounds > 0
        return "start"

    steps = {"start": start, "look": look, "claim": claim, "read": read, "free": free, "note": note}
    return Actor(name, steps, {"rounds": rounds, "position": 0, "element": None})


def closer(mutant: str) -> Actor:
    """Leaves word why, then closes."""

    def tell(shared: SimpleNamespace, _: SimpleNamespace) -> str:
        store(shared, "closer", "reason", "told", is_release=False)
        return "read" if mutant == "close without exchange" else "close"

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen = shared.producer_index
        return "close"

    def close(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if not is_drained(shared, "closer") and mutant != "relaxed close":
            return BLOCKED  # release (P3)
        shared.producer_index = CLOSED + (own.seen if mutant == "close without exchange" else shared.producer_index)
        shared.closed_at = shared.producer_index
        return DONE

    return Actor("closer", {"tell": tell, "read": read, "close": close}, {"seen": 0})


def reader() -> Actor:
    """Waits until the ring is closed, then asks why."""

    def wait(shared: SimpleNamespace, _: SimpleNamespace) -> str:
        return "ask" if shared.producer_index >= CLOSED else BLOCKED  # acquire (P3)

    def ask(shared: SimpleNamespace, _: SimpleNamespace) -> str:
        assert shared.reason == "told", "the ring was seen closed before what its closer had written"
        return DONE

    return Actor("reader", {"wait": wait, "ask": ask})


def explore_ring(capacity: int, actors: Sequence[Actor]) -> int:
    """Run the actors; producers are called p0 and p1, evictors e0 and e1."""

    def always(shared: SimpleNamespace) -> None:
        claimed = shared.producer_index % CLOSED
        assert claimed <= shared.consumer_index + capacity, "more elements than the capacity"  # I1
        assert shared.closed_at in (None, shared.producer_index), "an element was accepted after the close"
        positions = [position for position, _ in shared.taken]
        assert len(positions) == len(set(positions)), f"took {shared.taken}"
        for position, element in shared.taken:  # I2, I4: what was claimed first is first
            assert shared.accepted[position : position + 1] == (element,), f"took {shared.taken} of {shared.accepted}"
        if claimed - shared.consumer_index >= capacity:
            shared.saw_full |= shared.offering
        if shared.evicting:
            shared.saw_eviction |= shared.offering

    def complete(shared: SimpleNamespace) -> None:
        assert len(shared.taken) == len(shared.accepted), f"took {shared.taken} of {shared.accepted}"

    slots = slots_of(capacity)
    names = [actor.name for actor in actors]
    producers = [name for name in names if name.startswith("p")]
    shared: dict[str, Hashable] = {"producer_index": 0, "consumer_index": 0, "reason": None}
    for index in range(slots):
        shared |= {f"sequence_{index}": index, f"slot_{index}": None}
    ghosts: dict[str, Hashable] = {
        "accepted": (),
        "taken": (),
        "closed_at": None,
        "evicting": 0,
        "offering": frozenset(),
        "saw_full": frozenset(),
        "saw_eviction": frozenset(),
        "running": frozenset(producers),
    }
    cells = [f"{kind}_{index}" for index in range(slots) for kind in ("sequence", "slot")]
    sequences = [f"sequence_{index}" for index in range(slots)]
    memories = [memory for name in producers for memory in writers(name, cells)]
    for name in names:
        if name == "consumer":
            memories += writers(name, [*sequences, "consumer_index"])
        elif name.startswith("e"):
            memories += writers(name, sequences)
        elif name == "closer":
            memories += writers(name, ["reason"])
    return explore(
        {**shared, **ghosts, **buffers(names)},
        [*actors, *memories],
        always=always,
        at_end=complete,
    )
