import threading
from collections import Counter

from tests.stress.outcomes import Action, Hesitate, Verdict, forbidden, observe


def test_every_round_yields_an_outcome() -> None:
    observed = observe(lambda: [lambda hesitate: "a", lambda hesitate: "b"], rounds=5)
    assert observed == {("a", "b"): 5}


def test_the_actions_of_a_round_run_at_the_same_time() -> None:
    def two_that_meet() -> list[Action]:
        meeting = threading.Barrier(2)

        def meet(hesitate: Hesitate) -> bool:
            hesitate()
            return meeting.wait() in {0, 1}

        return [meet, meet]

    assert observe(two_that_meet, rounds=20) == {(True, True): 20}


def test_an_action_that_raises_yields_its_error() -> None:
    def fail(hesitate: Hesitate) -> int:
        raise LookupError("lost")

    assert observe(lambda: [fail, lambda hesitate: "b"], rounds=2) == {("LookupError('lost')", "b"): 2}


def test_outcomes_that_are_forbidden_or_unlisted_are_reported() -> None:
    table = {(1,): (Verdict.ALLOWED, "expected"), (2,): (Verdict.FORBIDDEN, "lost")}
    assert forbidden(Counter([(1,), (2,), (3,)]), table) == {(2,): "lost", (3,): "not in the table"}
