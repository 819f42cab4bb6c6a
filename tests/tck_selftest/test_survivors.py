"""What is listed as a survivor is one: the whole kit lets it through."""

import pytest

from reactivestreams.spec.rules import RULES
from reactivestreams.tck import run
from tests.tck_selftest.judging import trial_environment
from tests.tck_selftest.survivors import SURVIVORS, Survivor


@pytest.mark.slow
@pytest.mark.parametrize("survivor", SURVIVORS, ids=lambda survivor: survivor.defect)
def test_survivor_is_seen_by_no_check(survivor: Survivor) -> None:
    report = run(survivor.subject(), trial_environment())
    seen_by = {verdict.check: verdict.message for verdict in report.failed}
    assert seen_by == {}, "it is seen now: make a mutant of it, with that check"


def test_every_survivor_breaks_a_rule_and_has_a_reason() -> None:
    assert [survivor.defect for survivor in SURVIVORS if survivor.rule not in RULES or not survivor.reason] == []
