"""Write the stub of each package whose names are loaded when they are first used, from the table in its `__init__.py`.

    python ci/generate_package_stubs.py [--check]

With `--check` nothing is written: the packages whose stub is not as their table says are listed, and the status is 1.
"""

import ast
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "src"
LINE = 120


class TableError(ValueError):
    """A table of names that no stub can be written from."""


def packages(sources: Path = SOURCES) -> list[Path]:
    """Return the `__init__.py` of each package with a table."""
    return [path for path in sorted(sources.rglob("__init__.py")) if "lazy_names(" in path.read_text(encoding="utf-8")]


def table(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the names that a package loads when they are first used, by the modules that define them.

    Raises:
        TableError: It is written so that it cannot be read, has a name twice, or that of a module of the package.
    """
    try:
        modules: dict[str, tuple[str, ...]] = ast.literal_eval(_call(path).args[1])
    except (IndexError, ValueError) as error:
        raise TableError(
            f"{path}: lazy_names(__name__, table) needs a table of literals, got {ast.unparse(_call(path))!r:.200}; "
            "write it out"
        ) from error
    beside = {entry.name.partition(".")[0] for entry in path.parent.iterdir()}
    seen: set[str] = set()
    for module, names in modules.items():
        for name in names:
            if name in seen:
                raise TableError(f"{path}: {name!r} stands twice in the table; keep the module that defines it")
            if name in beside:
                raise TableError(
                    f"{path}: {name!r} of {module} is a module of this package too, and importing that puts the module "
                    "in the place of the name; rename the module"
                )
            seen.add(name)
    return modules


def _call(path: Path) -> ast.Call:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy_names":
            return node
    raise TableError(f"{path} does not call lazy_names(); call it with the table")


def stub(path: Path) -> str:
    """Return the stub of a package."""
    modules = table(path)
    names = [name for names in modules.values() for name in names]
    parts = [_import(module, modules[module]) for module in sorted(modules)]
    parts += ["", *_list("__all__ = [", sorted(names, key=place), "]")]
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            node.body = [ast.Expr(ast.Constant(...))]
            parts += ["", ast.unparse(node).replace(":\n    ...", ": ...")]
    return "\n".join(parts) + "\n"


def _import(module: str, names: tuple[str, ...]) -> str:
    ordered = sorted(names, key=place)
    line = f"from {module} import {', '.join(ordered)}"
    if len(line) <= LINE:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in ordered), ")"])


def _list(start: str, names: list[str], end: str) -> list[str]:
    quoted = [f'"{name}"' for name in names]
    line = f"{start}{', '.join(quoted)}{end}"
    return [line] if len(line) <= LINE else [start, *(f"    {name}," for name in quoted), end]


def place(name: str) -> tuple[int, str]:
    """Return where a name stands among others, as the formatter sorts them: constants, classes, the rest."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


def main(arguments: list[str], sources: Path = SOURCES) -> int:
    stale = 0
    for path in packages(sources):
        written, expected = path.with_suffix(".pyi"), stub(path)
        if written.exists() and written.read_text(encoding="utf-8") == expected:
            continue
        stale += 1
        if "--check" in arguments:
            print(f"{written}: not as the table in __init__.py says; run python ci/generate_package_stubs.py")
        else:
            written.write_text(expected, encoding="utf-8")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
