"""Reads the imports of Python source, those inside functions and by name (`import_module("x")`) too."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

IMPORTERS = {"__import__", "import_module"}


@dataclass(frozen=True)
class Import:
    """A module that a line imports; `from a import b` counts as `a.b`, which may be a module or a name in one."""

    line: int
    module: str

    def is_of(self, package: str) -> bool:
        return self.module == package or self.module.startswith(f"{package}.")


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, but for what only type checkers read."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test) == "TYPE_CHECKING":
        children: list[ast.AST] = [*tree.orelse]
    else:
        yield tree
        children = list(ast.iter_child_nodes(tree))
    for child in children:
        yield from _walk(child)


def imports(source: str) -> list[Import]:
    """Return what the source imports when it runs, in the order of its lines."""
    found = []
    for node in _walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [Import(node.lineno, name.name) for name in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [Import(node.lineno, f"{'.' * node.level}{node.module or ''}.{name.name}") for name in node.names]
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
            argument = node.args[0]
            if called in IMPORTERS and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                found.append(Import(node.lineno, argument.value))
    return sorted(found, key=lambda entry: (entry.line, entry.module))
