"""What holds for the composites whose members come and go, whichever of them is used."""

import gc
import random
from collections.abc import Callable
from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import (
    CompositeSubscription,
    DynamicCompositeSubscription,
    OperatorSubscription,
    StableCompositeSubscription,
)
from tests.contracts.dropped_signals import recorded_drops
from tests.lifecycle.counted_subscription import CountedSubscription, visited
from tests.together import many_switches, run_together

Composites = Callable[..., CompositeSubscription]


@pytest.fixture(params=[DynamicCompositeSubscription, StableCompositeSubscription])
def composites(request: pytest.FixtureRequest) -> Composites:
    return request.param


def counted(count: int) -> list[CountedSubscription]:
    return [CountedSubscription(f"member {number}") for number in range(count)]


@pytest.mark.parametrize("refused", [None, 7, "subscription", object()])
def test_what_is_no_subscription_is_refused(composites: Composites, refused: Any) -> None:
    composite = composites()
    for refusing in (composite.add, composite.remove, composites):
        with pytest.raises(ArgumentTypeError, match=r"needs a subscription, got .*; pass what bind"):
            refusing(refused)
    assert len(composite) == 0


def test_visitors_reach_the_members_in_the_order_in_which_they_were_added(composites: Composites) -> None:
    members = counted(3)
    composite = composites(*members[:2])
    composite.add(members[2])
    assert (visited(composite), list(composite), len(composite)) == (members, members, 3)
    composite.remove(members[1])
    assert (visited(composite), list(composite), len(composite)) == ([members[0], members[2]], [*members[::2]], 2)
    assert [member.visits for member in members] == [2, 1, 2]


def test_composite_is_a_subscription_by_itself(composites: Composites) -> None:
    inner = composites(*counted(2))
    outer = composites(inner, *counted(1))
    assert isinstance(inner, OperatorSubscription)
    assert [node.name for node in visited(outer)] == ["member 0", "member 1", "member 0"]
    assert repr(outer) == f"<{composites.__name__} of 2>"


@pytest.mark.parametrize("position", [0, 1, 2])
def test_removed_member_is_disposed_once(composites: Composites, position: int) -> None:
    members = counted(3)
    composite = composites(*members)
    for _ in range(2):
        composite.remove(members[position])
    composite.dispose()
    assert [member.disposals for member in members] == [1, 1, 1]


def test_only_member_can_be_removed(composites: Composites) -> None:
    (only,) = members = counted(1)
    composite = composites(*members)
    composite.remove(only)
    assert (len(composite), only.disposals) == (0, 1)


def test_what_is_no_member_is_left_alone_by_remove(composites: Composites) -> None:
    member, stranger = counted(2)
    composites(member).remove(stranger)
    assert (member.disposals, stranger.disposals) == (0, 0)


def test_member_is_found_by_identity_and_not_by_equality(composites: Composites) -> None:
    class Equal(CountedSubscription):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    first, second = Equal(), Equal()
    composite = composites(first, second)
    composite.remove(second)
    assert [first.disposals, second.disposals] == [0, 1]
    assert [each is first for each in composite] == [True]


def test_member_that_was_added_twice_is_removed_one_by_one_from_the_front(composites: Composites) -> None:
    twice, other = counted(2)
    composite = composites(twice, other, twice)
    composite.remove(twice)
    assert (list(composite), twice.disposals) == ([other, twice], 1)
    composite.remove(twice)
    assert (list(composite), twice.disposals) == ([other], 2)


def test_dispose_disposes_all_members_once_in_their_order(composites: Composites) -> None:
    order: list[str] = []
    members = counted(3)
    for member in members:
        member.on_dispose = lambda name=member.name: order.append(name)  # type: ignore[misc]
    composite = composites(*members)
    for _ in range(2):
        composite.dispose()
    assert order == ["member 0", "member 1", "member 2"]
    assert (len(composite), list(composite), visited(composite)) == (0, [], [])


def test_what_is_added_after_dispose_is_disposed_at_once(composites: Composites) -> None:
    late = CountedSubscription()
    composite = composites()
    composite.dispose()
    composite.add(late)
    composite.remove(late)
    assert (late.disposals, len(composite)) == (1, 0)


def test_end_of_a_with_block_disposes(composites: Composites) -> None:
    member = CountedSubscription()
    with composites(member):
        assert member.disposals == 0
    assert member.disposals == 1


