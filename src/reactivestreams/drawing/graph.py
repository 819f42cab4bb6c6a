"""Graphs of boxes, each with an arrow from the previous one."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from reactivestreams.drawing.svg_text import CHARACTER_PIXELS, opening, text

__all__ = ["BOX_PIXELS", "GAP_PIXELS", "PADDING_PIXELS", "Node", "graph"]

LINE_PIXELS = 16
PADDING_PIXELS = 12
GAP_PIXELS = 34
BOX_PIXELS = 214


@dataclass(frozen=True)
class Node:
    """One box of the graph."""

    title: str
    details: tuple[str, ...]
    place: str = ""
    """The file and line of the assembly; empty for the ends of the graph."""
    css: str = "operator"


def graph(nodes: Sequence[Node], *, width: float, label: str, css: str) -> str:
    """Draw nodes from left to right, in as many rows as the width requires, or in one column.

    Args:
        nodes: The nodes, at least one.
        width: The width of the picture, in CSS pixels.
        label: A description for readers who do not see it.
        css: The CSS class of the picture.
    """
    columns = max(1, int((width + GAP_PIXELS) // (BOX_PIXELS + GAP_PIXELS)))
    # Rows of equal length look better than full rows and a remainder.
    row_count = -(-len(nodes) // columns)
    columns = -(-len(nodes) // row_count)
    box = (width - 2 - GAP_PIXELS * (columns - 1)) / columns
    rows = [nodes[start : start + columns] for start in range(0, len(nodes), columns)]
    head = f"arrow-head-{width:.0f}"
    body, y, previous = [_arrow_head(head)], 1.0, None
    for row in rows:
        contents = [_box_lines(node, box) for node in row]
        height = 2 * PADDING_PIXELS + LINE_PIXELS * max(len(lines) for lines in contents) - 2
        for column, (node, lines) in enumerate(zip(row, contents, strict=True)):
            x = 1 + column * (box + GAP_PIXELS)
            middle = y + height / 2
            if previous is not None:
                body.append(_arrow(previous, (x, y, middle), box, column, head))
            body.append(_box(node, lines, x, y, box, height))
            previous = (x, y + height, middle)
        y += height + GAP_PIXELS
    return f"{opening(css, width, y - GAP_PIXELS + 1, label)}{''.join(body)}</svg>"


def _arrow_head(name: str) -> str:
    """Define the head of the arrows; each drawing has its own, because one in a hidden drawing cannot be used."""
    return (
        f'<defs><marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path class="arrow-head" d="M0 0 8 4 0 8z"/></marker></defs>'
    )


def _box_lines(node: Node, box: float) -> list[tuple[str, str]]:
    """Return the (class, text) lines of a box, wrapped to its width."""
    characters = int((box - 2 * PADDING_PIXELS) / CHARACTER_PIXELS)
    lines = [("box-title", node.title)]
    for detail in node.details:
        lines += [("box-detail", line) for line in wrap(detail, characters)]
    if node.place:
        lines += [("box-place", line) for line in wrap(node.place, characters)]
    return lines


def _box(node: Node, lines: Sequence[tuple[str, str]], x: float, y: float, width: float, height: float) -> str:
    size = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
    shape = f'<rect class="box {escape(node.css)}" {size} rx="8"/>'
    first = y + PADDING_PIXELS + 11
    return shape + "".join(
        text(x + PADDING_PIXELS, first + LINE_PIXELS * index, line, css, anchor="start")
        for index, (css, line) in enumerate(lines)
    )


def _arrow(
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
