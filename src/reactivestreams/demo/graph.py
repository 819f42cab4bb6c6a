"""Draw a pipeline from the pipeline value itself.

Boxes are its operators, with their parameters and the lines where they were assembled.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import PurePath
from typing import Any

from reactivestreams.drawing.graph import Node, graph
from reactivestreams.stream import Operator, Pipeline

__all__ = ["describe", "pipeline_graph"]

MAX_PARAMETER_CHARACTERS = 160


def describe(pipeline: Pipeline[Any, Any], *, source: Node, end: Node) -> list[Node]:
    """Return the nodes of a pipeline from its source to its end.

    Args:
        pipeline: A `Pipeline`.
        source: The node before the first operator.
        end: The node after the last one.
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
    """Return one line of text per parameter; if there are several, each follows its name."""
    texts = [parameter_text(parameter) for parameter in operator.parameters]
    if len(texts) < 2:
        return texts
    definition: Any = operator.definition
    return [f"{name} {text}" for name, text in zip(definition.parameter_names(), texts, strict=True)]


def parameter_text(value: object) -> str:
    """Return a parameter in one short line: a function by its name, any other value by its repr."""
    if isinstance(value, partial):
        arguments = ", ".join(parameter_text(argument) for argument in (*value.args, *value.keywords.values()))
        return f"{parameter_text(value.func)} with {arguments}"
    name = getattr(value, "__qualname__", None)
    shown = name if isinstance(name, str) else repr(value)
    return shown if len(shown) <= MAX_PARAMETER_CHARACTERS else f"{shown[: MAX_PARAMETER_CHARACTERS - 1]}…"


def pipeline_graph(nodes: Sequence[Node], *, width: float) -> str:
    """Draw the nodes of a pipeline."""
    names = ", then ".join(node.title for node in nodes)
    return graph(nodes, width=width, label=f"Graph of the pipeline: {names}.", css="chart graph")
