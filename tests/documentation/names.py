"""Finds the names in the running text of a page, and tells which of them lead to nothing."""

import ast
import builtins
import importlib
import importlib.util
import inspect
import keyword
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"

_FENCE = re.compile(r"^([ \t>]*)(```+|~~~+)[^\n]*\n(.*?)^\1\2[ \t]*$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_CHAIN = re.compile(r"(?:await )?([A-Za-z_]\w*(?:(?:\(\))?\.[A-Za-z_]\w*)*)(?:\((.*)\)|( ?=).*)?", re.DOTALL)
_PARAMETER = re.compile(r"(?<![\w.])(\w+)=(?!=)")
_ROW = re.compile(r"^\|(.*)\|$", re.MULTILINE)

_STAND_FOR = {"Stream": "reactivestreams.Stream", "spark": "reactivestreams.spark", "pc": "pyarrow.compute"}
"""What the first name of a chain stands for on all pages."""

_FOREIGN = {
    "C++ and Cython": "freethreading_compatible relaxed seq_cst",
    "Delta Lake": "txnAppId txnVersion",
    "GitHub": "latency",
    "Hadoop": "HADOOP_CONF_DIR",
    "Java": "IncompatibleClassChangeError NoSuchMethodError",
    "multiprocessing": "forkserver",
    "Reactor and RxJava": "Flowable Flux MissingBackpressure Mono Observable Single",
    "Spark": (
        "MapInArrow spark.driver.blockManager.port spark.driver.port spark.sql.execution.arrow.maxRecordsPerBatch "
        "spark.sql.streaming.stateStore.rocksdb.boundedMemoryUsage spark.stage.maxConsecutiveAttempts "
        "spark.task.maxFailures"
    ),
    "rsocket": "StreamFromAsyncGenerator StreamFromGenerator _generator rsocket",
}
"""Names of others that cannot be looked up; those of Reactor, RxJava and reactivex have columns besides."""

_IMPORTED = {
    "datetime": "timedelta",
    "enum.Enum": "_missing_",
    "enum": "IntFlag",
    "os": "fork fsync",
    "pyspark.errors": "PythonException",
    "pyspark.sql": "GroupedData",
    "pyspark.sql.DataFrame": "mapInArrow persist toLocalIterator withWatermark writeStream",
    "pyspark.sql.functions": "session_window",
    "pyspark.sql.GroupedData": "applyInPandas transformWithState",
    "pyspark.sql.streaming.DataStreamWriter": "foreachBatch format",
    "pyspark.sql.SparkSession": "addArtifacts",
}
"""Names of the standard library and of Spark, by what has them; looked up where that is installed."""

_OTHERS = ("Reaqtive", "Reactor", "RxJava", "reactivex", "another library")
"""Columns with these headings hold names of another library."""


def unresolved(page: str) -> list[str]:
    """Return the names in backticks on a page that are none of ours, its examples', Python's or a neighbor's."""
    shown = {word for fence in _FENCE.finditer(page) for word in _WORD.findall(fence[3])}
    text = _without_foreign_cells(_FENCE.sub("", page))
    return [span for span in dict.fromkeys(_SPAN.findall(text)) if not _is_resolved(span, shown)]


def _without_foreign_cells(text: str) -> str:
    foreign: set[int] = set()

    def kept(row: re.Match[str]) -> str:
        nonlocal foreign
        cells = re.split(r"(?<!\\)\|", row[1])
        if {cell.strip() for cell in cells} & set(_OTHERS):
            foreign = {index for index, cell in enumerate(cells) if cell.strip() in _OTHERS}
        return "|".join(cell for index, cell in enumerate(cells) if index not in foreign)

    blocks = []
    for block in text.split("\n\n"):
        foreign = set()
        blocks.append(_ROW.sub(kept, block))
    return "\n\n".join(blocks)


def _is_resolved(span: str, shown: set[str]) -> bool:
    found = _CHAIN.fullmatch(" ".join(span.split()))
    if found is None or len(span) == 1 or span in _constants() | _foreign() or _is_file(span):
        return True  # an expression, a path, a command, a text that the sources hold: no name
    first, *others = found[1].replace("()", "").split(".")
    known = _vocabulary() | _foreign() | shown
    target = _target(first)
    if target is None:
        return {first, *others} <= known or _is_importable(".".join([first, *others]))
    for index, name in enumerate(others):
        try:
            target = getattr(target, name)
        except AttributeError:
            try:
                target = importlib.import_module(f"{target.__name__}.{name}")
            except (AttributeError, ImportError):
                # An attribute of instances, which the class does not have.
                return index == len(others) - 1 and inspect.isclass(target) and name in _assigned(target)
    return not (found[2] and callable(target)) or _takes(target, _PARAMETER.findall(found[2]))


def _is_file(span: str) -> bool:
    """Tell whether a span is the name of a file of the sources, or of a module of the core that only C can import."""
    path = span.replace(".", "/")
    name = span if Path(span).suffix in {".pxd", ".h", ".py"} else ""
    return bool(name and [*SOURCES.rglob(name)]) or any((SOURCES / f"{path}{end}").exists() for end in (".pyx", ".pxd"))


@cache
def _foreign() -> frozenset[str]:
    """Return the names of others; of those that can be looked up, those that are there."""
    listed = {name for names in _FOREIGN.values() for name in names.split()}
    for owner, names in _IMPORTED.items():
        installed = importlib.util.find_spec(owner.split(".")[0]) is not None
        listed |= {name for name in names.split() if not installed or _is_importable(f"{owner}.{name}")}
    return frozenset(listed)


def _target(first: str) -> Any:
    """Return what the first name of a chain stands for: a package or class of ours; None for every other."""
    path = _STAND_FOR.get(first, first)
    if path.split(".")[0] in {"reactivestreams", "rs_core"}:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name) if module and name[0].isupper() else _imported(path)
    modules = _classes().get(first, [])
    return next((found for module in modules if (found := getattr(_imported(module), first, None))), None)


