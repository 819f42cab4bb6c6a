"""The page about the standard's examples names what exists and shows what happens."""

import re
from pathlib import Path

import examples.standard_examples
from tests.documentation.examples import run_page

PAGE = Path(__file__).parents[2] / "examples" / "standard_examples" / "README.md"


def test_examples_of_the_page_are_right() -> None:
    outcome = run_page(PAGE.read_text(encoding="utf-8"), "examples/standard_examples/README.md")
    assert (outcome.failures, outcome.examples > 0) == ([], True)


def test_page_tells_of_every_example_and_links_to_files() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in examples.standard_examples.__all__ if f"[`{name}" not in text] == []
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert [link for link in links if not (PAGE.parent / link).is_file()] == []
