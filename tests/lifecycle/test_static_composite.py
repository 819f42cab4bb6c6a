"""The composite whose members are fixed."""

from typing import Any

import pytest

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.lifecycle import LifecycleError, StaticCompositeSubscription
from tests.lifecycle.counted_subscription import CountedSubscription, visited


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_visitors_reach_all_members_also_after_dispose(count: int) -> None:
    members = [CountedSubscription() for _ in range(count)]
    composite = StaticCompositeSubscription(*members)
    assert (visited(composite), len(composite)) == (members, count)
    composite.dispose()
    assert (visited(composite), list(composite), len(composite)) == (members, members, count)


def test_members_are_disposed_once() -> None:
    members = [CountedSubscription() for _ in range(3)]
    composite = StaticCompositeSubscription(*members)
    for _ in range(2):
        composite.dispose()
    assert [member.disposals for member in members] == [1, 1, 1]


@pytest.mark.parametrize("call", ["add", "remove"])
def test_members_cannot_be_changed(call: str) -> None:
    composite = StaticCompositeSubscription(CountedSubscription())
    with pytest.raises(LifecycleError, match=rf"{call}\(<other>\): the 1 members .* are fixed; use a Stable"):
        getattr(composite, call)(CountedSubscription("other"))
    assert len(composite) == 1


@pytest.mark.parametrize("refused", [None, 7])
def test_what_is_no_subscription_is_refused(refused: Any) -> None:
    composite = StaticCompositeSubscription()
    for refusing in (composite.add, composite.remove, StaticCompositeSubscription):
        with pytest.raises(ArgumentTypeError, match="needs a subscription"):
            refusing(refused)
