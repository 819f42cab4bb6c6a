"""Writes the page that leads from the documents this project implements to its names and tests.

What the documents ask for is in the tables of `docs/seeds`; tests are found by name and by the rules that they cite.
The page is not committed: it is written whenever the documentation is built.
"""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from found_tests import tests_citing, tests_named
from generate_rules import anchor
from kit_checks import all_checks, checks_of
from written_pages import write_when_built

from reactivestreams import Stream
from reactivestreams.spec.rules import RULES, Rule

__all__ = ["missing", "missing_checks", "render", "rows", "rule_differences", "setup"]

DATA = Path(__file__).parent / "seeds"
SHOWN_FILES = 3
"""How many files of tests a row names; it counts the others."""

HEAD = """\
# From the seeds to names and tests

This project implements five documents, the seeds:

| seed | what it is |
|---|---|
| 000, 001 | Reactive Streams .NET: the interfaces in C# and the 43 rules; 001 is its package page with the same text |
| 002 | Reactive Streams for the JVM, in the wording of 1.0.0: the interfaces in Java and the 43 rules |
| 003 | Reaqtive: operator trees that a host visits, saves and loads; subjects; schedulers |
| 004 | Reactive Streams 1.0.0.RC1: an older text with 45 rules |

Here is each interface, member, rule and operator of theirs, what it is called here, and the tests that hold it. What is
not there yet says which part will bring it; an operator that `Stream` does not have is missing.
"""


def rows(table: str) -> list[dict[str, Any]]:
    """Return the rows of a table of `docs/seeds`; that of an operator with its name and tests if `Stream` has it."""
    read = tomllib.loads((DATA / f"{table}.toml").read_text(encoding="utf-8"))["row"]
    return [_with_operator(row) if "operator" in row else row for row in read]


def _with_operator(row: dict[str, Any]) -> dict[str, Any]:
    operator = row["operator"]
    if not hasattr(Stream, operator):
        return {"what": row["what"], "operator": operator}
    return {
        "ours": [f"reactivestreams.Stream.{operator}"],
        "tests": [f"tests/operators/*/test_{operator}.py::*"],
        **row,
    }


def rule_differences() -> dict[str, dict[str, Any]]:
    """Return what the seeds demand differently, by rule, and the rules that seed 004 alone has."""
    return tomllib.loads((DATA / "rule_differences.toml").read_text(encoding="utf-8"))


def named_object(name: str) -> object:
    """Return what a dotted name stands for.

    Raises:
        AttributeError: There is no such thing.
    """
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return found
    raise AttributeError(f"there is no module in {name}")


def render() -> str:
    """Return the page, in Markdown."""
    return HEAD + "".join(line + "\n" for line in _lines())


def _lines() -> Iterator[str]:
    yield from _interfaces()
    yield from _rules()
    yield from _table("What the Reactive Streams seeds say besides", "principles")
    yield from _table("Reaqtive, seed 003", "reaqtive")


def _interfaces() -> Iterator[str]:
    yield from ("", "## The interfaces of Reactive Streams", "")
    yield from ("| seeds 000, 001 | seeds 002, 004 | here | tests |", "|---|---|---|---|")
    for row in rows("interfaces"):
        jvm = f"`{row['jvm']}`" + ("" if row["rc1"] == row["jvm"] else "; not in 004")
        yield f"| `{row['dotnet']}` | {jvm} | {_here(row)} | {_tests(row)} |"


def _rules() -> Iterator[str]:
    yield from (
        "",
        "## The rules",
        "",
        "Each rule has checks in the compatibility kit, which the publishers, subscribers and processors of this",
        "project pass, and tests that cite it. A dash says that a seed demands the same as the rule here.",
        "",
        "| rule | seeds 000, 001, 002 | seed 004 | kit | tests |",
        "|---|---|---|---|---|",
    )
    differences = rule_differences()
    for rule in RULES.values():
        differing = differences.get(rule.id, {})
        yield (
            f"| [§{rule.id}](#{anchor(rule)}) | {differing.get('seeds_000_001_002', '-')} "
            f"| {differing.get('seed_004', '-')} | {_checks(rule)} | {_files(tests_citing(rule.id))} |"
        )
    for id, differing in differences.items():
        if id not in RULES:
            kit = f"{len(differing['checks'])} checks, with `--edition rc1`"
            now = [test for rule in differing["now"] for test in tests_citing(rule)]
            yield f"| {id} | not there | {differing['seed_004']} | {kit} | {_files(now)} |"


def _checks(rule: Rule) -> str:
    checks = checks_of(rule.id)
    judged = Counter(judged for judged, _ in checks)
    return ", ".join(f"{count} of a {name}" for name, count in judged.items()) or "-"


def _table(title: str, table: str) -> Iterator[str]:
    yield from ("", f"## {title}", "", "| demanded | here | tests |", "|---|---|---|")
    for row in rows(table):
        yield f"| {_code(row['what'])} | {_here(row)} | {_tests(row)} |"


def _code(what: str) -> str:
    # A member of an interface begins with a capital letter; a sentence does not.
    return f"`{what}`" if what[0].isupper() or what.startswith("onSubscribe") else what


def _here(row: dict[str, Any]) -> str:
    words = [", ".join(f"`{name}`" for name in row.get("ours", []))]
    if "note" in row:
        words.append(row["note"])
    if "planned" in row:
        words.append(f"**planned: {row['planned']}**")
    if "operator" in row and "ours" not in row:
        words.append(f"**missing: {row['operator']}**")
    return "; ".join(filter(None, words))


def _tests(row: dict[str, Any]) -> str:
    return _files(test for pattern in row.get("tests", []) for test in tests_named(pattern))


def _files(tests: Iterable[str]) -> str:
    count = Counter(test.split("::")[0] for test in dict.fromkeys(tests))
    named = [f"`{file}` ({number})" for file, number in count.most_common(SHOWN_FILES)]
    rest = len(count) - SHOWN_FILES
    if rest > 0:
        named.append(f"{rest} more file{'s' if rest > 1 else ''}")
    return ", ".join(named) or "-"


def missing(table: str) -> list[str]:
    """Return what is wrong with the rows of a table: neither name nor plan, a plan for what is
    there, names or tests that do not exist."""
    found = []
    for row in rows(table):
        what = row.get("what") or row["dotnet"]
        if not row.get("ours") and not {"planned", "operator"} & row.keys():
            found.append(f"{what}: it has neither a name nor a plan")
        if "planned" in row and (row.get("ours") or _is_there(row["planned"])):
            found.append(f"{what}: it is planned no longer; say its name and its tests")
        if row.get("ours") and not row.get("tests"):
            found.append(f"{what}: it has no test")
        for name in row.get("ours", []):
            try:
                named_object(name)
            except AttributeError as error:
                found.append(f"{what}: {name} does not exist: {error}")
        found += [f"{what}: there is no test {test}" for test in row.get("tests", []) if not tests_named(test)]
    return found


def _is_there(package: object) -> bool:
    return not isinstance(package, str) or find_spec(f"reactivestreams.{package}") is not None


def missing_checks() -> list[str]:
    """Return the rules without a check and without a test, and the checks named that do not exist."""
    found = [f"§{id}: neither a check nor a test" for id in RULES if not checks_of(id) and not tests_citing(id)]
    for id, row in rule_differences().items():
        found += [f"{id}: there is no check {check}" for check in row.get("checks", []) if check not in all_checks()]
        found += [f"{id}: there is no rule {rule}" for rule in row.get("now", [id]) if rule not in RULES]
    return found


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that writes the page before the pages are read."""
    return write_when_built(app, lambda: {"reference/seeds.md": render()})
