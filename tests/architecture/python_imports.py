"""Reads the imports of Python source, those inside functions and by name (`import_module("x")`) too."""

import ast
from dataclasses import dataclass

IMPORTERS = {"__import__", "import_module"}


@dataclass(frozen=True)
class Import:
    """A module that a line imports; `from a import b` counts as `a.b`, which may be a module or a name in one."""

    line: int
    module: str

    def is_of(self, package: str) -> bool:
        return self.module == package or self.module.startswith(f"{package}.")


def imports(source: str) -> list[Import]:
    """Return what the source imports, in the order of its lines."""
    found = []
    for node in ast.walk(ast.parse(source)):
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
