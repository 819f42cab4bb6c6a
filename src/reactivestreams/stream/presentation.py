"""How a description shows itself in a REPL and in a notebook."""

import html
import reprlib

from rs_core.description import Description

PARAMETER_LENGTH_CHARACTERS = 40
NODES_SHOWN = 32  # of a longer chain the middle is left out

_parameters = reprlib.Repr()
_parameters.maxother = _parameters.maxstring = PARAMETER_LENGTH_CHARACTERS


def shown_parameter(parameter: object) -> str:
    """Return a short text for a parameter: a function's name, or a repr that cannot fail."""
    name = getattr(parameter, "__qualname__", None)
    return name.rsplit("<locals>.", 1)[-1] if isinstance(name, str) else _parameters.repr(parameter)


def _call(node: Description) -> str:
    text: str = node.definition.written(node.parameters, shown_parameter)
    return text


def _shown(nodes: list[Description]) -> list[tuple[int, Description | None]]:
    """Return the nodes to show with their numbers from 1; None stands for those left out."""
    numbered: list[tuple[int, Description | None]] = list(enumerate(nodes, start=1))
    if len(nodes) <= NODES_SHOWN:
        return numbered
    half = NODES_SHOWN // 2
    return [*numbered[:half], (0, None), *numbered[-half:]]


def chain_text(kind: str, nodes: list[Description]) -> str:
    """Return a chain as one would write it: `Stream.range(0, 3).map(<lambda>)`."""
    left_out = f"<{len(nodes) - NODES_SHOWN} more>"
    return ".".join([kind, *(_call(node) if node is not None else left_out for _, node in _shown(nodes))])


def chain_html(kind: str, nodes: list[Description]) -> str:
    """Return a chain as a table: what each operator does and where it was added."""
    rows = "".join(
        f"<tr><td>{number}</td><td><code>{html.escape(_call(node))}</code></td>"
        f"<td>{html.escape(str(node.assembly))}</td></tr>"
        if node is not None
        else f"<tr><td></td><td>{len(nodes) - NODES_SHOWN} more</td><td></td></tr>"
        for number, node in _shown(nodes)
    )
    return (
        f"<table><caption>{html.escape(kind)}, not running</caption>"
        f"<thead><tr><th></th><th>operator</th><th>added at</th></tr></thead><tbody>{rows}</tbody></table>"
    )
