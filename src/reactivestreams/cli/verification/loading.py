"""Finds the object for the text of a subject, such as `module:name` or `path/to/file.py:name`."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from reactivestreams.cli.usage_error import UsageError

__all__ = ["Loaded", "load"]


class Loaded(NamedTuple):
    """The object that a text names.

    Attributes:
        module: The module.
        place: The text of the module, without the name.
        name: The name in the module, dotted if it has several parts, or empty.
        value: The named object; the module itself if there is no name.
    """

    module: ModuleType
    place: str
    name: str
    value: Any


def load(text: str) -> Loaded:
    """Import a module and look a name up in it.

    Args:
        text: `module`, `module:name`, `path/to/file.py` or `path/to/file.py:name`; the name may have dots.

    Raises:
        UsageError: There is no such module, file or name, or importing it fails.
    """
    place, name = _parts(text)
    module = _from_file(Path(place)) if place.endswith(".py") else _from_path(place)
    value: Any = module
    for part in filter(None, name.split(".")):
        try:
            value = getattr(value, part)
        except AttributeError:
            raise UsageError(f"{place} has no {name}; {_what_there_is(module)}") from None
    return Loaded(module, place, name, value)


def _parts(text: str) -> tuple[str, str]:
    if text.endswith(".py"):  # the colon after a drive letter separates no name
        return text, ""
    place, colon, name = text.rpartition(":")
    if not colon:
        return text, ""
    if not place or not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(f"{text!r} is not a subject; give module:name, or path/to/file.py:name")
    return place, name


def _from_path(name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise UsageError(f"{name!r} is not a name in a module; give module:name, or path/to/file.py:name")
    _search_in(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise UsageError(
                f"there is no module {error.name!r}; run the command where it can be imported, or give "
                f"path/to/file.py:name"
            ) from error
        raise UsageError(_failed(name, error)) from error
    except Exception as error:
        raise UsageError(_failed(name, error)) from error


def _from_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise UsageError(f"there is no file {path}; give path/to/file.py:name, or module:name")
    _search_in(path.resolve().parent)
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_of_tck"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be imported; give a file of Python code")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise UsageError(_failed(str(path), error)) from error
    return module


def _search_in(folder: Path) -> None:
    """Let modules of a folder be imported, like in an interpreter that is started there."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _failed(place: str, error: Exception) -> str:
    return f"importing {place} raised {type(error).__name__}: {error}; --debug shows where"


def _what_there_is(module: ModuleType) -> str:
    names = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", None) == module.__name__
    ]
    return f"it has {', '.join(names[:8])}" if names else "it defines nothing that can be called"
