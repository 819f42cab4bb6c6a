"""The guide on Spark runs, block by block, and prints what it shows."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.spark

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guides" / "spark.md"
BLOCK = re.compile(
    r"^```python[^\n]*\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)


def test_guide_prints_what_it_shows(spark: Any) -> None:
    blocks = list(BLOCK.finditer(GUIDE.read_text(encoding="utf-8")))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown, printed = [], []

    for block in blocks:
        output = io.StringIO()
        with redirect_stdout(output):
            exec(compile(block["code"], GUIDE.name, "exec"), namespace)
        shown.append(block["shown"] or "")
        printed.append(output.getvalue())

    assert printed == shown
    assert len(blocks) == 6
