"""A concept stands in one place: no class is a base for the sake of one subclass, no module is there for one function.

Such a split says nothing of the concept: whoever reads one half needs the other. Two things are no splits: what users
derive from or import, which is in the `__all__` of a package; and a base whose docstring says that it is meant to be
subclassed, that is used by itself, since objects of it are made, or that a generator writes.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

import pytest

from tests.architecture.checkout import files, module_name, text
from tests.architecture.cython_source import code

_IMPORT = re.compile(r"^[ \t]*from[ \t]+(\S+)[ \t]+c?import[ \t]+(?:\(([^)]*)\)|([^\n]+))", re.MULTILINE)
_CLASS = re.compile(r"^[ \t]*(?:cdef[ \t]+)?class[ \t]+(\w+)(?:\(([^)]*)\))?:", re.MULTILINE)
_FUNCTION = re.compile(r"^(?:async )?c?p?def (?!(?:enum|class|struct|extern)\b)[^\n=]*?(\w+)\(", re.MULTILINE)
_VALUE = re.compile(r"\b(\w+)(?:\.__new__)?\(|=[ \t]*(\w+)[ \t]*$", re.MULTILINE)
_DOCSTRING = re.compile(r'\s*"""(.*?)"""', re.DOTALL)
_EXTENSION_POINT = "meant to be subclassed"
_GENERATED = "Written by ci/"


@dataclass
class Module:
    """What is known of a module, from all files that have its name.

    Attributes:
        names: What each imported name in it stands for, in full.
        classes: Its classes, each with the names of its bases.
        functions: Its functions.
        values: Names that it uses as values: which it calls, assigns or hands on.
        exported: The names in `__all__`.
        extension_points: Classes that say that they are one.
        texts: The strings in it, which may name a module.
    """

    names: dict[str, str] = field(default_factory=dict)
    classes: dict[str, set[str]] = field(default_factory=dict)
    functions: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    exported: set[str] = field(default_factory=set)
    extension_points: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)

    def read_python(self, source: str) -> None:
        """Take notice of a .py or .pyi file."""
        tree = ast.parse(source)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                self.names |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
            elif isinstance(node, ast.ClassDef):
                self.classes.setdefault(node.name, set()).update(_dotted(base) for base in node.bases)
                self._note_docstring(node.name, ast.get_docstring(node) or "")
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                self.texts.add(node.value)
        is_generated = _GENERATED in (ast.get_docstring(tree) or "")
        for statement in tree.body:
            if is_generated and isinstance(statement, ast.ClassDef):
                self.extension_points.add(statement.name)
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions.add(statement.name)
            elif isinstance(statement, ast.Assign) and _dotted(statement.targets[0]) == "__all__":
                self.exported |= set(ast.literal_eval(statement.value))
        self.values |= _values(tree)

    def read_cython(self, source: str) -> None:
        """Take notice of a .pyx or .pxd file."""
        stripped = code(source, header=False)
        for match in _IMPORT.finditer(stripped):
            for part in (match[2] or match[3]).split(","):
                if words := part.split():
                    self.names[words[-1]] = f"{match[1]}.{words[0]}"
        for match in _CLASS.finditer(source):
            bases = {base.strip() for base in (match[2] or "").split(",") if "=" not in base}
            self.classes.setdefault(match[1], set()).update(bases - {""})
            docstring = _DOCSTRING.match(source, match.end())
            self._note_docstring(match[1], docstring[1] if docstring else "")
        self.values |= {called or assigned for called, assigned in _VALUE.findall(_CLASS.sub("", stripped))}
        self.functions |= set(_FUNCTION.findall(stripped))
        self.texts |= set(re.findall(r"\"([^\"\n]*)\"", stripped))

    def _note_docstring(self, name: str, docstring: str) -> None:
        if _EXTENSION_POINT in " ".join(docstring.split()):
            self.extension_points.add(name)


def _dotted(node: ast.AST) -> str:
    """Return the name that an expression is, without what stands in brackets, or nothing."""
    if isinstance(node, ast.Subscript):
        return _dotted(node.value)
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""


def _values(node: ast.AST) -> set[str]:
    """Return the names that are used as values, thus not as bases, annotations or the class of something."""
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Attribute):  # of a class `X.method` is no use of X, but it may be that of a module
        return {_dotted(node)} if isinstance(node.value, ast.Name) else _values(node.value)
    if isinstance(node, ast.Call) and _dotted(node.func) in {"isinstance", "issubclass", "super"}:
        return _values(node.args[0]) if node.args else set()
    ignored = {"annotation", "returns", "bases"}
    found: set[str] = set()
    for name, child in ast.iter_fields(node):
        if name not in ignored:
            for each in child if isinstance(child, list) else [child]:
                found |= _values(each) if isinstance(each, ast.AST) else set()
    return found


class Tree:
    """All modules of a source tree.

    Args:
        sources: For each file the name of its module, its own, and what it holds.
    """

    def __init__(self, sources: Iterable[tuple[str, str, str]]) -> None:
        self.modules: dict[str, Module] = defaultdict(Module)
        self.packages: set[str] = set()
        for name, file, source in sources:
            module = self.modules[name]
            if file.endswith((".py", ".pyi")):
                module.read_python(source)
            else:
                module.read_cython(source)
            if file.startswith("__init__."):
                self.packages.add(name)

    def full(self, module: str, name: str, depth: int = 0) -> str:
        """Return where what a name in a module stands for is defined."""
        known = self.modules[module]
        first, dot, rest = name.partition(".")
        if name in known.classes or name in known.functions:
            return f"{module}.{name}"
        target = f"{known.names.get(first, f'{module}.{first}')}{dot}{rest}"
        owner, _, last = target.rpartition(".")
        if owner in self.modules and owner != module and depth < len(self.modules):
            return self.full(owner, last, depth + 1)
        return target

    def public(self) -> set[str]:
        """Return what users import from a package."""
        return {self.full(package, name) for package in self.packages for name in self.modules[package].exported}

    def lonely_bases(self) -> dict[str, str]:
        """Return each class that is a base of one class alone, and no more than that, with this one."""
        subclasses: dict[str, set[str]] = defaultdict(set)
        used = self.public()
        for name, module in list(self.modules.items()):
            used |= {self.full(name, value) for value in module.values}
            used |= {f"{name}.{point}" for point in module.extension_points}
            for subclass, bases in module.classes.items():
                for base in bases:
                    subclasses[self.full(name, base)].add(f"{name}.{subclass}")
        ours = {f"{name}.{cls}" for name, module in list(self.modules.items()) for cls in module.classes}
        return {
            base: children.pop()
            for base, children in sorted(subclasses.items())
            if base in ours and len(children) == 1 and base not in used
        }

    def lonely_functions(self) -> dict[str, str]:
        """Return each module of one function that one other module calls, with this one."""
        users: dict[str, set[str]] = defaultdict(set)
        for name, module in list(self.modules.items()):
            for target in {*module.names.values(), *module.texts}:
                users[target].add(name)
                users[target.rpartition(".")[0]].add(name)
        public = self.public()
        found = {}
        for name, module in sorted(self.modules.items()):
            callers = users[name] - {name}
            if len(module.functions) == 1 and not module.classes and len(callers) == 1:
                (function,) = module.functions
                if f"{name}.{function}" not in public:
                    found[name] = callers.pop()
        return found


@cache
def checkout() -> Tree:
    """Return the modules of both packages."""
    paths = [
        path
        for path in files("src", suffixes=(".py", ".pyi", ".pyx", ".pxd"))
        if path.suffix != ".pyi" or path.stem == "__init__"  # other stubs say again what stands beside them
    ]
    return Tree([(module_name(path), path.name, text(path)) for path in paths])


def test_no_class_is_a_base_for_one_subclass() -> None:
    """Join the two, or say in the docstring of the base that it is meant to be subclassed, if it is."""
    assert checkout().lonely_bases() == {}


def test_no_module_is_there_for_one_function_of_one_caller() -> None:
    """Put the function where it is called."""
    assert checkout().lonely_functions() == {}


Source = tuple[str, str, str]

BASE = ("ours.base", "base.py", "class Base: ...")
CHILD = ("ours.child", "child.py", "from ours.base import Base\nclass Child(Base): ...")


def child(source: str, file: str = "child.py") -> Source:
    return "ours.child", file, source


def other(source: str, file: str = "other.py") -> Source:
    return "ours.other", file, f"from ours.base import Base\n{source}"


@pytest.mark.parametrize(
    "sources",
    [
        [BASE, CHILD],
        [BASE, child("from ours import base\nclass Child(base.Base): ...")],
        [BASE, child("from ours.base import Base as B\nclass Child(B[int]): ...")],
        [BASE, CHILD, other("def f(x: Base) -> Base:\n    return Base.run(x)")],
        [BASE, CHILD, other("assert isinstance(f(), Base)")],
        [
            ("ours.base", "base.pxd", "cdef class Base:\n    cdef int n"),
            child("from ours.base cimport (\n    Base,\n)\ncdef class Child(Base):\n    pass", "child.pyx"),
        ],
        [
            ("ours.base", "base.pyx", "cdef class Base:\n    cdef Base other"),
            child("from ours.base cimport Base\ncdef class Child(Base):\n    cdef Base base", "child.pyx"),
        ],
    ],
)
def test_base_of_one_subclass_is_found(sources: list[Source]) -> None:
    assert Tree(sources).lonely_bases() == {"ours.base.Base": "ours.child.Child"}


@pytest.mark.parametrize(
    "sources",
    [
        [BASE, CHILD, other("class Other(Base): ...")],
        [BASE, CHILD, other("cdef class Other(Base):\n    pass", "other.pyx")],
        [BASE, CHILD, other("base = Base()")],
        [BASE, CHILD, other("kind = Base")],
        [BASE, CHILD, other("type('Other', (Base,), {})")],
        [BASE, CHILD, other("def f():\n    return Base.__new__(Base)", "other.pyx")],
        [BASE, CHILD, ("ours", "__init__.py", "from ours.base import Base\n__all__ = ['Base']")],
        [BASE, CHILD, ("ours", "__init__.pyi", "from ours.base import Base\n__all__ = ['Base']")],
        [("ours.base", "base.py", 'class Base:\n    """A base; meant to be\n    subclassed."""'), CHILD],
        [("ours.base", "base.pyx", 'cdef class Base:\n    """A base; meant to be subclassed."""'), CHILD],
        [("ours.base", "base.py", '"""Methods.\n\nWritten by ci/write.py; change that."""\nclass Base: ...'), CHILD],
        [child("class Child(Exception): ...")],
    ],
)
def test_base_that_is_more_is_not_found(sources: list[Source]) -> None:
    assert Tree(sources).lonely_bases() == {}


FUNCTION = ("ours.work", "work.py", "LIMIT = 3\n\n\ndef work(): ...")
CALLER = ("ours.caller", "caller.py", "from ours.work import work\nwork()")


@pytest.mark.parametrize(
    "sources",
    [
        [FUNCTION, CALLER],
        [FUNCTION, ("ours.caller", "caller.py", "from ours import work\nwork.work()")],
        [FUNCTION, ("ours.caller", "caller.py", "def f():\n    import_module('ours.work').work()")],
        [("ours.work", "work.pyx", "cdef int work(int n) except -1:\n    return n"), CALLER],
    ],
)
def test_function_of_one_caller_is_found(sources: list[Source]) -> None:
    assert Tree(sources).lonely_functions() == {"ours.work": "ours.caller"}


@pytest.mark.parametrize(
    "sources",
    [
        [FUNCTION, CALLER, ("ours.other", "other.py", "from ours.work import work")],
        [FUNCTION, ("ours", "__init__.py", "from ours.work import work\n__all__ = ['work']")],
        [("ours.work", "work.py", "def work(): ...\n\n\ndef _part(): ..."), CALLER],
        [("ours.work", "work.py", "def work(): ...\n\n\nclass Kind: ..."), CALLER],
        [FUNCTION],
    ],
)
def test_function_that_is_used_more_is_not_found(sources: list[Source]) -> None:
    assert Tree(sources).lonely_functions() == {}
