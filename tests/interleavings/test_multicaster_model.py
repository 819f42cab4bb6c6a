"""A subject in every interleaving of producers, subscribers and an upstream; each broken one is found."""

from collections.abc import Callable, Hashable

import pytest

from tests.interleavings.explorer import Actor, ViolationError, explore
from tests.interleavings.multicaster_actors import (
    cancelling,
    draining,
    joining,
    offering,
    pushing,
    putting,
    requesting,
    sending_what_is_asked,
)
from tests.interleavings.multicaster_model import (
    MUTANTS,
    UNLIMITED,
    Source,
    check_always,
    check_at_end,
    delivering,
    shared_variables,
)

Situation = tuple[dict[str, Hashable], list[Actor]]
END = (("end", ""),)
SEAL = (("seal", ""),)


def there(name: str, requested: int = UNLIMITED, **fields: int) -> Source:
    return Source(name, requested, since=0, **fields)


def coming(name: str, requested: int = UNLIMITED) -> Source:
    return Source(name, requested)


def two_producers(mutant: str) -> Situation:
    steps = delivering(mutant)
    return shared_variables(there("s"), there("t")), [pushing("a", 2, steps), pushing("b", 2, steps)]


def element_in_an_element(mutant: str) -> Situation:
    steps = delivering(mutant, nested="n")
    return shared_variables(there("s"), there("t")), [pushing("a", 2, steps), pushing("b", 1, steps)]


def join(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s"), coming("t"), kept=1)
    return shared, [pushing("a", 2, steps), joining("t", mutant, steps)]


def join_and_cancel(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s"), coming("t"), kept=1)
    return shared, [pushing("a", 1, steps), joining("t", mutant, steps), cancelling("t", mutant, steps)]


def offers(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s", 2), there("t", 1))
    return shared, [offering("a", 2, mutant, steps), offering("b", 1, mutant, steps), requesting("t", 1, steps)]


def offers_and_a_join(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s", 2), coming("t", 0))
    return shared, [offering("a", 2, mutant, steps), joining("t", mutant, steps), requesting("s", 1, steps)]


def end(mutant: str) -> Situation:
    steps = delivering(mutant, raises="s")
    shared = shared_variables(there("s"), there("t"))
    return shared, [pushing("a", 2, steps), putting("ender", END, steps), putting("second ender", END, steps)]


def end_and_join(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s"), coming("t"), kept=1)
    return shared, [pushing("a", 1, steps), putting("ender", END, steps), joining("t", mutant, steps)]


def seal(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s"), coming("t"))
    return shared, [putting("sealer", SEAL, steps), cancelling("s", mutant, steps), joining("t", mutant, steps)]


def upstream(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s", 1), there("t", 1), has_upstream=True)
    return shared, [requesting("s", 1, steps), requesting("t", 1, steps), sending_what_is_asked(1, steps)]


def upstream_that_sends_inside(mutant: str) -> Situation:
    steps = delivering(mutant, sends_inside=True)
    shared = shared_variables(there("s", 1), there("t", 0), has_upstream=True)
    return shared, [requesting("s", 1, steps), requesting("t", 2, steps), sending_what_is_asked(1, steps)]


def source_that_another_thread_drains(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s", 0, is_lagging=True), has_upstream=True)
    return shared, [requesting("s", 2, steps), draining("s", 2, steps), sending_what_is_asked(3, steps)]


def upstream_of_one_at_a_time(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s", 1), capacity=1, has_upstream=True)
    return shared, [requesting("s", 1, steps), sending_what_is_asked(2, steps)]


def slowest_leaves(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(there("s", 1), there("t", 0), has_upstream=True)
    return shared, [cancelling("t", mutant, steps), requesting("s", 1, steps), sending_what_is_asked(2, steps)]


def the_only_subscriber_and_too_much(mutant: str) -> Situation:
    steps = delivering(mutant)
    shared = shared_variables(coming("s"), kept=1, is_shared=False)
    return shared, [pushing("a", 2, steps), pushing("b", 1, steps), joining("s", mutant, steps)]


SITUATIONS: dict[str, Callable[[str], Situation]] = {
    situation.__name__: situation
    for situation in (
        two_producers,
        element_in_an_element,
        join,
        join_and_cancel,
        offers,
        offers_and_a_join,
        end,
        end_and_join,
        seal,
        upstream,
        upstream_that_sends_inside,
        source_that_another_thread_drains,
        upstream_of_one_at_a_time,
        slowest_leaves,
        the_only_subscriber_and_too_much,
    )
}

# Where each mutant shows, and as what.
FOUND_BY = {
    "idle by store": ("two_producers", "left in the queue"),
    "MISSED not set": ("two_producers", "left in the queue"),
    "caller does not look again": ("upstream", "wanted and not asked for"),
    "kept and listed in two steps": ("join", "missed something"),
    "kept and read in two steps": ("join", "missed something"),
    "entered though closed": ("join_and_cancel", "is closed and listed"),
    "told before it is closed": ("join_and_cancel", "is closed and listed"),
    "offered without room": ("offers", "has not requested what was accepted"),
    "room of others": ("offers_and_a_join", "has not requested what was accepted"),
    "room kept by who enters": ("offers_and_a_join", "has not requested what was accepted"),
    "first that raises stops the end": ("end", "was not told the end"),
    "nested element given at once": ("element_in_an_element", "missed something"),
    "demand counted by who drains": ("source_that_another_thread_drains", "got what it has not requested"),
    "asked without CALLING": ("upstream", "two calls of the upstream"),
    "who closes asks for nobody": ("slowest_leaves", "wanted and not asked for"),
    "taken note of beside a caller": ("upstream", "wanted and not asked for"),
    "full and ended in two steps": ("the_only_subscriber_and_too_much", "was not told the end|missed something"),
    "full and dropped": ("the_only_subscriber_and_too_much", "lost"),
    "past the registry, idle by store": ("two_producers", "left in the queue"),
    "past the registry though retained": ("join", "late subscribers would get"),
    "past the registry, nothing asked": ("upstream_of_one_at_a_time", "wanted and not asked for"),
}


def explore_subject(situation: str, mutant: str = "") -> int:
    shared, actors = SITUATIONS[situation](mutant)
    return explore(shared, actors, always=check_always, at_end=check_at_end)


@pytest.mark.slow
@pytest.mark.parametrize("situation", SITUATIONS)
def test_nothing_is_lost_overlaps_or_changes_places_in_any_interleaving(situation: str) -> None:
    assert explore_subject(situation) > 50  # interleavings were explored indeed


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_subject_is_found(mutant: str) -> None:
    situation, complaint = FOUND_BY[mutant]
    with pytest.raises(ViolationError, match=complaint):
        explore_subject(situation, mutant)
