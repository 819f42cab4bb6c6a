"""What a stream consists of, as text that is the same in every process: how changes are found."""

import enum
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, cast

from rs_core.stream.description import Description

__all__ = ["SIDE_EFFECTS", "all_nodes", "operator_lines"]

SIDE_EFFECTS = frozenset({"rx://operators/do", "rx://operators/finally"})
"""Operators whose functions are there for their side effects."""

_PLAIN = (type(None), bool, int, float, str, bytes, Decimal, datetime, date, time, timedelta, enum.Enum)


def operator_lines(nodes: list[Description], indent: str = "") -> list[str]:
    """Return a line for each operator: its id, parameters and names of functions; inputs among them are indented."""
    lines: list[str] = []
    for node in nodes:
        nested: list[Description] = []
        shown = ", ".join(_shown(parameter, nested) for parameter in node.parameters)
        lines.append(f"{indent}{node.definition.id}({shown})")
        for inner in nested:
            lines += operator_lines(inner.nodes(), f"{indent}  ")
    return lines


def _shown(value: Any, nested: list[Description]) -> str:
    if isinstance(value, Description):
        nested.append(value)
        return "stream"
    if isinstance(value, _PLAIN):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_shown(each, nested) for each in cast('list[Any]', value))}]"
    name = getattr(value, "__qualname__", None)
    return name if isinstance(name, str) else type(value).__qualname__


def all_nodes(nodes: list[Description]) -> list[Description]:
    """Return nodes, and those of streams among their parameters."""
    found: list[Description] = []
    waiting = [nodes]
    while waiting:
        chain = waiting.pop()
        found += chain
        for node in chain:
            for parameter in node.parameters:
                each: Any = parameter
                inputs = each if type(parameter) is tuple else (each,)
                waiting += [value.nodes() for value in inputs if isinstance(value, Description)]
    return found
