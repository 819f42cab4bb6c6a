"""Reads Cython source and C++ headers as text, line by line: no parser of theirs is at hand, and none is needed."""

import re

_DOCSTRING = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\'')
_PYTHON_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*')
_C_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\S+)[ \t]+c?import\b|c?import[ \t]+([^\n#]+))", re.MULTILINE)


def _newlines_only(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def _without_comment(match: re.Match[str]) -> str:
    return match[0] if match[0][0] in "\"'" else _newlines_only(match)


def code(source: str, *, header: bool) -> str:
    """Return the source without comments and docstrings; lines keep their numbers."""
    if header:
        return _C_COMMENT.sub(_without_comment, source)
    return _PYTHON_COMMENT.sub(_without_comment, _DOCSTRING.sub(_newlines_only, source))


def imports(source: str) -> list[tuple[int, str]]:
    """Return line and module of each import and cimport of a .pyx or .pxd."""
    stripped = code(source, header=False)
    found = []
    for match in _IMPORT.finditer(stripped):
        line = stripped.count("\n", 0, match.start()) + 1
        names = [match[1]] if match[1] else [part.split()[0] for part in match[2].split(",") if part.strip()]
        found += [(line, name) for name in names]
    return found


def call_end(stripped: str, opening: int) -> int:
    """Return the position behind the parenthesis that closes the one at `opening`, or the end of the source."""
    depth = 0
    for position in range(opening, len(stripped)):
        depth += {"(": 1, ")": -1}.get(stripped[position], 0)
        if depth == 0:
            return position + 1
    return len(stripped)
