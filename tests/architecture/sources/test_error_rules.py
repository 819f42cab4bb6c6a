"""An error whose message cites a rule has that rule as its attribute `rule`, for code that looks at errors."""

import re

import pytest

from reactivestreams import errors
from tests.architecture.checkout import faults, files, text

CITING = re.compile(r'\b(?P<kind>\w+Error)\(\s*f?"§(?P<rule>\d+\.\d+):')
FILES = files("src", suffixes=(".py", ".pyx"))


def call_at(source: str, start: int) -> str:
    """Return the call whose name begins at a position, up to its closing parenthesis outside of strings."""
    depth, quoted = 0, ""
    for position in range(source.index("(", start), len(source)):
        character = source[position]
        if quoted:
            quoted = "" if character == quoted and source[position - 1] != "\\" else quoted
        elif character in "\"'":
            quoted = character
        elif character in "()":
            depth += 1 if character == "(" else -1
            if depth == 0:
                return source[start : position + 1]
    raise AssertionError(f"a call without an end: {source[start : start + 80]}")


def rule_faults(source: str) -> list[str]:
    """Return a message for each error whose attribute `rule` differs from the rule that its message cites."""
    faults = []
    for match in CITING.finditer(source):
        cited = match["rule"]
        given = re.search(r'\brule="([\d.]+)"', call_at(source, match.start()))
        actual = given[1] if given else getattr(errors, match["kind"]).rule
        if actual != cited:
            line = source.count("\n", 0, match.start()) + 1
            faults.append(f'line {line}: {match["kind"]} cites §{cited}, its rule is {actual}; pass rule="{cited}"')
    return faults


def test_errors_have_the_rule_that_their_message_cites() -> None:
    assert faults(FILES, lambda path: rule_faults(text(path))) == {}


def test_some_error_cites_a_rule() -> None:
    assert sum(len(CITING.findall(text(path))) for path in FILES) > 10


def test_other_rule_is_reported() -> None:
    source = 'x = 1\nraise NullElementError(\n    f"§1.9: subscribe(None) (of {x})"\n)\n'
    assert rule_faults(source) == ['line 2: NullElementError cites §1.9, its rule is 2.13; pass rule="1.9"']


@pytest.mark.parametrize(
    "source",
    [
        'raise NullElementError("§1.9: subscribe(None)", rule="1.9")',
        'raise NullElementError("§2.13: on_next(None) :)")',
        'raise StateError("the saved state")',
    ],
)
def test_same_rule_is_not_reported(source: str) -> None:
    assert rule_faults(source) == []
