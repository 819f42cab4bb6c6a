"""How an input ends and an operator closes it (authors/multi_input.pyx, I8), in every interleaving of the two."""

from types import SimpleNamespace

import pytest

from tests.interleavings.explorer import DONE, Actor, ViolationError, explore

OPEN, ENDED, CLOSED = range(3)

MUTANTS = {
    "end by a store": "reported 0 times|reported 2 times",
    "close by a load and a store": "reported 0 times|reported 2 times",
    "end before the error is noted": "reported an error that was not noted",
    "close forgets that the hook was told": "reported 2 times",
    "close does not look for an end": "reported 0 times",
    "a late end is not reported": "reported 0 times",
}


def ending(mutant: str) -> Actor:
    """The input, which ends with an error."""

    def look(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.ended != OPEN:
            return "report"
        return "end" if mutant == "end before the error is noted" else "note"

    def note(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.error = "noted"
        return DONE if mutant == "end before the error is noted" else "end"

    def end(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.ended != OPEN and mutant != "end by a store":
            return "report"
        state.ended = ENDED
        return "note" if mutant == "end before the error is noted" else DONE

    def report(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if mutant != "a late end is not reported":
            state.reports += 1
        return DONE

    return Actor("input", {"look": look, "note": note, "end": end, "report": report}, {})


def closing(mutant: str) -> Actor:
    """The holder of the token: may find the end first and tell a hook of it; then closes the input."""

    def serve(state: SimpleNamespace, own: SimpleNamespace) -> str:
        if state.ended == ENDED:
            own.is_over = True
            return "tell"
        return "load" if mutant == "close by a load and a store" else "close"

    def tell(state: SimpleNamespace, own: SimpleNamespace) -> str:
        assert state.error, "reported an error that was not noted"
        state.reports += 1
        return "load" if mutant == "close by a load and a store" else "close"

    def load(state: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen = state.ended
        return "store"

    def store(state: SimpleNamespace, own: SimpleNamespace) -> str:
        state.ended = CLOSED
        return "report"

    def close(state: SimpleNamespace, own: SimpleNamespace) -> str:
        own.seen, state.ended = state.ended, CLOSED
        return "report"

    def report(state: SimpleNamespace, own: SimpleNamespace) -> str:
        is_told = own.is_over and mutant != "close forgets that the hook was told"
        if own.seen == ENDED and not is_told and mutant != "close does not look for an end":
            assert state.error, "reported an error that was not noted"
            state.reports += 1
        return DONE

    steps = {"serve": serve, "tell": tell, "load": load, "store": store, "close": close, "report": report}
    return Actor("operator", steps, {"is_over": False, "seen": OPEN})


def run(mutant: str = "") -> int:
    def the_error_is_reported_once(state: SimpleNamespace) -> None:
        assert state.reports == 1, f"the error was reported {state.reports} times"

    shared = {"ended": OPEN, "error": "", "reports": 0}
    return explore(shared, [ending(mutant), closing(mutant)], at_end=the_error_is_reported_once)


def test_error_of_an_input_is_reported_once_in_any_interleaving() -> None:
    assert run() > 10


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_broken_end_is_found(mutant: str) -> None:
    with pytest.raises(ViolationError, match=MUTANTS[mutant]):
        run(mutant)
