"""How a source binds its branch beside a cancellation, step by atomic step: sources/publisher.pyx, Ordering.

A critical section is one step. What the model leaves to drain_model.py is why a source is released once at most.
`disposals` is no variable of the algorithm: it says what the branch sees.
"""

from collections.abc import Hashable
from types import SimpleNamespace

from tests.interleavings.explorer import DONE, Actor

MUTANTS = {
    "no look": "who attaches binds whatever is there, also when the publisher was released",
    "no second look": "who attaches does not look again when it has the branch",
    "look, then keep": "who attaches looks again, then keeps the branch",
    "keep, then look": "who attaches keeps the branch, then looks again",
    "branch, then publisher": "who releases takes the branch, then the publisher",
    "publisher, then branch": "who releases takes the publisher, then the branch",
}


def shared_variables() -> dict[str, Hashable]:
    return {"has_publisher": True, "has_branch": False, "was_bound": False, "disposals": 0}


def check_always(shared: SimpleNamespace) -> None:
    assert shared.disposals <= 1, "disposed twice"


def check_at_end(shared: SimpleNamespace) -> None:
    assert shared.has_branch == shared.was_bound, "a branch that nobody can visit"
    expected = int(shared.was_bound and not shared.has_publisher)
    assert shared.disposals == expected, "never disposed" if expected else "disposed while the stream runs"


def dispose(shared: SimpleNamespace, own: SimpleNamespace) -> str:
    shared.disposals += 1
    return DONE


def attacher(mutant: str = "") -> Actor:
    """The life cycle: binds the publisher and keeps what it returned."""

    def look(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.has_publisher = shared.has_publisher
        return "bind" if own.has_publisher or mutant == "no look" else DONE

    def bind(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        assert own.has_publisher, "None was bound"
        shared.was_bound = True
        return "look again" if mutant == "look, then keep" else "keep"

    def keep(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.has_branch = True
        if mutant == "look, then keep":
            return "dispose" if own.is_late else DONE
        if mutant == "no second look":
            return DONE
        return "look again" if mutant == "keep, then look" else look_again(shared, own)

    def look_again(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.is_late = not shared.has_publisher
        if mutant == "look, then keep":
            return "keep"
        return "dispose" if own.is_late else DONE

    steps = {"look": look, "bind": bind, "keep": keep, "look again": look_again, "dispose": dispose}
    return Actor("attacher", steps, {"has_publisher": False, "is_late": False})


def releaser(mutant: str = "") -> Actor:
    """Who cancels, and got the token: lets everything go."""

    def take_publisher(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        shared.has_publisher = False
        if mutant == "publisher, then branch":
            return "take the branch"
        if mutant != "branch, then publisher":
            own.has_branch = shared.has_branch
        return "dispose" if own.has_branch else DONE

    def take_branch(shared: SimpleNamespace, own: SimpleNamespace) -> str:
        own.has_branch = shared.has_branch
        if mutant == "branch, then publisher":
            return "take the publisher"
        return "dispose" if own.has_branch else DONE

    steps = {"take the publisher": take_publisher, "take the branch": take_branch, "dispose": dispose}
    if mutant == "branch, then publisher":
        steps = {"take the branch": take_branch, "take the publisher": take_publisher, "dispose": dispose}
    return Actor("releaser", steps, {"has_branch": False})
