"""Writes a page for each method of `Stream` and for each public package when the documentation is built.

What a method does is its docstring. Beside it stand a marble diagram of a run, where the operator needs neither a
thread nor a loop, what becomes of the operator on Spark, and its twin for event loops. What a page written by hand
documents is linked from the page of its package, and is found under the package's name, too.
"""

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import generate_marbles
from drawn_operators import DRAWN
from written_pages import write_when_built

from reactivestreams import KeyedStream, Pipeline, Stream, operators, sources
from reactivestreams.operators.definition import OperatorDefinition
from reactivestreams.stream.names_elsewhere import NAMES_ELSEWHERE

__all__ = ["METHODS", "NOT_METHODS", "PACKAGES", "PACKAGES_PAGE", "methods", "pages", "setup"]

METHODS = "reference/stream"
PACKAGES_FOLDER = "reference/packages"
PACKAGES_PAGE = "reference/packages.md"

PACKAGES = {
    "reactivestreams": "what nearly every program needs",
    "reactivestreams.spec": "the four interfaces",
    "reactivestreams.publisher": "a publisher, for those who write another library",
    "reactivestreams.subscriber": "a subscriber, for those who write another library",
    "reactivestreams.subscription": "a subscription, for those who write another library",
    "reactivestreams.processor": "a processor, for those who write another library",
    "reactivestreams.interop.release_candidate": "implementations of the release candidate of the standard",
    "reactivestreams.stream": "descriptions of streams",
    "reactivestreams.sources": "sources as classes",
    "reactivestreams.operators": "operators as classes",
    "reactivestreams.operators.keyed": "operators with a state for each key",
    "reactivestreams.notifications": "signals as values",
    "reactivestreams.subjects": "streams that are pushed into, and shared",
    "reactivestreams.schedulers": "where and when work runs",
    "reactivestreams.errors": "exceptions",
    "reactivestreams.dropped": "what can no longer be delivered",
    "reactivestreams.guarantees": "what a crash may lose or repeat",
    "reactivestreams.lifecycle": "what an artifact that runs and saves state consists of",
    "reactivestreams.state": "saved state",
    "reactivestreams.engine": "queries that survive a crash",
    "reactivestreams.testing": "tests in virtual time, logging of signals as records, marbles",
    "reactivestreams.testing.crash": "tests that kill a process",
    "reactivestreams.tck": "the compatibility kit",
    "reactivestreams.tck.reports": "reports of the compatibility kit",
    "reactivestreams.inspection": "what a running stream waits for, and why it stands still",
    "reactivestreams.metrics": "what passes in a stream, counted for OpenTelemetry and in memory",
    "reactivestreams.spark": "DataFrames and streaming queries",
    "rs_core": "the compiled core, for those who extend it",
}
"""The public packages and modules, and what each is about. Of two that have a name the first one documents it."""

NOT_METHODS = ("assembly", "definition", "depth", "nesting", "nodes", "parameters", "upstream")
"""The attributes of a description, which say what it consists of: they are on the page of `Stream`."""

SEARCHED_AS = {
    "log": ("logging",),
    "map_in_executor": ("multiprocessing", "process pool", "thread pool"),
    "observe_on": ("thread",),
    "progress": ("progress bar", "tqdm"),
    "tap": ("metrics", "OpenTelemetry", "Prometheus", "tracing"),
    "retry": ("backoff",),
    "window": ("windowing", "tumbling window"),
}
"""Words for which the site's search leads to a method, beside its name and its names in other libraries."""

DIRECTIVE = re.compile(r"^\.\. auto(module|class|function|data|exception):: (\S+)$", re.MULTILINE)

MEMBERS_OF_DEFINITIONS = "parameters, stage, written, result_of, run, serializable_with"
"""Methods of operators that only a description calls."""


def methods() -> list[str]:
    """Return the methods of `Stream` that have a page: all but the twins for event loops, which are on their page."""
    public = [name for name in dir(Stream) if not name.startswith("_") and name not in NOT_METHODS]
    twins = [f"{name}_async" for name in public]
    return [name for name in public if name not in twins or name in _definitions()]


