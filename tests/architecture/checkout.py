"""The files of the checkout, as the architecture tests see them."""

import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"

NOT_OURS = {"__pycache__", "_build", "build", "dist"}


def files(*folders: str, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the files under the folders, named from the root, that end with one of the suffixes."""
    return sorted(path for folder in folders for path in _walk(ROOT / folder) if path.name.endswith(suffixes))


def _walk(folder: Path) -> Iterator[Path]:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.is_dir() and path.name not in NOT_OURS and not path.name.endswith(".egg-info"):
            yield from _walk(path)
        elif path.is_file():
            yield path


def script(name: str) -> ModuleType:
    """Return a module of `ci`; they import one another by their bare names."""
    sys.path.insert(0, str(ROOT / "ci"))
    try:
        return import_module(name)
    finally:
        sys.path.remove(str(ROOT / "ci"))


def shown(path: Path) -> str:
    """Return the path as messages show it: from the root, with forward slashes."""
    return path.relative_to(ROOT).as_posix()


def module_name(path: Path) -> str:
    """Return the dotted name under which a file in src is imported."""
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def text(path: Path) -> str:
    """Return what the file holds."""
    return path.read_text(encoding="utf-8")


def faults(paths: Iterable[Path], judge: Callable[[Path], list[str]]) -> dict[str, list[str]]:
    """Return what is wrong with each of the files, of those with which something is."""
    return {shown(path): messages for path in paths if (messages := judge(path))}
