"""The branch of a source, bound beside a cancellation, in every interleaving; each mutant is found."""

import pytest

from tests.interleavings.branch_model import (
    MUTANTS,
    attacher,
    check_always,
    check_at_end,
    releaser,
    shared_variables,
)
from tests.interleavings.explorer import ViolationError, explore

# As what each mutant shows.
COMPLAINTS = {
    "no look": "None was bound",
    "no second look": "never disposed",
    "look, then keep": "never disposed",
    "keep, then look": "disposed twice",
    "branch, then publisher": "never disposed",
    "publisher, then branch": "disposed twice",
}


def explore_branch(mutant: str = "") -> int:
    actors = [attacher(mutant), releaser(mutant)]
    return explore(shared_variables(), actors, always=check_always, at_end=check_at_end)


def test_branch_is_disposed_once_in_any_interleaving_with_a_cancellation() -> None:
    assert explore_branch() > 5  # interleavings were explored indeed


def test_branch_of_a_stream_that_nobody_cancels_is_kept() -> None:
    assert explore(shared_variables(), [attacher()], always=check_always, at_end=check_at_end) > 2


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_step_is_found(mutant: str) -> None:
    with pytest.raises(ViolationError, match=COMPLAINTS[mutant]):
        explore_branch(mutant)
