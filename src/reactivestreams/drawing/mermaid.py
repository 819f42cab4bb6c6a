"""Graphs of boxes as text of Mermaid, which GitHub, GitLab and notebooks draw."""

import re

from reactivestreams.drawing.graph import Node, Tree
from reactivestreams.drawing.xml_text import xml_safe

__all__ = ["mermaid"]

# What would end a label, begin an entity or a tag, or make the label one of Markdown.
_SPECIAL = re.compile("[^0-9A-Za-z .,:=_/()+*@-]")


def mermaid(tree: Tree) -> str:
    r"""Return a tree as a flowchart of Mermaid.

    Args:
        tree: The tree.

    Example:
        >>> print(mermaid(Tree((Node("range", ("0, 3",)), Node("map", ("<lambda>",), "app.py:7")), (1, None))))
        flowchart TD
            n0["range<br>0, 3"]
            n1["map<br>#60;lambda#62;<br>app.py:7"]
            n0 --> n1
    """
    boxes = [f'    n{index}["{_label(node)}"]' for index, node in enumerate(tree.nodes)]
    arrows = [f"    n{index} --> n{target}" for index, target in enumerate(tree.targets) if target is not None]
    return "\n".join(["flowchart TD", *boxes, *arrows])


def _label(node: Node) -> str:
    lines = [node.title, *node.details, node.place]
    return "<br>".join(_escaped(xml_safe(line)) for line in lines if line)


def _escaped(line: str) -> str:
    """Return a line in which characters with a meaning for Mermaid are entities; those are written with `#`."""
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", " ".join(line.split()))
