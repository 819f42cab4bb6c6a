"""Every page of the tutorial runs in a notebook, in a kernel of its own, and shows there what it says.

So does what the guide on notebooks promises: what is shown how, and that an interrupt cancels the stream of the cell.

Each example is a cell. What a cell of a notebook cannot do, whoever wrote it, is `asyncio.run`, since a loop runs there
already: one awaits instead, as the page on event loops says.
"""

import doctest
import queue
import re
import sys
from collections.abc import Iterator
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

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),  # one that hangs is ended by the limit of its cell
    pytest.mark.skipif(sys.platform == "win32", reason="trio needs another loop there"),
]


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


SHOWN = {
    "Stream.range(3).map(str)": "<style>",
    "pipeline().map(str)": "<style>",
    "Stream.never().bind(DefaultSubscriber())": "<table>",
    "Stream.never().subscribe(on_next=print)": "<table>",
    "Stream.just(1).subscribe(on_next=lambda n: None)": "<pre>",
    "explain(Stream.never().bind(DefaultSubscriber()))": "<table>",
    "TestScheduler().start(lambda: Stream.range(3))": "<svg",
    "marble_diagram([MarbleLine('line', [on_next(1, 'a')])], label='a line')": "<svg",
    "Report('a publisher', '1.0.4', 1, (), 0.0)": "<iframe",
}
"""The last line of a cell, and what a notebook shows of it."""

IMPORTS = """
from reactivestreams import Stream, pipeline
from reactivestreams.inspection import explain
from reactivestreams.subscriber import DefaultSubscriber
from reactivestreams.tck import Report
from reactivestreams.testing import MarbleLine, TestScheduler, marble_diagram, on_next
"""


def test_notebook_shows_what_the_guide_says_and_text_besides(tmp_path: Path) -> None:
    pytest.importorskip("jinja2", reason="needs the extra tck")
    _, *outputs = run_in_a_notebook([IMPORTS, *SHOWN], tmp_path)
    shown = {code: output[0].data for code, output in zip(SHOWN, outputs, strict=True)}
    assert {code: data["text/html"].lstrip()[: len(SHOWN[code])] for code, data in shown.items()} == SHOWN
    assert all(data["text/plain"] for data in shown.values())


def test_notebook_shows_the_progress_of_a_cell_and_how_it_ended(tmp_path: Path) -> None:
    cells = [
        "from reactivestreams import Stream",
        "Stream.range(100).progress('<numbers>', total=100).sum()",
        "Stream.range(-2, 2).map(lambda n: 1 // n).progress('quotients').run()",
    ]
    _, (numbers, result), (quotients, error) = run_in_a_notebook(cells, tmp_path)
    assert numbers.output_type == quotients.output_type == "display_data"
    assert text_of(numbers).startswith("<numbers>: 100 of 100 (100 %), ")
    assert text_of(numbers).endswith(", done\n")
    assert "<b>&lt;numbers&gt;</b> <progress" in numbers.data["text/html"]
    assert text_of(result) == "4950\n"
    assert text_of(quotients).startswith("quotients: 2, ")
    assert text_of(quotients).endswith(", failed: ZeroDivisionError\n")
    assert error.ename == "ZeroDivisionError"


class Kernel:
    """A kernel whose cells the test interrupts."""

    def __init__(self, client: Any, manager: Any) -> None:
        self._client = client
        self._manager = manager

    def run(self, code: str, *, interrupted_after: str | None = None) -> str:
        """Run a cell and return what it printed and the name of its error; interrupt it when it has printed a text."""
        message = self._client.execute(code)
        shown = ""
        while True:
            try:
                reply = self._client.get_iopub_msg(timeout=LONGEST_CELL_SECONDS)
            except queue.Empty:
                pytest.fail(f"{code} did not end, and has shown: {shown}")
            if reply["parent_header"].get("msg_id") != message:
                continue
            content = reply["content"]
            if reply["msg_type"] == "stream":
                shown += content["text"]
            elif reply["msg_type"] == "error":
                shown += f"{content['ename']}\n"
            elif reply["msg_type"] == "status" and content["execution_state"] == "idle":
                return shown
            if interrupted_after is not None and interrupted_after in shown:
                interrupted_after = None
                self._manager.interrupt_kernel()


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Kernel]:
    manager_module = pytest.importorskip("jupyter_client.manager")
    manager, client = manager_module.start_new_kernel(kernel_name="python3", cwd=str(tmp_path))
    try:
        yield Kernel(client, manager)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


WATCHED = """
import threading
from reactivestreams import Stream
from reactivestreams.schedulers import WorkerScheduler

def watched(stream):
    return stream.do(on_request=lambda n: print("runs", flush=True), on_cancel=lambda: print("cancelled", flush=True))
"""


@pytest.mark.parametrize(
    "cell",
    [
        "watched(Stream.never()).run()",
        "watched(Stream.range(10**15)).map(str).filter(lambda text: False).run()",
        "with WorkerScheduler() as worker:\n    watched(Stream.interval(0.01)).observe_on(worker).run()",
        "for number in watched(Stream.never()):\n    pass",
    ],
    ids=["waits", "works", "waits for a thread", "iterates"],
)
def test_interrupted_cell_cancels_its_stream_and_the_next_one_runs(kernel: Kernel, cell: str) -> None:
    assert kernel.run(WATCHED) == ""
    shown = kernel.run(cell, interrupted_after="runs\n")
    assert shown.startswith("runs\n")
    assert "cancelled" in shown  # what is printed may come in parts, with the exception between them
    assert "KeyboardInterrupt" in shown
    assert kernel.run("print(Stream.range(3).to_list())") == "[0, 1, 2]\n"
    threads = "print([each.name for each in threading.enumerate() if each.name.startswith('reactivestreams-')])"
    assert kernel.run(threads) == "[]\n"
