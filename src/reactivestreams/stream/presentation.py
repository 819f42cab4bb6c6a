"""How a description shows itself in a REPL and in a notebook."""

import html
import reprlib

from rs_core.description import Description

PARAMETER_LENGTH_CHARACTERS = 40
NODES_SHOWN = 32  # of a longer chain the middle is left out

_parameters = reprlib.Repr()
_parameters.maxother = _parameters.maxstring = PARAMETER_LENGTH_CHARACTERS


def _shown_parameter(parameter: object) -> str:
    name = getattr(parameter, "__qualname__", None)
    return name.rsplit("<locals>.", 1)[-1] if isinstance(name, str) else _parameters.repr(parameter)


def _call(node: Description) -> str:
    return f"{node.definition.method}({', '.join(map(_shown_parameter, node.parameters))})"


def _shown(nodes: list[Description]) -> list[Description | None]:
    """Return the nodes to show; None stands for those left out."""
    if len(nodes) <= NODES_SHOWN:
        return list(nodes)
    half = NODES_SHOWN // 2
    return [*nodes[:half], None, *nodes[-half:]]


def chain_text(kind: str, nodes: list[Description]) -> str:
    """Return a chain as one would write it: `Stream.range(0, 3).map(<lambda>)`."""
    calls = [_call(node) if node is not None else f"...{len(nodes) - NODES_SHOWN} more..." for node in _shown(nodes)]
    return ".".join([kind, *calls])


def chain_html(kind: str, nodes: list[Description]) -> str:
    """Return a chain as a table: what each operator does and where it was added."""
    rows = "".join(
        f"<tr><td>{position}</td><td><code>{html.escape(_call(node))}</code></td>"
        f"<td>{html.escape(str(node.assembly))}</td></tr>"
        if node is not None
        else f"<tr><td></td><td>{len(nodes) - NODES_SHOWN} more</td><td></td></tr>"
        for position, node in enumerate(_shown(nodes), start=1)
    )
    return (
        f"<table><caption>{html.escape(kind)}, not running</caption>"
        f"<thead><tr><th></th><th>operator</th><th>added at</th></tr></thead><tbody>{rows}</tbody></table>"
    )
