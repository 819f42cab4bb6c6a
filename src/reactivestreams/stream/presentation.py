"""How a description is displayed in a REPL and in a notebook, and how a whole tree of them is drawn."""

import html
import reprlib
from datetime import timedelta
from pathlib import PurePath
from typing import cast

from reactivestreams.drawing.graph import (
    MAX_TREE_NODES,
    PICTURE_CLASS,
    STYLE,
    Node,
    Tree,
    chain_graph,
    tree_graph,
)
from reactivestreams.drawing.mermaid import mermaid
from reactivestreams.errors import ArgumentError
from reactivestreams.stream.pipelines import Pipeline
from rs_core.queues.overflow_policy import OverflowPolicy
from rs_core.stream.description import Description

PARAMETER_LENGTH_CHARACTERS = 40
NODES_SHOWN = 32  # the middle of a longer chain is left out

_parameters = reprlib.Repr()
_parameters.maxother = _parameters.maxstring = PARAMETER_LENGTH_CHARACTERS


def shown_parameter(parameter: object) -> str:
    """Return a short text for a parameter: a function's name, or a repr that cannot fail."""
    if type(parameter) is Description:  # which the operator made from an iterable or a publisher
        text = chain_text("Stream", parameter.nodes())
        return text if len(text) <= PARAMETER_LENGTH_CHARACTERS else f"{text[: PARAMETER_LENGTH_CHARACTERS - 3]}..."
    if isinstance(parameter, timedelta):
        return f"{parameter.total_seconds():g}"
    if isinstance(parameter, OverflowPolicy):
        return repr(parameter.value)
    name = getattr(parameter, "__qualname__", None)
    return name.rsplit("<locals>.", 1)[-1] if isinstance(name, str) else _parameters.repr(parameter)


def _call(node: Description) -> str:
    text: str = node.definition.written(node.parameters, shown_parameter)
    return text


def _shown(nodes: list[Description]) -> list[Description | None]:
    """Return the nodes to show; None stands for the omitted ones."""
    if len(nodes) <= NODES_SHOWN:
        return [*nodes]
    half = NODES_SHOWN // 2
    return [*nodes[:half], None, *nodes[-half:]]


def chain_text(kind: str, nodes: list[Description]) -> str:
    """Return a chain as one would write it: `Stream.range(0, 3).map(<lambda>)`."""
    left_out = f"<{len(nodes) - NODES_SHOWN} more>"
    return ".".join([kind, *(_call(node) if node is not None else left_out for node in _shown(nodes))])


def chain_html(kind: str, nodes: list[Description]) -> str:
    """Return a chain as a picture: a box for each operator, with its parameters and the line where it was added."""
    left_out = Node(f"{len(nodes) - NODES_SHOWN} more", ())
    boxes = [_box(node) if node is not None else left_out for node in _shown(nodes)]
    label = f"{kind}, not running: {', then '.join(box.title for box in boxes) or 'empty'}"
    if not boxes:
        return html.escape(label)
    return chain_graph(boxes, label=label)


def tree_text(stream: Description) -> str:
    """Return a stream or pipeline with all inputs of its operators as text of Mermaid.

    Raises:
        ArgumentError: It has more than `MAX_TREE_NODES` operators.
    """
    return mermaid(_tree(stream))


def tree_svg(stream: Description) -> str:
    """Return a stream or pipeline with all inputs of its operators as an SVG document.

    Raises:
        ArgumentError: It has more than `MAX_TREE_NODES` operators.
    """
    tree = _tree(stream)
    label = f"A tree of {len(tree.nodes)} operators, which ends with {tree.nodes[-1].title}"
    return tree_graph(tree, label=label, css=PICTURE_CLASS, style=STYLE)


def _tree(stream: Description) -> Tree:
    """Return the boxes of a description, each after its inputs: the node before it, then its parameters."""
    last_first: list[Description] = []
    targets: list[int | None] = []  # counted from the last
    waiting: list[tuple[Description, int | None]] = [(stream, None)]
    while waiting:
        node, target = waiting.pop()
        if len(last_first) == MAX_TREE_NODES:
            raise ArgumentError(
                f"a stream of more than {MAX_TREE_NODES} operators, its inputs among them, makes no picture "
                f"that can be read; draw a part of it, such as one of its inputs"
            )
        waiting += ((each, len(last_first)) for each in _inputs(node))  # the last of them is taken first
        last_first.append(node)
        targets.append(target)
    last = len(last_first) - 1
    return Tree(
        tuple(_box(node) for node in reversed(last_first)),
        tuple(None if target is None else last - target for target in reversed(targets)),
    )


def _inputs(node: Description) -> list[Description]:
    """Return what a node takes elements from: the node before it, and the streams among its parameters."""
    found: list[object] = []
    for parameter in node.parameters:
        found += cast("tuple[object, ...]", parameter) if type(parameter) is tuple else (parameter,)
    inputs = [each for each in found if isinstance(each, Description) and not isinstance(each, Pipeline)]
    return inputs if node.upstream is None else [node.upstream, *inputs]


def _box(node: Description) -> Node:
    name, place, call = node.definition.method, node.assembly, _call(node)
    parameters = call.removeprefix(f"{name}(").removesuffix(")") if call.startswith(f"{name}(") else call
    return Node(name, (parameters,), f"{PurePath(place.file).name}:{place.line}")