def _imported(module: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:  # of what an extra brings
        return None


def _takes(function: Any, names: list[str]) -> bool:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return True  # of C, without a signature
    return set(names) <= set(parameters) or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _is_importable(path: str) -> bool:
    """Tell whether a path leads to something of the standard library or of a package that is installed."""
    parts = path.split(".")
    if not importlib.util.find_spec(parts[0]):
        return False
    target: Any = importlib.import_module(parts[0])
    for name in parts[1:]:
        if not hasattr(target, name):
            try:
                importlib.import_module(f"{target.__name__}.{name}")
            except (AttributeError, ImportError):
                return False
        target = getattr(target, name)
    return True


@cache
def _vocabulary() -> frozenset[str]:
    """Return every name that the sources define, with those of Python."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {*dir(builtins), *keyword.kwlist, *sys.stdlib_module_names, *_classes()}
    names |= {*project["optional-dependencies"], *_constants()}
    for path in [*SOURCES.rglob("*"), *(ROOT / "examples").rglob("*.py")]:
        names |= set(path.relative_to(ROOT).with_suffix("").parts)
        if path.suffix in {".py", ".pyi"}:
            names |= _said_in(path).names
        elif path.suffix in {".pxd", ".h"}:
            code = re.sub(
                r'""".*?"""|/\*.*?\*/|//[^\n]*|#(?!define)[^\n]*', "", path.read_text("utf-8"), flags=re.DOTALL
            )
            names |= set(_WORD.findall(code))
        elif path.suffix == ".pyx":
            names |= set(
                re.findall(
                    r"^\s*(?:cdef|cpdef|def|class)\b[^\n(=]*?(\w+)\s*[(:=]", path.read_text("utf-8"), re.MULTILINE
                )
            )
    return frozenset(names)


@cache
def _constants() -> frozenset[str]:
    """Return the texts that the sources hold: a policy, a mode, a setting of Spark, the name of a file."""
    found = {text for path in SOURCES.rglob("*.pyx") for text in re.findall(r'"([^"\n]+)"', path.read_text("utf-8"))}
    for path in [*SOURCES.rglob("*.py"), *(ROOT / "bench").rglob("*.py")]:
        found |= _said_in(path).texts
    return frozenset(found)


@cache
def _classes() -> dict[str, list[str]]:
    """Return the modules of our classes, by name."""
    found: dict[str, list[str]] = {}
    for path in SOURCES.rglob("*.py*"):
        if path.suffix in {".py", ".pyi"}:
            module = path.relative_to(SOURCES).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
            for name in _said_in(path).classes:
                found.setdefault(name, []).append(module)
    return found


@dataclass(frozen=True)
class _Said:
    """What a module says: the names that it defines or assigns, its texts, and its classes."""

    names: frozenset[str]
    texts: frozenset[str]
    classes: tuple[str, ...]


@cache
def _said_in(path: Path) -> _Said:
    """Return what a module says; its tree is let go, since each collection of garbage would have to pass through it."""
    nodes = [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    constants = (node.value for node in nodes if isinstance(node, ast.Constant))
    return _Said(
        frozenset(_names_of(nodes)),
        frozenset(value for value in constants if isinstance(value, str)),
        tuple(node.name for node in nodes if isinstance(node, ast.ClassDef)),
    )


def _names_of(nodes: list[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def _assigned(kind: type) -> set[str]:
    """Return the names that the module of a class assigns or declares."""
    path = SOURCES / f"{kind.__module__.replace('.', '/')}.py"
    return set(_said_in(path if path.exists() else path.with_suffix(".pyi")).names)
