"""Every rule that is cited exists."""

import re
from collections.abc import Collection
from pathlib import Path

import pytest

from reactivestreams.spec.rules import RULES
from tests.architecture.checkout import ROOT, faults, files, text

# `§3.9`, `§3.5-3.7`, `§1.3, 1.4`: a sign may stand for several.
_CITATION = re.compile(r"§\s?(\d+\.\d+(?:(?:-|, )\d+\.\d+)*)")

CITING = [
    *files(
        "src",
        "tests",
        "bench",
        "docs",
        "examples",
        "changelog.d",
        suffixes=(".py", ".pyi", ".pyx", ".pxd", ".h", ".md"),
    ),
    *ROOT.glob("*.md"),
]


def unknown_citations(source: str, known: Collection[str]) -> list[str]:
    """Return a message for each cited rule that does not exist."""
    return [
        f"line {number}: §{rule} is no rule; there are chapters 1 to 4, see reactivestreams.spec.rules"
        for number, line in enumerate(source.splitlines(), start=1)
        for cited in _CITATION.findall(line)
        for rule in re.findall(r"\d+\.\d+", cited)
        if rule not in known
    ]


def test_every_cited_rule_exists() -> None:
    judged = [path for path in CITING if path != Path(__file__)]  # whose examples cite rules that do not exist
    assert faults(judged, lambda path: unknown_citations(text(path), RULES)) == {}


@pytest.mark.parametrize(
    ("source", "unknown"),
    [
        ("# §3.9: n > 0", []),
        ("Rules: §1.3, §2.7 and §3.5-3.7", []),
        ("see 9.9 and section 5.1", []),
        ("# §3.18", ["3.18"]),
        ("first\n§1.1-1.12", ["1.12"]),
        ("§2.14, 3.0 and §5.1", ["2.14", "3.0", "5.1"]),
    ],
)
def test_rule_that_does_not_exist_is_reported(source: str, unknown: list[str]) -> None:
    assert [message.split("§")[1].split(" ")[0] for message in unknown_citations(source, RULES)] == unknown
