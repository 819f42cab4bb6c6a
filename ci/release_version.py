"""Ends with status 1 unless a tag names the version in src/rs_core/version.py, and that is one to be released.

usage: python ci/release_version.py TAG
"""

import ast
import re
import sys
from pathlib import Path

VERSION = Path(__file__).resolve().parent.parent / "src" / "rs_core" / "version.py"


def version(source: str) -> str:
    """Return the version that a module assigns."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "__version__" for target in node.targets):
            return str(ast.literal_eval(node.value))
    raise SystemExit("version.py assigns no __version__")


def fault(tag: str, released: str) -> str:
    """Return why the tag does not release the version, or an empty text."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", released):
        return f"version {released} is none to be released; write one such as 0.1.0 or 0.2.0rc1 into {VERSION.name}"
    if tag != f"v{released}":
        return f"the tag {tag} is not v{released}, which {VERSION.name} says; tag the commit that sets the version"
    return ""


if __name__ == "__main__":
    if wrong := fault(sys.argv[1], version(VERSION.read_text(encoding="utf-8"))):
        raise SystemExit(wrong)
