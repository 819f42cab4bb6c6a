"""The one line that an exception gives to a message."""

import pytest

from reactivestreams.spark.error_line import LONGEST_CAUSE_CHARACTERS, LONGEST_LINE_CHARACTERS, first_line, one_line

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("text", "line"),
    [("one", "one"), ("\n  \n  one \ntwo", "one"), ("x" * 1_000, "x" * LONGEST_LINE_CHARACTERS), ("", "ValueError")],
)
def test_line_is_the_first_that_says_something(text: str, line: str) -> None:
    assert first_line(ValueError(text)) == line


def test_exception_without_text_is_told_otherwise() -> None:
    assert first_line(ValueError(" \n"), otherwise="another form") == "another form"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("one", "ValueError: one"),
        ("one\ntwo\r\n  three", "ValueError: one two   three"),
        ("x" * 2_000, "ValueError: " + "x" * (LONGEST_CAUSE_CHARACTERS - len("ValueError: ")) + "…"),
    ],
)
def test_cause_is_one_bounded_line(text: str, line: str) -> None:
    assert one_line(ValueError(text)) == line
