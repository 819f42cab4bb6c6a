"""The examples of the README and of every page of the documentation run and show what they say."""

from pathlib import Path
from typing import Any

import pytest

from tests.documentation.examples import run_page

ROOT = Path(__file__).parents[2]
# What the documentation's build writes beside the pages that were written by hand; git is told to ignore it.
IGNORED = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
GENERATED = [line.strip("/") for line in IGNORED if line.startswith("/docs/")]


def is_generated(page: Path) -> bool:
    """Return whether the build of the documentation has written a page."""
    path = page.relative_to(ROOT)
    return any(part.match(pattern) for part in (path, *path.parents[:-1]) for pattern in GENERATED)


PAGES = [ROOT / "README.md", *sorted(page for page in (ROOT / "docs").rglob("*.md") if not is_generated(page))]
STARTS_PROCESSES = ["docs/tutorial/survive.md"]
MUST_HAVE_EXAMPLES = ["README.md", "docs/index.md", "docs/tutorial/first-stream.md"]


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def marked(page: Path) -> Any:
    return pytest.param(page, marks=pytest.mark.slow) if shown(page) in STARTS_PROCESSES else page


@pytest.mark.parametrize("page", [marked(page) for page in PAGES], ids=shown)
def test_the_examples_of_the_page_are_right(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # examples may write files
    outcome = run_page(text, shown(page))
    assert outcome.failures == []
    assert outcome.examples > 0 or shown(page) not in MUST_HAVE_EXAMPLES


@pytest.mark.parametrize(
    ("page", "generated"),
    [
        ("docs/reference/seeds.md", True),
        ("docs/reference/rules/1-3.md", True),
        ("docs/_build/html/index.md", True),
        ("docs/reference/errors.md", False),
        ("docs/index.md", False),
    ],
)
def test_generated_pages_are_left_to_their_generators(page: str, generated: bool) -> None:
    assert is_generated(ROOT / page) == generated


def test_the_pages_that_must_have_examples_are_among_those_that_were_run() -> None:
    assert set(MUST_HAVE_EXAMPLES) <= {shown(page) for page in PAGES}
