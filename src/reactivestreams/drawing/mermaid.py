"""Graphs of boxes as text of Mermaid, which GitHub, GitLab and notebooks draw."""

import re
from collections.abc import Mapping

from reactivestreams.drawing.graph import Node, Tree
from reactivestreams.drawing.xml_text import xml_safe

__all__ = ["mermaid"]

# What would end a label, begin an entity or a tag, or make the label one of Markdown.
_SPECIAL = re.compile("[^0-9A-Za-z .,:=_/()+*@-]")


def mermaid(tree: Tree, *, styles: Mapping[str, str] | None = None) -> str:
    r"""Return trees as a flowchart of Mermaid.

    Args:
        tree: The trees.
        styles: For CSS classes of boxes their style, as Mermaid writes it; the others have none.

    Example:
        >>> print(mermaid(Tree((Node("range", ("0, 3",)), Node("map", ("<lambda>",), "app.py:7")), (1, None))))
        flowchart TD
            n0["range<br>0, 3"]
            n1["map<br>#60;lambda#62;<br>app.py:7"]
            n0 --> n1
    """
    boxes = [f'    n{index}["{_label(node)}"]' for index, node in enumerate(tree.nodes)]
    arrows = [f"    n{index} --> n{target}" for index, target in enumerate(tree.targets) if target is not None]
    classes: list[str] = []
    for css, style in (styles or {}).items():
        members = [f"n{index}" for index, node in enumerate(tree.nodes) if node.css == css]
        if members:
            classes += [f"    classDef {css} {style}", f"    class {','.join(members)} {css}"]
    return "\n".join(["flowchart TD", *boxes, *arrows, *classes])


def _label(node: Node) -> str:
    lines = [node.title, *node.details, node.place]
    return "<br>".join(_escaped(xml_safe(line)) for line in lines if line)


def _escaped(line: str) -> str:
    """Return a line in which characters with a meaning for Mermaid are entities; those are written with `#`."""
    return _SPECIAL.sub(lambda match: f"#{ord(match[0])};", " ".join(line.split()))
