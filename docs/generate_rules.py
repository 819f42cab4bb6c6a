"""Writes the reference page of the rules from `reactivestreams.spec.rules`, whenever the documentation is built.

The page is not committed: it cannot differ from the data that error messages and tests use.
"""

import re
from collections.abc import Iterator
from typing import Any

from written_pages import write_when_built

from reactivestreams.spec.rules import RULES, Rule

__all__ = ["render", "setup"]

CHAPTERS = {1: "Publisher", 2: "Subscriber", 3: "Subscription", 4: "Processor"}

HEAD = """\
# The rules

The 43 rules of Reactive Streams, in this project's words and with Python's names: None stands for null, `TypeError` for
the error about a null reference and `ValueError` for the one about a bad argument. An error message or a comment that
begins with a section sign cites a rule of this page.

Each rule says how strongly it binds, and whom. Programs find the same data in `reactivestreams.spec.rules`.
"""


def render() -> str:
    """Return the page, in Markdown."""
    return HEAD + "".join(line + "\n" for line in _lines())


def _lines() -> Iterator[str]:
    chapter = None
    for rule in RULES.values():
        if rule.chapter != chapter:
            chapter = rule.chapter
            yield from ("", f"## {chapter} {CHAPTERS[chapter]}")
        yield from _section(rule)


def _section(rule: Rule) -> Iterator[str]:
    words = " and ".join(word.value for word in rule.obligation)
    yield from ("", f"({anchor(rule)})=", "", f"### §{rule.id}", "", f"**{words}**, binds the {rule.bound.value}.")
    yield from ("", _with_code(rule.text), "", f"*Why:* {_with_code(rule.intent)}")


def _with_code(sentence: str) -> str:
    return re.sub(r"\bon_\w+|\brequest\(n\)|2\*\*63-1|==", r"`\g<0>`", sentence)


def anchor(rule: Rule) -> str:
    """Return the name by which a page links to a rule: `[§3.9](#rule-3-9)`."""
    return f"rule-{rule.id.replace('.', '-')}"


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that writes the page before the pages are read."""
    return write_when_built(app, lambda: {"reference/rules.md": render()})
