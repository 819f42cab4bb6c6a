"""The explorer finds what it is for: races, deadlocks, late stores; and it says how to get there."""

from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import BLOCKED, DONE, Actor, ViolationError, explore
from tests.interleavings.store_buffer import buffers, is_drained, load, store, writers


def counting(name: str) -> Actor:
    """Adds 1 to `total` without an atomic instruction."""

    def read(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen = shared.total
        return "write"

    def write(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.total = own.seen + 1
        return DONE

    return Actor(name, {"read": read, "write": write}, {"seen": 0})


def test_every_interleaving_is_visited() -> None:
    totals = set()
    explore({"total": 0}, [counting("a"), counting("b")], at_end=lambda shared: totals.add(shared.total))
    assert totals == {1, 2}


def test_a_violation_names_the_steps_that_lead_to_it() -> None:
    def both_counted(shared: SimpleNamespace) -> None:
        assert shared.total == 2, "an increment was lost"

    with pytest.raises(ViolationError) as violation:
        explore({"total": 0}, [counting("a"), counting("b")], at_end=both_counted)
    message, *steps = str(violation.value).splitlines()
    assert message.startswith("an increment was lost")
    assert [steps.index(f"{name}: read") < steps.index(f"{name}: write") for name in "ab"] == [True, True]


def test_an_assertion_inside_a_step_is_a_violation() -> None:
    def fail(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        raise AssertionError("this must not be reached")

    with pytest.raises(ViolationError, match=r"(?s)this must not be reached.*a: fail  <- here"):
        explore({}, [Actor("a", {"fail": fail})])


def test_an_invariant_is_checked_after_every_step() -> None:
    def below_two(shared: SimpleNamespace) -> None:
        assert shared.total < 2, "too many"

    with pytest.raises(ViolationError, match="too many"):
        explore({"total": 0}, [counting("a"), counting("b")], always=below_two)


def acquiring(name: str, first: str, second: str) -> Actor:
    def acquire(lock: str, following: str) -> object:
        def step(shared: SimpleNamespace, own: SimpleNamespace) -> str:
            if getattr(shared, lock):
                return BLOCKED
            setattr(shared, lock, True)
            return following

        return step

    def release(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        setattr(shared, first, False)
        setattr(shared, second, False)
        return DONE

    return Actor(name, {"first": acquire(first, "second"), "second": acquire(second, "release"), "release": release})


def test_two_locks_taken_in_the_same_order_do_not_deadlock() -> None:
    assert explore({"m": False, "n": False}, [acquiring("a", "m", "n"), acquiring("b", "m", "n")]) > 0


def test_two_locks_taken_in_opposite_order_deadlock() -> None:
    with pytest.raises(ViolationError, match="deadlock: a at second, b at second"):
        explore({"m": False, "n": False}, [acquiring("a", "m", "n"), acquiring("b", "n", "m")])


def looking(name: str, own_place: str, other_place: str, *, is_fenced: bool) -> Actor:
    """One half of Dekker's pair: writes its own flag, then looks at the other's."""

    def write(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        store(shared, name, own_place, 1, is_release=True)
        return "look"

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        if is_fenced and not is_drained(shared, name):
            return BLOCKED
        shared.seen = (*shared.seen, load(shared, name, other_place))
        return DONE

    return Actor(name, {"write": write, "look": look})


@pytest.mark.parametrize(("is_fenced", "outcomes"), [(True, {1, 2}), (False, {0, 1, 2})])
def test_without_a_fence_both_actors_may_miss_each_others_store(is_fenced: bool, outcomes: set[int]) -> None:
    sums: set[int] = set()
    explore(
        {"x": 0, "y": 0, "seen": (), **buffers("ab")},
        [
            looking("a", "x", "y", is_fenced=is_fenced),
            looking("b", "y", "x", is_fenced=is_fenced),
            *writers("a", ["x"]),
            *writers("b", ["y"]),
        ],
        at_end=lambda shared: sums.add(sum(shared.seen)),
    )
    assert sums == outcomes
