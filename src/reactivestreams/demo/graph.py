"""Draw a pipeline from the pipeline value itself.

Boxes are its operators, with their parameters and the lines where they were assembled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from inspect import signature
from pathlib import PurePath
from textwrap import wrap
from typing import Any

from reactivestreams.demo.charts import svg, text
from reactivestreams.stream import Operator, Pipeline

__all__ = ["Node", "describe", "pipeline_graph"]

CHARACTER_PIXELS = 6.7
"""Width of a character of the monospaced text in a box, rounded up."""

LINE_PIXELS = 16
PADDING_PIXELS = 12
GAP_PIXELS = 34
BOX_PIXELS = 214
MAX_PARAMETER_CHARACTERS = 160


@dataclass(frozen=True)
class Node:
    """One box of the graph."""

    title: str
    details: tuple[str, ...]
    place: str = ""
    """File and line of the assembly; empty for the ends of the graph."""
    css: str = "operator"


def describe(pipeline: Pipeline[Any, Any], *, source: Node, end: Node) -> list[Node]:
    """Return the nodes of a pipeline from its source to its end.

    Args:
        pipeline: A `Pipeline`.
        source: What to draw before the first operator.
        end: What to draw behind the last one.
    """
    nodes = [
        Node(
            title=operator.definition.method,
            details=tuple(labelled_parameters(operator)),
            place=f"{PurePath(operator.assembly.file).name}:{operator.assembly.line}",
        )
        for operator in pipeline.operators
    ]
    return [source, *nodes, end]


def labelled_parameters(operator: Operator) -> list[str]:
    """Return one line of text a parameter; where there are several each stands behind its name."""
    texts = [parameter_text(parameter) for parameter in operator.parameters]
    if len(texts) < 2:
        return texts
    definition: Any = operator.definition
    names = signature(definition.parameters).parameters
    return [f"{name} {text}" for name, text in zip(names, texts, strict=True)]


def parameter_text(value: object) -> str:
    """Return a parameter in one short line: a function by its name, any other value as it is written."""
    if isinstance(value, partial):
        arguments = ", ".join(parameter_text(argument) for argument in (*value.args, *value.keywords.values()))
        return f"{parameter_text(value.func)} with {arguments}"
    name = getattr(value, "__qualname__", None)
    shown = name if isinstance(name, str) else repr(value)
    return shown if len(shown) <= MAX_PARAMETER_CHARACTERS else f"{shown[: MAX_PARAMETER_CHARACTERS - 1]}…"


def pipeline_graph(nodes: Sequence[Node], *, width: float) -> str:
    """Draw nodes from left to right, in as many rows as the width asks for; one below the other where it holds one."""
    columns = max(1, int((width + GAP_PIXELS) // (BOX_PIXELS + GAP_PIXELS)))
    # Rows of equal length look better than a full row and a rest.
    row_count = -(-len(nodes) // columns)
    columns = -(-len(nodes) // row_count)
    box = (width - 2 - GAP_PIXELS * (columns - 1)) / columns
    rows = [nodes[start : start + columns] for start in range(0, len(nodes), columns)]
    head = f"arrow-head-{width:.0f}"
    body, y, previous = [arrow_head(head)], 1.0, None
    for row in rows:
        contents = [box_lines(node, box) for node in row]
        height = 2 * PADDING_PIXELS + LINE_PIXELS * max(len(lines) for lines in contents) - 2
        for column, (node, lines) in enumerate(zip(row, contents, strict=True)):
            x = 1 + column * (box + GAP_PIXELS)
            middle = y + height / 2
            if previous is not None:
                body.append(arrow(previous, (x, y, middle), box, column, head))
            body.append(draw_box(node, lines, x, y, box, height))
            previous = (x, y + height, middle)
        y += height + GAP_PIXELS
    names = ", then ".join(node.title for node in nodes)
    return svg(width, y - GAP_PIXELS + 1, body, label=f"Graph of the pipeline: {names}.", kind="graph")


def arrow_head(name: str) -> str:
    """Define the head of the arrows; each drawing of a page has its own, since a hidden drawing lends nothing."""
    return (
        f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path class="arrow-head" d="M0 0 8 4 0 8z"/></marker></defs>'
    )


def box_lines(node: Node, box: float) -> list[tuple[str, str]]:
    """Return the (class, text) lines of a box, wrapped to its width."""
    characters = int((box - 2 * PADDING_PIXELS) / CHARACTER_PIXELS)
    lines = [("box-title", node.title)]
    for detail in node.details:
        lines += [("box-detail", line) for line in wrap(detail, characters)]
    if node.place:
        lines += [("box-place", line) for line in wrap(node.place, characters)]
    return lines


def draw_box(node: Node, lines: Sequence[tuple[str, str]], x: float, y: float, width: float, height: float) -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    shape = f'<rect class="box {escape(node.css)}" {size} rx="8"/>'
    first = y + PADDING_PIXELS + 11
    return shape + "".join(
        text(x + PADDING_PIXELS, first + LINE_PIXELS * index, line, css=css) for index, (css, line) in enumerate(lines)
    )


def arrow(
    start: tuple[float, float, float], end: tuple[float, float, float], box: float, column: int, head: str
) -> str:
    """Draw an arrow from the box that ends at `start` (x, bottom, middle) to the one at `end` (x, top, middle)."""
    start_x, start_bottom, start_middle = start
    end_x, end_top, _ = end
    if column:
        path = f"M{start_x + box:.1f} {start_middle:.1f}H{end_x - 1:.1f}"
    elif start_x == end_x:
        path = f"M{start_x + box / 2:.1f} {start_bottom:.1f}V{end_top - 1:.1f}"
    else:
        # From the end of a row back to the start of the next one, through the gap between them.
        turn = end_top - GAP_PIXELS / 2
        leave, enter = f"M{start_x + box / 2:.1f} {start_bottom:.1f}", f"V{end_top - 1:.1f}"
        path = f"{leave}V{turn:.1f}H{end_x + box / 2:.1f}{enter}"
    return f'<path class="arrow" d="{path}" marker-end="url(#{head})"/>'
