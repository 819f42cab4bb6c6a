import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.stress.outcomes import (
    REPORTS,
    Action,
    Hesitate,
    Observed,
    Report,
    Verdict,
    forbidden,
    have_met,
    judge,
    observe,
)


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


@pytest.mark.parametrize(
    ("spans", "met"),
    [
        ([(0, 1), (2, 3)], False),
        ([(2, 3), (0, 1)], False),
        ([(0, 2), (1, 3)], True),
        ([(0, 5), (1, 2), (3, 4)], True),
        ([(0, 1), (2, 3), (4, 5)], False),
        ([(0, 1), (4, 5), (2, 6)], True),
    ],
)
def test_actions_have_met_if_one_set_out_before_another_was_done(spans: list[tuple[int, int]], met: bool) -> None:
    assert have_met(spans) == met


def test_rounds_in_which_actions_met_are_counted() -> None:
    assert observe(two_that_wait_for_each_other, rounds=20).contended_share == 1.0


def two_that_wait_for_each_other() -> list[Action]:
    meeting = threading.Barrier(2)
    return [lambda hesitate: meeting.wait() >= 0] * 2


def test_a_situation_is_judged_by_its_table_and_reported() -> None:
    table = {(True, True): (Verdict.ALLOWED, "both waited")}
    with reports_of_this_test() as reports:
        judge(two_that_wait_for_each_other, observe(two_that_wait_for_each_other, rounds=5), table, rounds=5)
    (report,) = reports
    assert list(report.lines(with_outcomes=True)) == [
        "two_that_wait_for_each_other: 5 rounds, actions met in 100% of them",
        "           5  allowed    (True, True): both waited",
    ]


@pytest.mark.parametrize(("contended", "said"), [(10, "not in the table"), (0, "met in only 0% of 10 rounds")])
def test_forbidden_outcomes_and_actions_that_hardly_met_fail_the_test(contended: int, said: str) -> None:
    observed = Observed({(1,): 10})
    observed.contended = contended
    table = {} if contended else {(1,): (Verdict.ALLOWED, "expected")}
    with reports_of_this_test(), pytest.raises(AssertionError, match=said):
        judge(two_that_wait_for_each_other, observed, table, rounds=10)


@contextmanager
def reports_of_this_test() -> Iterator[list[Report]]:
    """Keep what is judged here out of the summary of the run."""
    before, made = list(REPORTS), []
    REPORTS.clear()
    try:
        yield made
    finally:
        made += REPORTS
        REPORTS[:] = before
