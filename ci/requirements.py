"""Prints what the build and the named extras or dependency groups of pyproject.toml require, one requirement a line.

usage: python ci/requirements.py NAME...
"""

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(pyproject: dict[str, Any], names: list[str]) -> list[str]:
    """Return the requirements of the build and of the names, those that name other extras of ours resolved."""
    project = pyproject["project"]
    known = {**project["optional-dependencies"], **pyproject.get("dependency-groups", {})}
    ours = re.compile(rf"{re.escape(project['name'])}\[([^]]*)\]")
    wanted = set(pyproject["build-system"]["requires"]) | set(project["dependencies"])
    todo = list(names)
    while todo:
        name = todo.pop().strip()
        if name not in known:
            raise SystemExit(f"pyproject.toml has no extra or group {name!r}; it has {', '.join(sorted(known))}")
        for requirement in known[name]:
            if named := ours.fullmatch(requirement):
                todo += named[1].split(",")
            else:
                wanted.add(requirement)
    return sorted(wanted)


if __name__ == "__main__":
    print("\n".join(requirements(tomllib.loads(PYPROJECT.read_text(encoding="utf-8")), sys.argv[1:])))
