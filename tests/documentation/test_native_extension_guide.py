"""What the guide to native extensions shows is what the example holds, which tests/packaging builds and runs."""

from pathlib import Path

import pytest

from tests.documentation.guide import blocks, prompts

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/native_extension"
PAGE = (ROOT / "docs/guides/native-extension.md").read_text(encoding="utf-8")
SOURCES = [
    path.read_text(encoding="utf-8")
    for suffix in ("*.py", "*.pyx", "*.toml", "*.md")
    for path in sorted(EXAMPLE.rglob(suffix))
]
SHOWN = blocks(PAGE, "cython", "toml", "python", "sh")


@pytest.mark.parametrize("block", SHOWN, ids=[text.partition("\n")[0] for text in SHOWN])
def test_a_block_of_the_guide_stands_in_the_example(block: str) -> None:
    assert any(block in source for source in SOURCES)


def test_the_guide_shows_something_and_runs_something() -> None:
    assert len(SHOWN) > 5
    assert prompts(PAGE).count(">>> ") > 5


def test_blocks_are_told_from_prompts() -> None:
    page = (
        "```python not-run: why\n>>> 1\n1\n```\n\n```cython\ncdef int x\n```\n\n"
        "```text\nplain\n```\n\n```python\ny = 1\n```\n"
    )
    assert (blocks(page, "cython", "python"), prompts(page)) == (["cdef int x\n", "y = 1\n"], ">>> 1\n1\n")
