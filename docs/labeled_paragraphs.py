"""Shows the paragraphs of docstrings that begin with a label, such as `Demand:`, beside arguments and errors."""

import re

from sphinx.application import Sphinx

LABELS = ("Demand", "Errors", "Order", "State", "Threads", "Rules", "Elsewhere")
PLURAL = re.compile(r"(`\w+`)s\b")
"""A name in the plural, whose last letter reStructuredText needs to have apart."""

LABELED = re.compile(rf"(?P<indent> *)(?P<label>{'|'.join(LABELS)}): (?P<text>.+)")
CONTINUED = "    "


def as_fields(lines: list[str]) -> list[str]:
    """Return the lines of a docstring with each labeled paragraph as a field.

    A field list stands between empty lines, and what continues a field is indented.
    """
    written: list[str] = []
    indent: str | None = None
    for line in lines:
        found = LABELED.fullmatch(line)
        if found:
            if indent is None and written and written[-1].strip():
                written.append("")
            indent = found["indent"]
            written.append(f"{indent}:{found['label']}: {found['text']}")
        elif indent is not None and line.strip():
            written.append(indent + CONTINUED + line.strip())
        else:
            indent = None
            written.append(line)
    return written


def process(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    """Change a docstring before its sections are read."""
    lines[:] = as_fields([PLURAL.sub(r"\1\\ s", line) for line in lines])


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect before napoleon, whose handlers have the priority 500."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process, priority=400)
    return {"parallel_read_safe": True}