def pages() -> dict[str, str]:
    """Return the text of every page by its path below the folder of the documentation."""
    written = {f"{METHODS}/{name}.md": _method_page(name) for name in methods()}
    written |= {f"{PACKAGES_FOLDER}/{name}.md": _package_page(name) for name in PACKAGES}
    written[PACKAGES_PAGE] = _packages()
    return {path: "".join(f"{line}\n" for line in lines) for path, lines in written.items()}


def _method_page(name: str) -> Iterator[str]:
    yield from (f"# `{name}`", "")
    for picture in _pictures().get(name, ()):
        yield from (f"![marble diagram of {name}](../{picture})", "")
    words = [*SEARCHED_AS.get(name, ()), *_names_elsewhere().get(name, ())]
    if words:
        yield from (*_eval_rst(".. index::", *(f"   single: {word}" for word in words)), "")
    yield from _eval_rst(f".. automethod:: reactivestreams.Stream.{name}")
    definition = _definitions().get(name)
    on_spark = "" if definition is None else _on_spark(definition)
    if on_spark:
        yield from ("", f"**On Spark**: {on_spark}")
    if definition is not None:
        package = "sources" if definition.__name__ in sources.__all__ else "operators"
        yield from (
            "",
            f"The class of its definition is {{py:class}}`reactivestreams.{package}.{definition.__name__}`.",
        )
    if hasattr(Pipeline, name):
        yield from ("", f"`{name}` is also a method of {{py:class}}`Pipeline <reactivestreams.Pipeline>`.")
    if hasattr(Stream, f"{name}_async") and f"{name}_async" not in methods():
        yield from ("", "## Awaited", "", *_eval_rst(f".. automethod:: reactivestreams.Stream.{name}_async"))
    if name == "key_by":
        yield from ("", "## Methods of what it returns", "", *_keyed_methods())
    yield from ("", "[All operators](../operators.md)")


def _keyed_methods() -> Iterator[str]:
    for name in sorted(name for name in dir(KeyedStream) if not name.startswith("_")):
        yield from _eval_rst(f".. automethod:: reactivestreams.KeyedStream.{name}")


@cache
def _pictures() -> dict[str, list[str]]:
    """Return for each method the paths of its pictures below the folder of the reference."""
    found: dict[str, list[str]] = {}
    for call in DRAWN:
        picture = generate_marbles.picture_of(call).removeprefix("reference/")
        found.setdefault(generate_marbles.method_of(call), []).append(picture)
    return found


@cache
def _names_elsewhere() -> dict[str, list[str]]:
    """Return for each method the names of other libraries for it, as Python and as Java writes them."""
    found: dict[str, list[str]] = {}
    for name, calls in NAMES_ELSEWHERE.items():
        first, *others = name.split("_")
        spellings = {name: None, first + "".join(map(str.capitalize, others)): None}
        for method in {call.removeprefix("Stream.").partition("(")[0]: None for call in calls}:
            found.setdefault(method, []).extend(spellings)
    return found


@cache
def _definitions() -> dict[str, type[OperatorDefinition]]:
    classes = [getattr(package, name) for package in (operators, sources) for name in package.__all__]
    return {each.method: each for each in classes if "method" in vars(each)}


def _on_spark(definition: type[OperatorDefinition]) -> str:
    if definition.__name__ in sources.__all__:
        return ""
    if not definition.serializable:
        return "it cannot run on executors, and is refused when the pipeline is applied to a DataFrame."
    if definition.stateful and not definition.keyed:
        return (
            "in a pipeline its state restarts in each partition of a DataFrame. In a pipeline for each key, "
            "`key_by(key).through(chain)`, Spark keeps its state for each key, across micro-batches too."
        )
    return "in a pipeline it runs on executors, on DataFrames and on streaming ones."


