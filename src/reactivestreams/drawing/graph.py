"""Graphs of boxes: a chain, each with an arrow from the previous one, and trees that flow together."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from textwrap import wrap

from reactivestreams.drawing.svg_text import CHARACTER_PIXELS, opening, text

__all__ = [
    "BOX_PIXELS",
    "GAP_PIXELS",
    "MAX_TREE_NODES",
    "PADDING_PIXELS",
    "PICTURE_CLASS",
    "STYLE",
    "Node",
    "Tree",
    "chain_graph",
    "graph",
    "tree_graph",
]

LINE_PIXELS = 16
PADDING_PIXELS = 12
GAP_PIXELS = 34
BOX_PIXELS = 214
CHAIN_PIXELS = 800

MAX_TREE_NODES = 500
"""The most operators of a tree that is drawn whole; Mermaid draws no more arrows either."""

PICTURE_CLASS = "reactivestreams-graph"

# The colors of the surrounding page, in any theme.
STYLE = f"""
.{PICTURE_CLASS} {{ max-width: 100%; height: auto; color: inherit; }}
.{PICTURE_CLASS} .box {{ fill: currentColor; fill-opacity: .04; stroke: currentColor; stroke-opacity: .45; }}
.{PICTURE_CLASS} .arrow {{ fill: none; stroke: currentColor; stroke-opacity: .6; stroke-width: 1.6; }}
.{PICTURE_CLASS} .arrow-head {{ fill: currentColor; fill-opacity: .6; }}
.{PICTURE_CLASS} text {{ fill: currentColor; font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }}
.{PICTURE_CLASS} .box-title {{ font: 650 14px system-ui, sans-serif; }}
.{PICTURE_CLASS} .box-place {{ fill-opacity: .65; }}
"""


@dataclass(frozen=True)
class Node:
    """One box of the graph."""

    title: str
    details: tuple[str, ...]
    place: str = ""
    """The file and line of the assembly; empty for the ends of the graph."""
    css: str = "operator"


@dataclass(frozen=True)
class Tree:
    """Boxes of which each leads into one other or is the end of a tree, into which all of that tree flow together."""

    nodes: tuple[Node, ...]
    targets: tuple[int | None, ...]
    """For each node the index of the one into which it leads, which is higher than its own; None for an end."""


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


def chain_graph(nodes: Sequence[Node], *, label: str) -> str:
    """Draw a chain for a notebook: with its style sheet, and no wider than `CHAIN_PIXELS`.

    Args:
        nodes: The nodes, at least one.
        label: A description for readers who do not see it.
    """
    width = min(CHAIN_PIXELS, len(nodes) * (BOX_PIXELS + GAP_PIXELS) - GAP_PIXELS + 2)
    return f"<style>{STYLE}</style>{graph(nodes, width=width, label=label, css=PICTURE_CLASS)}"


def tree_graph(tree: Tree, *, label: str, css: str, style: str) -> str:
    """Draw trees from top to bottom as a document of its own: the leaves above, and below what all flow into.

    The first node that leads into another one is straight above it, the others beside that, and so are further trees.

    Args:
        tree: The trees, of one node at least.
        label: A description for readers who do not see it.
        css: The CSS class of the picture.
        style: Its style sheet.
    """
    inputs: list[list[int]] = [[] for _ in tree.nodes]
    rows = [0] * len(tree.nodes)  # counted from the ends, which are the lowest
    for index in reversed(range(len(tree.nodes))):
        target = tree.targets[index]
        if target is not None:
            inputs[target].insert(0, index)
            rows[index] = rows[target] + 1
    columns = _columns(inputs, [index for index, target in enumerate(tree.targets) if target is None])
    contents = [_box_lines(node, BOX_PIXELS) for node in tree.nodes]
    heights = [0.0] * (max(rows) + 1)
    for row, lines in zip(rows, contents, strict=True):
        heights[row] = max(heights[row], 2.0 * PADDING_PIXELS + LINE_PIXELS * len(lines) - 2)
    tops, bottom = [0.0] * len(heights), 1.0
    for row in reversed(range(len(heights))):
        tops[row] = bottom
        bottom += heights[row] + GAP_PIXELS
    head = "arrow-head"
    body = [f"<style>{style}</style>", _arrow_head(head)]
    for index, (node, lines) in enumerate(zip(tree.nodes, contents, strict=True)):
        x, row = 1.0 + columns[index] * (BOX_PIXELS + GAP_PIXELS), rows[index]
        height = 2.0 * PADDING_PIXELS + LINE_PIXELS * len(lines) - 2
        body.append(_box(node, lines, x, tops[row], BOX_PIXELS, height))
        target = tree.targets[index]
        if target is not None:
            target_x = 1.0 + columns[target] * (BOX_PIXELS + GAP_PIXELS)
            body.append(_way_down((x, tops[row] + height), (target_x, tops[row - 1]), BOX_PIXELS, head))
    picture_width = 2 + (max(columns) + 1) * (BOX_PIXELS + GAP_PIXELS) - GAP_PIXELS
    opened = opening(css, picture_width, bottom - GAP_PIXELS + 1, label, is_document=True)
    return f"{opened}{''.join(body)}</svg>"


def _columns(inputs: Sequence[Sequence[int]], ends: Sequence[int]) -> list[int]:
    """Return a column for each node, so that no arrow crosses another one: the lower a side input, the nearer it is."""
    columns = [0] * len(inputs)
    column, waiting = 0, list(reversed(ends))
    while waiting:
        straight = [waiting.pop()]
        while first := inputs[straight[-1]][:1]:
            straight += first
        for index in straight:
            columns[index] = column
        column += 1
        for index in reversed(straight):
            waiting += reversed(inputs[index][1:])
    return columns


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
        return _way(f"M{start_x + box:.1f} {start_middle:.1f}H{end_x - 1:.1f}", head)
    # From the end of a row back to the start of the next one, or straight down where there is one column.
    return _way_down((start_x, start_bottom), (end_x, end_top), box, head)


def _way_down(start: tuple[float, float], end: tuple[float, float], box: float, head: str) -> str:
    """Draw an arrow from under the box at `start` (x, bottom) into the one at `end` (x, top), through the gap."""
    (start_x, bottom), (end_x, top) = start, end
    turn = "" if start_x == end_x else f"V{top - GAP_PIXELS / 2:.1f}H{end_x + box / 2:.1f}"
    return _way(f"M{start_x + box / 2:.1f} {bottom:.1f}{turn}V{top - 1:.1f}", head)


def _way(path: str, head: str) -> str:
    return f'<path class="arrow" d="{path}" marker-end="url(#{head})"/>'
