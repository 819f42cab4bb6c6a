from collections import Counter

from tests.stress.outcomes import Action, Hesitate, Verdict, forbidden, observe


def test_every_round_yields_an_outcome() -> None:
    observed = observe(lambda: [lambda hesitate: "a", lambda hesitate: "b"], rounds=5)
    assert observed == {("a", "b"): 5}


def test_a_race_that_is_there_is_seen() -> None:
    def two_increments() -> list[Action]:
        total = [0]

        def increment(hesitate: Hesitate) -> int:
            before = total[0]
            hesitate()
            total[0] = before + 1
            return total[0]

        return [increment, increment]

    assert {(1, 1), (1, 2), (2, 1)} == set(observe(two_increments, rounds=300))


def test_outcomes_that_are_forbidden_or_unlisted_are_reported() -> None:
    table = {(1,): (Verdict.ALLOWED, "expected"), (2,): (Verdict.FORBIDDEN, "lost")}
    assert forbidden(Counter([(1,), (2,), (3,)]), table) == {(2,): "lost", (3,): "not in the table"}
