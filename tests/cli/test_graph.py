"""The command `graph`: the tree of a stream as Mermaid and SVG, and what is no stream."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from reactivestreams.cli import ExitStatus, main
from reactivestreams.drawing.graph import MAX_TREE_NODES
from rs_core.stream.description import MAX_DEPTH

SOURCE = f"""\
from reactivestreams import Stream, pipeline

letters = Stream.just("a").merge_with(Stream.just('<b>"]#1;`'), ["c"])
numbers = Stream.range(4)
joined = numbers.map(str).merge_with(letters.filter(bool)).zip_with(numbers)
doubled = pipeline().map(lambda number: number * 2).filter(bool)
republished = Stream.from_publisher(numbers)
in_rails = numbers.parallel(2).map(str).sequential()
number = 3


def made():
    return joined


def not_made(number):
    return joined


deep = Stream.range(1)
for _ in range({MAX_TREE_NODES - 1}):
    deep = deep.skip(1)
deeper = deep.skip(1)
wide = Stream.range(1)
for _ in range(40):
    wide = wide.merge_with(wide)
"""

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def app(tmp_path: Path) -> str:
    path = tmp_path / "drawn_streams.py"
    path.write_text(SOURCE, encoding="utf-8")
    return str(path)


def drawn(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["graph", *arguments]) == ExitStatus.SUCCESS
    return capsys.readouterr().out


def boxes_and_arrows(text: str) -> tuple[list[str], list[tuple[int, int]]]:
    first, *lines = text.splitlines()
    assert first == "flowchart TD"
    boxes = [found[2] for line in lines if (found := re.fullmatch(r'    n(\d+)\["([^"]*)"\]', line))]
    arrows = [
        (int(found[1]), int(found[2])) for line in lines if (found := re.fullmatch(r"    n(\d+) --> n(\d+)", line))
    ]
    assert len(boxes) + len(arrows) == len(lines)
    return boxes, arrows


def test_mermaid_has_a_box_for_each_operator_and_an_arrow_from_each_input(
    app: str, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes, arrows = boxes_and_arrows(drawn(capsys, f"{app}:joined"))
    titles = [box.partition("<br>")[0] for box in boxes]
    named = [(f"{titles[start]} {start}", f"{titles[end]} {end}") for start, end in arrows]
    assert named == [
        ("range 0", "map 1"),
        ("map 1", "merge_with 7"),
        ("from_iterable 2", "merge_with 5"),
        ("from_iterable 3", "merge_with 5"),
        ("from_iterable 4", "merge_with 5"),
        ("merge_with 5", "filter 6"),
        ("filter 6", "merge_with 7"),
        ("merge_with 7", "zip_with 9"),
        ("range 8", "zip_with 9"),
    ]
    assert boxes[0] == "range<br>0, 4<br>drawn_streams.py:4"


def test_mermaid_writes_characters_with_a_meaning_as_entities(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    boxes, _ = boxes_and_arrows(drawn(capsys, f"{app}:letters"))
    assert boxes[1] == "from_iterable<br>(#39;#60;b#62;#34;#93;#35;1#59;#96;#39;,)<br>drawn_streams.py:3"


@pytest.mark.parametrize(
    ("name", "titles"),
    [
        ("doubled", ["inlet", "map", "filter"]),
        ("republished", ["range", "from_publisher"]),
        ("in_rails", ["range", "parallel"]),
        ("made", ["range", "map", *["from_iterable"] * 3, "merge_with", "filter", "merge_with", "range", "zip_with"]),
    ],
)
def test_a_pipeline_a_publisher_rails_and_a_function_are_drawn(
    name: str, titles: list[str], app: str, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes, _ = boxes_and_arrows(drawn(capsys, f"{app}:{name}"))
    assert [box.partition("<br>")[0] for box in boxes] == titles


def test_svg_is_a_document_without_overlapping_boxes(app: str, tmp_path: Path) -> None:
    out = tmp_path / "joined.svg"
    assert main(["graph", f"{app}:joined", "--out", str(out)]) == ExitStatus.SUCCESS
    picture = ET.parse(out).getroot()
    assert picture.tag == f"{SVG}svg"
    assert picture.get("aria-label") == "A tree of 10 operators, which ends with zip_with"
    boxes = [
        tuple(float(box.get(key, "")) for key in ("x", "y", "width", "height")) for box in picture.iter(f"{SVG}rect")
    ]
    assert len(boxes) == 10
    assert sum(path.get("class") == "arrow" for path in picture.iter(f"{SVG}path")) == 9
    columns = {x: sorted((y, y + height) for left, y, _, height in boxes if left == x) for x, *_ in boxes}
    for column in columns.values():
        assert all(above[1] < below[0] for above, below in pairwise(column))
    width, height = (float(picture.get(key, "")) for key in ("width", "height"))
    assert all(x + w <= width and y + h <= height for x, y, w, h in boxes)


def test_arrows_of_svg_lead_from_box_to_box(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    picture = ET.fromstring(drawn(capsys, f"{app}:joined", "--format", "svg"))
    boxes = [[float(box.get(key, "")) for key in ("x", "y", "width", "height")] for box in picture.iter(f"{SVG}rect")]
    bottoms = {(round(x + w / 2, 1), round(y + h, 1)) for x, y, w, h in boxes}
    tops = {(round(x + w / 2, 1), round(y - 1, 1)) for x, y, w, h in boxes}
    ends: Counter[tuple[float, float]] = Counter()
    for path in picture.iter(f"{SVG}path"):
        if path.get("class") == "arrow":
            steps = re.findall(r"([MVH])([\d.]+)(?: ([\d.]+))?", path.get("d", ""))
            x, y = float(steps[0][1]), float(steps[0][2])
            assert (x, y) in bottoms
            for kind, to, _ in steps[1:]:
                x, y = (x, float(to)) if kind == "V" else (float(to), y)
            assert (x, y) in tops
            ends[x, y] += 1
    assert sorted(ends.values()) == [1, 1, 2, 2, 3]


def test_the_largest_tree_is_drawn_and_a_larger_one_is_refused(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    boxes, _ = boxes_and_arrows(drawn(capsys, f"{app}:deep"))
    assert len(boxes) == MAX_TREE_NODES < MAX_DEPTH
    for name in ("deeper", "wide"):
        assert main(["graph", f"{app}:{name}"]) == ExitStatus.FAILURE
        assert "a stream of more than 500 operators, its inputs among them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (":number", ":number gives 3, and a graph is drawn of a stream or a pipeline"),
        (":not_made", ":not_made gives <function not_made"),
        (":Stream", ":Stream gives <class"),
        ("", "gives <module"),
    ],
)
def test_what_is_no_stream_is_refused_with_those_there_are(
    name: str, said: str, app: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", f"{app}{name}"]) == ExitStatus.USAGE
    printed = capsys.readouterr().err
    assert said in printed
    assert "name one, or a function without arguments that returns one" in printed
    assert "has letters, numbers, joined, doubled, republished, in_rails" in printed


def test_a_file_that_cannot_be_written_is_refused(app: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", f"{app}:joined", "--out", str(tmp_path / "none" / "a.svg")]) == ExitStatus.USAGE
    assert "give a file in a folder that exists" in capsys.readouterr().err
