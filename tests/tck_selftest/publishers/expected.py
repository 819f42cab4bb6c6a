"""Short forms of what is expected of a wrong publisher."""

from collections.abc import Callable
from typing import Any

from reactivestreams.tck import Outcome
from tests.tck_selftest.mutant import Mutant
from tests.tck_selftest.publishers.numbers import Link, NumbersPublisher
from tests.tck_selftest.publishers.publisher_case import PublisherCase, numbers_case

__all__ = ["SURVIVED", "killed", "passed", "skipped", "survived"]

Wrong = type[Link] | type[NumbersPublisher] | Callable[[], PublisherCase]
"""A kind of link, a kind of publisher of numbers, or what makes the verification itself."""

SURVIVED = "the standard's kit lets it through"


def killed(source: str, defect: str, wrong: Wrong, check: str, words: str, rule: str = "", **data: Any) -> Mutant:
    return Mutant(defect, source, check, _subject(wrong), words=words, rule=rule, **data)


def survived(source: str, defect: str, wrong: Wrong, check: str, words: str, rule: str = "") -> Mutant:
    """Return a mutant that the standard's kit lets through, and ours does not."""
    return killed(source, defect, wrong, check, words, rule, reference_outcome=Outcome.PASS, reason=SURVIVED)


def skipped(source: str, defect: str, wrong: Wrong, check: str, words: str, **data: Any) -> Mutant:
    return Mutant(defect, source, check, _subject(wrong), Outcome.SKIP, words, **data)


def passed(source: str, defect: str, wrong: Wrong, check: str) -> Mutant:
    return Mutant(defect, source, check, _subject(wrong), Outcome.PASS)


def _subject(wrong: Wrong) -> Callable[[], PublisherCase]:
    if not isinstance(wrong, type):
        return wrong
    if issubclass(wrong, NumbersPublisher):
        return numbers_case(publisher=wrong)
    assert issubclass(wrong, Link)
    return numbers_case(wrong)
