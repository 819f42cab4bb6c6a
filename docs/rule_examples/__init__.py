"""A wrong and a right example for each rule: classes in a module for each chapter, and beside it what they show.

The tables say of each rule: `title`; `wrong` and `right`, the names of the classes; `wrong_text` and `right_text`; the
`checks` that pass the right one and not the wrong one; `outcome`, which the wrong one gets where that is no failure;
`judge`, the verification.
"""

import inspect
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

__all__ = ["CHAPTERS", "RuleExamples", "all_examples"]

CHAPTERS = {1: "publisher", 2: "subscriber", 3: "subscription", 4: "processor"}

JUDGES = {1: "publisher", 2: "blackbox", 3: "publisher", 4: "processor"}
"""What judges the examples of a chapter, unless they say otherwise."""


@dataclass(frozen=True)
class RuleExamples:
    """The two examples of a rule."""

    title: str
    wrong: Any
    wrong_text: str
    right: Any
    right_text: str
    checks: tuple[str, ...]
    outcome: str
    judge: str

    def source(self, which: str) -> str:
        """Return the code of the example `"wrong"` or `"right"`."""
        return inspect.getsource(getattr(self, which)).rstrip()


@cache
def all_examples() -> Mapping[str, RuleExamples]:
    """Return the examples by the ids of the rules."""
    found: dict[str, RuleExamples] = {}
    for chapter, name in CHAPTERS.items():
        module = import_module(f"rule_examples.{name}_rules")
        table = Path(__file__).with_name(f"{name}_rules.toml").read_text(encoding="utf-8")
        for id, entry in tomllib.loads(table).items():
            found[id] = RuleExamples(
                title=entry["title"],
                wrong=getattr(module, entry["wrong"]),
                wrong_text=entry["wrong_text"],
                right=getattr(module, entry["right"]),
                right_text=entry["right_text"],
                checks=tuple(entry["checks"]),
                outcome=entry.get("outcome", "fail"),
                judge=entry.get("judge", JUDGES[chapter]),
            )
    return MappingProxyType(found)
