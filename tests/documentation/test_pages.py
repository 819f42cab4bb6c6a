"""The examples of the README and of every page of the documentation run and show what they say."""

from pathlib import Path

import pytest

from tests.documentation.examples import run_page

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted(p for p in (ROOT / "docs").rglob("*.md") if "_build" not in p.parts)]
MUST_HAVE_EXAMPLES = ["README.md", "docs/index.md", "docs/tutorial/first-stream.md"]


def shown(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=shown)
def test_the_examples_of_the_page_are_right(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # examples may write files
    outcome = run_page(text, shown(page))
    assert outcome.failures == []
    assert outcome.examples > 0 or shown(page) not in MUST_HAVE_EXAMPLES


def test_the_pages_that_must_have_examples_are_among_those_that_were_run() -> None:
    assert set(MUST_HAVE_EXAMPLES) <= {shown(page) for page in PAGES}
