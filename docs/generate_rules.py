"""Writes the reference page of the rules from `reactivestreams.spec.rules`, whenever the documentation is built.

The page is not committed: it cannot differ from the data that error messages and tests use.
"""

import re
from collections.abc import Iterator
from typing import Any

from written_pages import write_when_built

from reactivestreams.spec.rules import RULES, Rule

__all__ = ["anchor", "page_name", "render", "rule_head", "setup"]

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
    for chapter, title in CHAPTERS.items():
        rules = [rule for rule in RULES.values() if rule.chapter == chapter]
        yield from ("", f"## {chapter} {title}")
        for rule in rules:
            yield from _section(rule)
        yield from ("", "```{toctree}", ":hidden:", "", *(f"rules/{page_name(rule)}" for rule in rules), "```")
    yield from ("", "```{toctree}", ":hidden:", "", "rules/parts", "```")


def _section(rule: Rule) -> Iterator[str]:
    yield from ("", f"({anchor(rule)})=", "", f"### §{rule.id}", *rule_head(rule))
    yield from ("", f"[Examples and checks](rules/{page_name(rule)}.md)")


def rule_head(rule: Rule) -> Iterator[str]:
    """Return the lines that say how a rule binds, what it says and why; they begin with an empty one."""
    words = " and ".join(word.value for word in rule.obligation)
    yield from ("", f"**{words}**, binds the {rule.bound.value}.")
    yield from ("", _with_code(rule.text), "", f"*Why:* {_with_code(rule.intent)}")


def page_name(rule: Rule) -> str:
    """Return the name of the page of a rule, without its folder and its ending."""
    return rule.id.replace(".", "-")


def _with_code(sentence: str) -> str:
    return re.sub(r"\bon_\w+|\brequest\(n\)|2\*\*63-1|==", r"`\g<0>`", sentence)


def anchor(rule: Rule) -> str:
    """Return the name by which a page links to a rule: `[§3.9](#rule-3-9)`."""
    return f"rule-{rule.id.replace('.', '-')}"


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that writes the page before the pages are read."""
    return write_when_built(app, lambda: {"reference/rules.md": render()})
