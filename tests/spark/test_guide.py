"""The pages on Spark run, block by block, and print what they show."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.spark

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for folder, pattern in (("guides", "*spark*.md"), ("tutorial", "spark.md"))
    for path in (DOCS / folder).glob(pattern)
    if path.name != "spark-sessions.md"  # it starts sessions of other kinds: test_sessions_guide.py
)
BLOCK = re.compile(
    r"^```python(?! not-run: needs Delta)[^\n]*\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


@pytest.mark.parametrize("page", PAGES)
def test_page_prints_what_it_shows(spark: Any, page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = list(BLOCK.finditer((DOCS / page).read_text(encoding="utf-8")))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown, printed = [], []

    for block in blocks:
        output = io.StringIO()
        with redirect_stdout(output):
            exec(compile(block["code"], page, "exec"), namespace)
        shown.append(block["shown"] or "")
        printed.append(output.getvalue())

    assert printed == shown
    assert len(blocks) >= 2


def test_every_page_is_found() -> None:
    assert {"guides/pyspark.md", "guides/spark.md", "guides/spark-tuning.md", "tutorial/spark.md"} <= set(PAGES)
