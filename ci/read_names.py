"""Read the names of other libraries from these libraries, and store them in ci/names/libraries.toml.

    python ci/read_names.py FOLDER_OF_JARS

The folder holds the jars of reactor-core, RxJava and reactive-streams, as Maven Central has them; their public methods
are listed by `javap`, which comes with a JDK. Those of reactivex are listed from the installed package. The names of
Reaqtive, whose library is for .NET, are kept as they stand in the file.
"""

import inspect
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from textwrap import fill

STORED = Path(__file__).resolve().parent / "names" / "libraries.toml"

JAVA = {
    "reactor": ("Reactor", "reactor-core", ("reactor.core.publisher.Flux", "reactor.core.publisher.Mono")),
    "rxjava": ("RxJava", "rxjava", ("io.reactivex.rxjava3.core.Flowable",)),
}
"""By the key of a library how pages call it, what its jar is called, and the classes whose public methods are read."""

HEAD = """\
# The public names of other libraries; ci/names/answers.toml and the docstrings of our operators say what they are here.
# Written by ci/read_names.py.
"""


def main(folder: str) -> None:
    stored = tomllib.loads(STORED.read_text(encoding="utf-8"))
    jars = sorted(Path(folder).glob("*.jar"))
    for key, (title, jar, classes) in JAVA.items():
        (path,) = [path for path in jars if re.fullmatch(rf"{jar}-([\d.]+)\.jar", path.name)]
        read = f"{jar} {path.stem.removeprefix(jar + '-')}, public methods of {' and '.join(map(_last, classes))}"
        stored[key] = {"title": title, "read": read, "names": java_names(jars, classes)}
    read = f"reactivex {version('reactivex')}, public names of `reactivex` and of `reactivex.operators`"
    stored["reactivex"] = {"title": "reactivex", "read": read, "names": reactivex_names()}
    STORED.write_text("\n".join([HEAD, *map(_table, stored, stored.values())]), encoding="utf-8")


def java_names(jars: list[Path], classes: tuple[str, ...]) -> list[str]:
    """Return the names of the public methods of classes."""
    command = ["javap", "-public", "-cp", ":".join(map(str, jars)), *classes]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r" (\w+)\(", listed)))


def reactivex_names() -> list[str]:
    """Return the functions of the package and of its operators, its classes, and the methods of an observable."""
    operators, package = import_module("reactivex.operators"), import_module("reactivex")
    names = {
        name
        for module in (operators, package)
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
    }
    names |= {name for name in package.__all__ if not inspect.ismodule(getattr(package, name))}
    return sorted(name for name in names | set(vars(package.Observable)) if not name.startswith("_"))


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _table(key: str, library: dict[str, object]) -> str:
    assert isinstance(library["names"], list)
    names = fill(" ".join(f'"{name}",' for name in library["names"]), 116, initial_indent="  ", subsequent_indent="  ")
    return f'[{key}]\ntitle = "{library["title"]}"\nread = "{library["read"]}"\nnames = [\n{names}\n]\n'


if __name__ == "__main__":
    main(*sys.argv[1:])
