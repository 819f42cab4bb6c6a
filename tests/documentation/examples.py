"""Running examples: those of a page of documentation, and those in docstrings."""

import doctest
import inspect
import re
import textwrap
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# A fence that begins with `python not-run: <reason>` is shown and not run.
_FENCE = re.compile(r"^(?P<indent> *)```python(?P<note>[^\n]*)\n(?P<code>.*?)^ *```$", re.MULTILINE | re.DOTALL)
_NOT_RUN = re.compile(r" not-run: \S.*")


@dataclass
class Outcome:
    """How many examples ran, and what went wrong in them."""

    examples: int = 0
    failures: list[str] = field(default_factory=list)


def run_page(text: str, name: str) -> Outcome:
    """Run the Python blocks of a Markdown page one after the other, in one namespace.

    A block with prompts is compared with what it shows; one without has to run through.
    """
    outcome = Outcome()
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for fence in _FENCE.finditer(text):
            line = text.count("\n", 0, fence.start("code"))
            code = textwrap.dedent(fence["code"])
            if fence["note"]:
                if not _NOT_RUN.fullmatch(fence["note"]):
                    outcome.failures.append(f"{name}:{line}: after ```python only ' not-run: <reason>' may stand")
            elif ">>>" in code:
                _run_prompts(code, name, line, namespace, outcome)
            else:
                _run_plain(code, name, line, namespace, outcome)
    return outcome


def run_docstrings(module: ModuleType) -> Outcome:
    """Run the examples in the docstrings of a module, each docstring in a fresh copy of the module's namespace."""
    outcome = Outcome()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, text in docstrings(module):
            if ">>>" in text:
                _run_prompts(text, name, 0, dict(vars(module)), outcome)
    return outcome


def docstrings(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Return name and docstring of a module and of what it defines, in Python or compiled."""
    yield module.__name__, module.__doc__ or ""
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", None) == module.__name__:
            yield from _docstrings_of(value, f"{module.__name__}.{name}")


def _docstrings_of(value: object, name: str) -> Iterator[tuple[str, str]]:
    if inspect.isclass(value):
        yield name, value.__doc__ or ""
        for attribute, member in list(vars(value).items()):
            if attribute not in {"__dict__", "__weakref__"}:
                yield from _docstrings_of(member, f"{name}.{attribute}")
    elif isinstance(value, (staticmethod, classmethod)) or inspect.isroutine(value) or inspect.isdatadescriptor(value):
        yield name, getattr(value, "__doc__", None) or ""


def _run_prompts(code: str, name: str, line: int, namespace: dict[str, Any], outcome: Outcome) -> None:
    try:
        test = doctest.DocTestParser().get_doctest(code, {}, name, name, line)
    except ValueError as error:
        outcome.failures.append(f"{name}: {error}")
        return
    test.globs = namespace  # not the copy that DocTest makes: later blocks go on with it
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
    outcome.examples += result.attempted
    outcome.failures += ["".join(report)] if result.failed else []


def _run_plain(code: str, name: str, line: int, namespace: dict[str, Any], outcome: Outcome) -> None:
    outcome.examples += 1
    try:
        exec(compile("\n" * line + code, name, "exec"), namespace)
    except Exception:
        outcome.failures.append(traceback.format_exc())
