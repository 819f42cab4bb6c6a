"""The page on sessions runs, in a process of its own: it starts sessions of several kinds."""

import io
from contextlib import redirect_stdout
from typing import Any

import pytest

from tests.spark.in_process import run_in_process
from tests.spark.test_guide import BLOCK, DOCS

pytestmark = [pytest.mark.spark, pytest.mark.slow]

PAGE = DOCS / "guides/spark-sessions.md"


def printed_by_page(_: None) -> list[str]:
    """Run the blocks of the page, one after the other, and return what each prints."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    printed = []
    for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        output = io.StringIO()
        with redirect_stdout(output):
            exec(compile(block["code"], PAGE.name, "exec"), namespace)
        printed.append(output.getvalue())
    return printed


def test_page_prints_what_it_shows() -> None:
    shown = [block["shown"] or "" for block in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]

    assert run_in_process(printed_by_page, kind="none") == shown
    assert len(shown) == 3
