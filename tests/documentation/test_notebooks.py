"""Every page of the tutorial runs in a notebook, in a kernel of its own, and shows there what it says.

Each example is a cell. What a cell of a notebook cannot do, whoever wrote it, is `asyncio.run`, since a loop runs there
already: one awaits instead, as the page on event loops says.
"""

import doctest
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.documentation.examples import FLAGS

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial"
LONGEST_CELL_SECONDS = 120

# What a block without prompts has to print may stand in a block of text behind it, as on the page about Spark.
_FENCE = re.compile(
    r"^ *```python(?P<note>[^\n]*)\n(?P<code>.*?)^ *```\n(?:\n```text\n(?P<shown>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
_COLORS = re.compile(r"\x1b\[[0-9;]*m")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="trio needs another loop there")]


def cells_of(page: str) -> list[tuple[str, str | None]]:
    """Return the code of each cell, and what it has to show; None: whatever it shows."""
    cells: list[tuple[str, str | None]] = []
    for fence in _FENCE.finditer(page):
        if ">>>" in fence["code"]:
            examples = doctest.DocTestParser().get_examples(fence["code"])
            cells += [(example.source, example.exc_msg or example.want) for example in examples]
        elif not fence["note"] or "Spark session" in fence["note"]:
            cells.append((fence["code"], fence["shown"]))
    return [(re.sub(r"\basyncio\.run\(", "await (", code), shown) for code, shown in cells]


PAGES = [
    pytest.param(page, id=page.stem, marks=[pytest.mark.spark] if page.stem == "spark" else [])
    for page in sorted(TUTORIAL.glob("*.md"))
    if cells_of(page.read_text(encoding="utf-8"))
]


def text_of(output: Any) -> str:
    """Return what an interpreter would have shown instead of an output of a cell."""
    if output.output_type == "stream":
        return str(output.text) if output.name == "stdout" else ""
    if output.output_type == "error":
        return f"{output.ename}: {_COLORS.sub('', output.evalue)}\n"
    return f"{output.data['text/plain']}\n"


def run_in_a_notebook(cells: list[str], folder: Path) -> list[list[Any]]:
    """Run cells in a kernel of their own; return the outputs of each."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])
    client = nbclient.NotebookClient(
        notebook,
        timeout=LONGEST_CELL_SECONDS,
        allow_errors=True,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute()
    return [cell.outputs for cell in notebook.cells]


@pytest.mark.parametrize("page", PAGES)
def test_page_of_the_tutorial_runs_in_a_notebook(page: Path, tmp_path: Path) -> None:
    cells = cells_of(page.read_text(encoding="utf-8"))
    outputs = run_in_a_notebook([code for code, _ in cells], tmp_path)
    wrong = []
    for of_cell, (code, wanted) in zip(outputs, cells, strict=True):
        shown = "".join(map(text_of, of_cell))
        is_right = (
            all(output.output_type != "error" for output in of_cell)
            if wanted is None
            else doctest.OutputChecker().check_output(wanted.rpartition("rs_core.errors.")[2], shown, FLAGS)
        )
        if not is_right:
            wrong.append(f"{code}shows\n{shown}instead of\n{wanted}")
    assert wrong == []


def test_pages_with_examples_are_found() -> None:
    assert {"asyncio", "demand", "errors", "first-stream", "spark", "threads"} <= {page.id for page in PAGES}


EMIT_LATER = """
def emit_later(emitter):
    def emit():
        emitter.emit(1)
        emitter.complete()
    threading.Timer(0.1, emit).start()
"""
CELLS = [
    "import threading\nfrom reactivestreams import Stream",
    EMIT_LATER,
    "Stream.create(emit_later, on_overflow='error').to_list()",
    "async def twice(number):\n    return 2 * number",
    "Stream.range(3).map_async(twice).to_list()",
    "await Stream.range(3).map_async(twice).to_list_async()",
]


def test_cell_waits_for_what_another_thread_brings_and_not_for_its_own_loop(tmp_path: Path) -> None:
    outputs = run_in_a_notebook(CELLS, tmp_path)
    shown = ["".join(map(text_of, output)) for output in outputs]
    assert shown[2] == "[1]\n"
    assert shown[4].startswith("RunningEventLoopError: to_list would block the event loop that runs in this thread")
    assert shown[5] == "[0, 2, 4]\n"
