"""The graph is drawn from the pipeline value: its operators, parameters and assembly lines, inside the picture."""

import xml.etree.ElementTree as ET
from functools import partial
from operator import add

import pytest

from reactivestreams import pipeline
from reactivestreams.demo.flights_pipeline import flights_pipeline
from reactivestreams.demo.graph import describe, pipeline_graph
from reactivestreams.drawing.graph import PADDING_PIXELS, Node
from reactivestreams.drawing.svg_text import CHARACTER_PIXELS

SOURCE, END = Node("source", ("rows",)), Node("end", ())


def is_even(number: int) -> bool:
    return number % 2 == 0


def drawn(nodes: list[Node], width: float) -> ET.Element:
    return ET.fromstring(pipeline_graph(nodes, width=width))


def test_nodes_are_the_operators_in_order_with_their_parameters() -> None:
    described = pipeline().filter(is_even).map(partial(add, 3)).key_by(is_even, max_keys=2).scan(add, 0).take(5)

    nodes = describe(described, source=SOURCE, end=END)

    assert [(node.title, node.details) for node in nodes[1:-1]] == [
        ("filter", ("is_even",)),
        ("map", ("add with 3",)),
        ("key_by().scan", ("key is_even", "function add", "seed 0", "max_keys 2")),
        ("take", ("5",)),
    ]
    assert (nodes[0], nodes[-1]) == (SOURCE, END)


def test_parameters_of_every_operator_have_names() -> None:
    described = pipeline().map(abs).filter(is_even).flat_map(str).do(on_next=print).buffer(2).skip(1).scan(add, 0)
    described = described.key_by(len).buffer(3).key_by(len).through(pipeline().take(1)).key_by(len).scan(add, 0)
    described = described.key_by(len).expire_after(5).scan(add, 0).key_by(len).aggregate(n="count").key_by(len).count()

    nodes = describe(described, source=SOURCE, end=END)

    assert all(" " in line for node in nodes[1:-1] if len(node.details) > 1 for line in node.details)


def test_place_is_the_line_where_the_operator_was_added() -> None:
    described = pipeline().map(abs)

    (_, node, _) = describe(described, source=SOURCE, end=END)

    assert (
        node.place == f"test_graph.py:{test_place_is_the_line_where_the_operator_was_added.__code__.co_firstlineno + 1}"
    )


def test_demo_shows_its_own_lines_of_assembly() -> None:
    nodes = describe(flights_pipeline(), source=SOURCE, end=END)[1:-1]

    assert [node.title for node in nodes] == ["map", "filter", "key_by().scan", "map"]
    assert {node.place.partition(":")[0] for node in nodes} == {"flights_pipeline.py"}
    assert len({node.place for node in nodes}) == 4


@pytest.mark.parametrize("width", [326, 600, 1040])
def test_boxes_lie_inside_the_picture_and_apart(width: float) -> None:
    picture = drawn(describe(flights_pipeline(), source=SOURCE, end=END), width)

    height = float(picture.attrib["height"])
    boxes = [
        tuple(float(box.attrib[name]) for name in ("x", "y", "width", "height")) for box in picture.findall("rect")
    ]
    assert len(boxes) == 6
    for x, y, box_width, box_height in boxes:
        assert (x >= 0, x + box_width <= width) == (True, True)
        assert (y >= 0, y + box_height <= height) == (True, True)
    for index, (x, y, box_width, box_height) in enumerate(boxes):
        for other_x, other_y, _, _ in boxes[index + 1 :]:
            assert other_x >= x + box_width or other_y >= y + box_height


@pytest.mark.parametrize("width", [326, 1040])
def test_text_stays_inside_its_box(width: float) -> None:
    long = Node("map", ("a_name_that_is_far_too_long_for_one_line_of_a_box_" * 3,), place="some_file_name.py:12")
    picture = drawn([SOURCE, long, END], width)

    boxes = picture.findall("rect")
    for text in picture.findall("text"):
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        box = next(
            box
            for box in boxes
            if float(box.attrib["x"]) <= x <= float(box.attrib["x"]) + float(box.attrib["width"])
            and float(box.attrib["y"]) <= y <= float(box.attrib["y"]) + float(box.attrib["height"])
        )
        right = float(box.attrib["x"]) + float(box.attrib["width"]) - PADDING_PIXELS
        assert text.attrib["class"] == "box-title" or x + CHARACTER_PIXELS * len(text.text or "") <= right + 1


def test_every_box_but_the_first_has_an_arrow_to_it() -> None:
    picture = drawn(describe(flights_pipeline(), source=SOURCE, end=END), 600)

    assert len([path for path in picture.findall("path") if path.attrib["class"] == "arrow"]) == 5


def test_picture_tells_its_operators_to_a_screen_reader() -> None:
    picture = drawn([SOURCE, Node("map", ("<lambda>",)), END], 600)

    assert (picture.attrib["role"], picture.attrib["aria-label"]) == (
        "img",
        "Graph of the pipeline: source, then map, then end.",
    )
    assert "<lambda>" in [text.text for text in picture.findall("text")]
