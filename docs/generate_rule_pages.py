"""Writes a page for each rule when the documentation is built: its checks, a wrong and a right example.

Text and intent come from the data of the rules, the checks from the compatibility kit, the examples from
`docs/rule_examples`, where tests run them.
"""

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from found_tests import tests_citing
from generate_rules import page_name, rule_head
from kit_checks import checks_of
from rule_examples import all_examples
from written_pages import write_when_built

from reactivestreams.spec.rules import RULES, Rule

__all__ = ["FOLDER", "NOT_RUN", "PARTS", "pages", "setup"]

FOLDER = "reference/rules"

NOT_RUN = "not-run: the tests run it from its file"
"""Stands after the fence of each example: the page alone has not all that it needs."""

PARTS = ("numbers_publisher", "listener")
"""The modules that the examples derive from."""


def pages() -> dict[str, str]:
    """Return the text of every page by its path below the folder of the documentation."""
    lines = {page_name(rule): _page(rule) for rule in RULES.values()} | {"parts": _parts()}
    return {f"{FOLDER}/{name}.md": "".join(f"{line}\n" for line in page) for name, page in lines.items()}


def _page(rule: Rule) -> Iterator[str]:
    examples = all_examples()[rule.id]
    yield f"# §{rule.id} {examples.title}"
    yield from rule_head(rule)
    yield from ("", "## Wrong", "", examples.wrong_text, "", *_fenced(examples.source("wrong")), "")
    names = ", ".join(f"`{name}`" for name in examples.checks)
    plural = "s" if len(examples.checks) > 1 else ""
    if examples.outcome == "fail":
        yield f"The kit finds it by the check{plural} {names}."
    else:
        yield f"The kit reports it by the check{plural} {names}, which skips with what it saw: the rule leaves room."
    yield from ("", "## Right", "", examples.right_text, "", *_fenced(examples.source("right")), "")
    yield "What the examples derive from is on [a page of its own](parts.md)."
    yield from _checks(rule)
    yield from _tests(rule)


def _fenced(code: str) -> list[str]:
    return [f"```python {NOT_RUN}", *code.splitlines(), "```"]


def _checks(rule: Rule) -> Iterator[str]:
    yield from ("", "## Checks")
    for judged, check in checks_of(rule.id):
        yield from ("", f"`{check.name}`", f": Judges a {judged}: {check.claim}")


def _tests(rule: Rule) -> Iterator[str]:
    tests = tests_citing(rule.id)
    if tests:
        yield from ("", "## Tests of this project that cite it", "", *(f"- `{test}`" for test in tests))


def _parts() -> Iterator[str]:
    yield "# What the examples of the rules are made of"
    yield ""
    yield "Each example changes one step of one of these, which keep all the rules and pass the compatibility kit. They"
    yield "are written to be read; to write your own, begin with the [base classes](../base-classes.md)."
    for name in PARTS:
        module = import_module(f"rule_examples.{name}")
        title, _, source = inspect.getsource(module).removeprefix('"""').partition('"""\n')
        yield from ("", f"## {name.replace('_', ' ').capitalize()}", "", title.split("\n")[0], "")
        yield from _fenced(source.strip())


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that writes the pages before they are read."""
    return write_when_built(app, pages)
