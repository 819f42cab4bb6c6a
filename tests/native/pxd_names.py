"""Reads what a .pxd declares: each name, what it is, and whether it may be used without the GIL."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from tests.architecture.cython_source import code

# Of a declaration, the name: behind its type, before its arguments or the name that C has for it.
_FUNCTION = re.compile(r"(\w+)(?: \"\w+\")?\(")
_FUNCTION_TYPE = re.compile(r"ctypedef \w+ \(\*(\w+)\)\(")
_TYPE = re.compile(r"(?:cdef |ctypedef )?(?:class|cppclass|struct|enum) (\w+)")
_LAST_WORD = re.compile(r"(\w+)(?: \"\w+\")?$")


@dataclass(frozen=True)
class Declared:
    """A name of a .pxd."""

    name: str
    kind: str
    """`function`, `type` or `value`."""
    nogil: bool
    """Whether it is a function that may be called without the GIL, at least on atomic words."""


def declared(path: Path) -> dict[str, Declared]:
    """Return what a .pxd declares, but for what it cimports and for the members of its classes."""
    found: list[Declared] = []
    block, block_indent, without_gil = "", 0, False
    for line in code(path.read_text(encoding="utf-8"), header=False).splitlines():
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if not text:
            continue
        if block and indent <= block_indent:
            block = "extern" if indent and block == "enum of extern" else ""
            block_indent = 0
        if not block:
            block, block_indent = _opened(text), indent
            without_gil = block == "extern" and text.endswith("nogil:")
            found += _declaration(text, nogil=" nogil" in text) if block != "extern" else []
        elif block.startswith("enum"):
            found.append(Declared(text.split()[0], "value", nogil=False))
        elif block == "extern" and indent == block_indent + 4 and text != "pass":
            if re.match(r"enum\b.*:$", text):
                block, block_indent = "enum of extern", indent
            found += _declaration(text, nogil=without_gil)
    names: dict[str, Declared] = {}
    for each in found:
        # A function may be declared twice: for atomic words, and for those that the GIL guards.
        before = names.get(each.name, each)
        names[each.name] = replace(each, nogil=each.nogil or before.nogil)
    return names


def _opened(text: str) -> str:
    if text.startswith("cdef extern from"):
        return "extern"
    if re.match(r"cdef enum\b", text):
        return "enum"
    return "body" if text.endswith((":", "(")) else ""


def _declaration(text: str, *, nogil: bool) -> list[Declared]:
    if re.match(r"(from|cimport)\b", text) or re.fullmatch(r"(cdef )?enum:|\)", text):
        return []
    if match := _FUNCTION_TYPE.match(text):
        return [Declared(match[1], "type", nogil=False)]
    if match := _TYPE.match(text):
        return [Declared(match[1], "type", nogil=False)]
    if text.startswith("ctypedef "):
        match = _LAST_WORD.search(text)
        assert match is not None, text
        return [Declared(match[1], "type", nogil=False)]
    if match := _FUNCTION.search(text):
        return [Declared(match[1], "function", nogil)]
    match = _LAST_WORD.search(text)
    assert match is not None, text
    return [Declared(match[1], "value", nogil=False)]
