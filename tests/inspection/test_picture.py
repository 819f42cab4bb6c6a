"""Pictures of running streams: boxes, arrows, marks of what stands still; hostile names; too many nodes."""

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from reactivestreams import Stream
from reactivestreams.cli import ExitStatus, main
from reactivestreams.drawing.graph import MAX_TREE_NODES
from reactivestreams.errors import ArgumentTypeError
from reactivestreams.inspection import allow_inspection, diagnose, draw_mermaid, draw_svg, explain
from reactivestreams.inspection.picture import TITLE_CHARACTERS, svg_of
from reactivestreams.subscriber import DefaultSubscriber
from rs_core.operators.python_operator import PythonStage

SVG = "{http://www.w3.org/2000/svg}"


class DrawnEnd(DefaultSubscriber[Any]):
    """The end of streams of this file only: others may still run in this process."""


@pytest.fixture
def handle() -> Iterator[Any]:
    """A stream that waits for the side input of one operator, while another one is full."""
    stream = Stream.just(1).flat_map(lambda _: Stream.range(1000)).zip_with(Stream[Any].never(), prefetch=8).map(str)
    bound = stream.bind(DefaultSubscriber())
    bound.initialize()
    bound.request(5)
    yield bound
    bound.cancel()


def boxes_of(text: str) -> list[list[str]]:
    return [box.split("<br>") for box in re.findall(r'^    n\d+\["([^"]*)"\]$', text, re.MULTILINE)]


def texts_of(picture: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}text")]


def test_mermaid_shows_each_node_with_its_numbers_and_marks_what_stands_still(handle: Any) -> None:
    lines = draw_mermaid(handle).splitlines()
    boxes = boxes_of("\n".join(lines))
    assert [box[0] for box in boxes] == [
        "from_iterable",
        "range",
        "flat_map",
        "never",
        "zip_with",
        "map",
        "subscriber",
    ]
    assert boxes[2][1:5] == ["0 requested", "8 delivered", "24 buffered", "waits for demand"]
    assert boxes[4][1:5] == ["5 requested", "0 delivered", "8 buffered", "waits for elements"]
    assert all(box[-1].startswith("test_picture.py:") for box in boxes[:-1])
    arrows = [line.split() for line in lines if "-->" in line]
    assert [(start, end) for start, _, end in arrows] == [
        ("n0", "n2"),
        ("n1", "n2"),
        ("n2", "n4"),
        ("n3", "n4"),
        ("n4", "n5"),
        ("n5", "n6"),
    ]
    assert lines[-4:] == [
        "    classDef stalled stroke:#d33,stroke-width:3px",
        "    class n2,n3 stalled",
        "    classDef ended stroke-dasharray:4 4",
        "    class n0 ended",
    ]
    assert boxes[3][-2] == "it sends nothing and never ends"


def test_svg_shows_the_same_and_marks_what_stands_still(handle: Any) -> None:
    picture = draw_svg(explain(handle))
    root = ET.fromstring(picture)
    kinds = [box.get("class") for box in root.iter(f"{SVG}rect")]
    assert kinds == ["box ended", "box operator", "box stalled", "box stalled", *["box operator"] * 3]
    assert root.get("aria-label") == "Running streams: 1, their nodes: 7, of these stand still: 2"
    assert {"24 buffered", "waits for demand", "DefaultSubscriber"} <= set(texts_of(picture))


def test_mark_is_at_the_node_of_the_cause(handle: Any) -> None:
    stages = explain(handle).stages
    assert [stages[stall.stage].operator for stall in diagnose(handle)] == [
        stall.operator for stall in diagnose(handle)
    ]


def test_hostile_and_long_names_do_not_break_a_picture() -> None:
    hostile = type('<script>"]#1;`', (DefaultSubscriber,), {})

    class LongName(PythonStage[Any, Any]):
        name = "example/" + "long" * 20

        def on_next(self, element: Any) -> None:
            self.emit(element)

    run = Stream.range(3).lift(LongName).bind(hostile())
    run.initialize()
    titles = [box[0] for box in boxes_of(draw_mermaid(run))]
    assert titles[1].startswith("example/long")
    assert '<script>"]#1;`' in texts_of(draw_svg(run))
    title = next(text for text in texts_of(draw_svg(run)) if text.startswith("example/"))
    assert len(title) == TITLE_CHARACTERS
    run.cancel()


def test_picture_is_cut_and_says_how_many_nodes_there_are_besides() -> None:
    stream: Stream[Any] = Stream.range(3)
    for _ in range(MAX_TREE_NODES):
        stream = stream.skip(1)
    run = stream.bind(DefaultSubscriber())
    run.initialize()
    boxes = boxes_of(draw_mermaid(run))
    assert (len(boxes), boxes[0], boxes[-1][0]) == (MAX_TREE_NODES + 1, ["2 more nodes"], "subscriber")
    assert "2 more nodes" in texts_of(draw_svg(run))
    run.cancel()


def test_picture_of_no_stream_says_so() -> None:
    assert texts_of(svg_of([])) == ["no stream runs"]


def test_what_is_no_running_stream_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="pass what bind"):
        draw_svg(Stream.range(3))


# --- of another process -----------------------------------------------------------------------------------------------


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The number of this process, which lets itself be looked into."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with allow_inspection(by_signal=False):
        yield str(os.getpid())


def test_doctor_draws_all_streams_of_a_process_into_one_picture(process: str, tmp_path: Path, handle: Any) -> None:
    with ExitStack() as stack:
        for _ in range(2):
            other = Stream[Any].never().bind(DrawnEnd())
            stack.callback(other.cancel)
            other.initialize()
        assert main(["doctor", "--pid", process, "--svg", str(tmp_path / "run.svg")]) == ExitStatus.SUCCESS
    texts = texts_of((tmp_path / "run.svg").read_text(encoding="utf-8"))
    assert texts.count("DrawnEnd") == 2
    assert "zip_with" in texts
    places = [
        (box.get("x"), box.get("y"))
        for box in ET.fromstring((tmp_path / "run.svg").read_text(encoding="utf-8")).iter(f"{SVG}rect")
    ]
    assert len(set(places)) == len(places)


def test_doctor_prints_a_flowchart(process: str, handle: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--pid", process, "--mermaid"]) == ExitStatus.SUCCESS
    said = capsys.readouterr().out
    assert said.startswith("flowchart TD\n")
    assert ["zip_with"] in [box[:1] for box in boxes_of(said)]


def test_stream_of_more_nodes_than_an_answer_has_says_so(process: str, capsys: pytest.CaptureFixture[str]) -> None:
    stream: Stream[Any] = Stream.range(3)
    for _ in range(300):
        stream = stream.skip(1)
    run = stream.bind(DefaultSubscriber())
    run.initialize()
    assert main(["doctor", "--pid", process]) == ExitStatus.SUCCESS
    assert "\n... and 102 more nodes\n" in capsys.readouterr().out
    assert main(["doctor", "--pid", process, "--mermaid"]) == ExitStatus.SUCCESS
    assert re.fullmatch(r"\d+ more nodes", boxes_of(capsys.readouterr().out)[0][0])
    run.cancel()


def test_picture_that_cannot_be_written_is_refused(
    process: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "missing" / "run.svg"
    assert main(["doctor", "--pid", process, "--svg", str(path)]) == ExitStatus.USAGE
    assert f"--svg {path} cannot be written" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["--mermaid"], ["--svg", "run.svg"]])
def test_picture_without_a_process_is_refused(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", *options]) == ExitStatus.USAGE
    assert "name it with --pid N" in capsys.readouterr().err