def _package_page(package: str) -> Iterator[str]:
    module = import_module(package)
    yield from (f"# {package}", "", PACKAGES[package][:1].upper() + PACKAGES[package][1:] + ".", "")
    if package not in _modules_by_hand():
        yield from ("```{py:module} " + package, "```", "")
    text = inspect.getdoc(module) or ""
    yield from _eval_rst(*(line for line in _without_examples(text)))
    names = sorted(module.__all__)
    elsewhere = {name: _home(package, name) for name in names}
    linked = [name for name in names if elsewhere[name] is not None]
    if linked:
        yield from ("", "## Documented elsewhere", "")
        for name in linked:
            yield f"- {{py:obj}}`{name} <{elsewhere[name]}>`"
    for name in names:
        if elsewhere[name] is None:
            yield from ("", f"## {name}", "", *_eval_rst(*_documented(package, name)))


def _without_examples(text: str) -> list[str]:
    """Return a docstring up to the first thing that is not a plain paragraph: the rest is for readers of the source."""
    paragraphs = re.split(r"\n\s*\n", text)
    return paragraphs[0].splitlines()


def _documented(package: str, name: str) -> Iterator[str]:
    value = getattr(import_module(package), name)
    if _kind(value) == "data":
        yield from (f".. autodata:: {package}.{name}", "   :no-value:")
        return
    yield f".. auto{_kind(value)}:: {package}.{name}"
    if inspect.isclass(value):
        yield "   :members:"
        if package in ("reactivestreams.operators", "reactivestreams.operators.keyed", "reactivestreams.sources"):
            yield f"   :exclude-members: {MEMBERS_OF_DEFINITIONS}"


def _kind(value: object) -> str:
    return "class" if inspect.isclass(value) else "function" if inspect.isroutine(value) else "data"


def _home(package: str, name: str) -> str | None:
    """Return under which name another page documents one; None: no other one does."""
    value = getattr(import_module(package), name)
    by_hand = _by_hand()
    if f"{package}.{name}" in by_hand:
        return f"{package}.{name}"
    if _kind(value) != "data":
        found = [where for where, each in by_hand.items() if each is value]
        if found:
            return found[0]
    modules = {other: import_module(other) for other in PACKAGES}
    first = next(other for other, each in modules.items() if name in each.__all__ and getattr(each, name) is value)
    return None if first == package else f"{first}.{name}"


@cache
def _by_hand() -> dict[str, Any]:
    """Return what the pages that were written by hand document, by the name that stands there."""
    found: dict[str, Any] = {}
    for kind, name in _directives():
        if kind == "module":
            module = import_module(name)
            found |= {f"{name}.{each}": getattr(module, each) for each in module.__all__}
        else:
            module_name, _, attribute = name.rpartition(".")
            found[name] = getattr(import_module(module_name), attribute)
    return found


def _modules_by_hand() -> list[str]:
    return [name for kind, name in _directives() if kind == "module"]


@cache
def _directives() -> list[tuple[str, str]]:
    """Return what is documented by pages that were written by hand, each with the kind that its directive says."""
    folders = (Path(__file__).parent / name for name in ("explanation", "guides", "reference"))
    pages = (page for folder in folders for page in sorted(folder.glob("*.md")))
    return [found for page in pages for found in DIRECTIVE.findall(page.read_text(encoding="utf-8"))]


def _packages() -> Iterator[str]:
    yield from ("# Packages", "", "Every public name is on the page of its package.", "")
    yield from ("| package | about |", "|---|---|")
    yield from (f"| [{name}](packages/{name}.md) | {about} |" for name, about in PACKAGES.items())
    yield from ("", "```{toctree}", ":hidden:", "", *(f"packages/{name}" for name in PACKAGES), "```")


def _eval_rst(*lines: str) -> list[str]:
    return ["```{eval-rst}", *lines, "```"]


def _note_other_names(_: Any, env: Any) -> None:
    """Have what is documented under one name be found under the names of other packages that have it, too."""
    objects = env.domains["py"].objects
    for package in PACKAGES:
        for name in import_module(package).__all__:
            home = _home(package, name)
            if home is not None and home in objects and f"{package}.{name}" not in objects:
                objects[f"{package}.{name}"] = objects[home]._replace(aliased=True)


def setup(app: Any) -> dict[str, bool]:
    """Make this file an extension of Sphinx that writes the pages before they are read."""
    app.connect("env-updated", _note_other_names)
    return write_when_built(app, pages)
