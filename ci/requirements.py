"""Prints what the build and the named extras require, one requirement a line, as pyproject.toml has it.

usage: python ci/requirements.py EXTRA...
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(pyproject: dict[str, Any], extras: list[str]) -> list[str]:
    """Return the requirements of the build and of the extras, those that name other extras of ours resolved."""
    project = pyproject["project"]
    known = project["optional-dependencies"]
    ours = re.compile(rf"{re.escape(project['name'])}\[([^]]*)\]")
    wanted = set(pyproject["build-system"]["requires"]) | set(project["dependencies"])
    todo = list(extras)
    while todo:
        extra = todo.pop().strip()
        if extra not in known:
            raise SystemExit(f"pyproject.toml has no extra {extra!r}; it has {', '.join(sorted(known))}")
        for requirement in known[extra]:
            if named := ours.fullmatch(requirement):
                todo += named[1].split(",")
            else:
                wanted.add(requirement)
    return sorted(wanted)


if __name__ == "__main__":
    print("\n".join(requirements(tomllib.loads(PYPROJECT.read_text(encoding="utf-8")), sys.argv[1:])))