def test_iteration_goes_on_over_the_members_that_there_were(composites: Composites) -> None:
    members = counted(3)
    composite = composites(*members)
    seen = []
    for member in composite:
        seen.append(member)
        composite.remove(member)  # type: ignore[arg-type]
        composite.add(CountedSubscription("newcomer"))
    assert (seen, len(composite)) == (members, 3)


def test_dispose_inside_a_visit_does_not_disturb_the_visit(composites: Composites) -> None:
    members = counted(3)
    composite = composites(*members)

    class Disposing:
        def __init__(self) -> None:
            self.visited: list[Any] = []

        def visit(self, node: Any, /) -> None:
            composite.dispose()
            self.visited.append(node)

    disposing = Disposing()
    composite.accept(disposing)
    assert (disposing.visited, [member.disposals for member in members]) == (members, [1, 1, 1])


@pytest.mark.parametrize("act", ["dispose", "remove", "add"])
def test_member_may_use_the_composite_while_it_is_disposed(composites: Composites, act: str) -> None:
    member, other = counted(2)
    composite = composites(member, other)
    member.on_dispose = {
        "dispose": composite.dispose,
        "remove": lambda: composite.remove(other),
        "add": lambda: composite.add(CountedSubscription()),
    }[act]
    composite.dispose()
    assert [member.disposals, other.disposals, len(composite)] == [1, 1, 0]


def test_member_that_raises_while_it_is_disposed_keeps_no_other_from_it(composites: Composites) -> None:
    def fail(number: int) -> Callable[[], object]:
        def raise_it() -> None:
            raise OSError(number)

        return raise_it

    members = counted(3)
    members[0].on_dispose, members[1].on_dispose = fail(0), fail(1)
    composite = composites(*members)
    with recorded_drops() as drops, pytest.raises(OSError, match="0"):
        composite.dispose()
    assert [member.disposals for member in members] == [1, 1, 1]
    assert [(signal, repr(error), origin) for signal, error, origin in drops] == [
        ("dispose", "OSError(1)", composites.__name__)
    ]


def test_composite_forgets_what_was_removed(composites: Composites) -> None:
    import weakref

    member = CountedSubscription()
    composite = composites(member)
    remembered = weakref.ref(member)
    composite.remove(member)
    del member
    gc.collect()
    assert remembered() is None


def test_counts_and_visits_stay_right_while_hundreds_come_and_go(composites: Composites) -> None:
    chance = random.Random(20130101)
    composite = composites()
    present: list[CountedSubscription] = []
    gone: list[CountedSubscription] = []

    def add(count: int) -> None:
        for member in counted(count):
            composite.add(member)
            present.append(member)

    def remove(count: int) -> None:
        for member in chance.sample(present, count):
            composite.remove(member)
            present.remove(member)
            gone.append(member)

    for step, count in ((add, 100), (remove, 66), (add, 100), (remove, 120), (add, 5)):
        step(count)
        assert (list(composite), visited(composite), len(composite)) == (present, present, len(present))
    assert {member.disposals for member in gone} == {1}
    assert {member.disposals for member in present} == {0}


@pytest.mark.slow
def test_threads_that_add_remove_and_dispose_leave_nothing_undisposed_or_disposed_twice(
    composites: Composites,
) -> None:
    with many_switches():
        for _ in range(50):
            members = counted(12)
            composite = composites(*members[:6])
            run_together(
                lambda: [composite.add(member) for member in members[6:]],  # noqa: B023
                lambda: [composite.remove(member) for member in members[:6]],  # noqa: B023
                composite.dispose,
                lambda: [len(composite), list(composite), visited(composite)],  # noqa: B023
            )
            assert [member.disposals for member in members] == [1] * 12
            assert len(composite) == 0


def test_range_of_members_is_added_at_once() -> None:
    composite = StableCompositeSubscription()
    members = counted(4)
    composite.add_range(members[:1])
    composite.add_range([])
    composite.add_range(iter(members[1:]))
    assert list(composite) == members


def test_range_with_something_that_is_no_subscription_adds_nothing() -> None:
    composite = StableCompositeSubscription()
    with pytest.raises(ArgumentTypeError, match=r"add_range\(subscriptions\) needs a subscription, got None"):
        composite.add_range([CountedSubscription(), None])  # type: ignore[list-item]
    assert len(composite) == 0


def test_range_that_is_added_after_dispose_is_disposed() -> None:
    composite = StableCompositeSubscription()
    composite.dispose()
    members = counted(3)
    composite.add_range(members)
    assert ([member.disposals for member in members], len(composite)) == ([1, 1, 1], 0)
