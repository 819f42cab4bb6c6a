"""The folder in which what can be made again is kept for the next run."""

import os
import sys
from pathlib import Path

__all__ = ["CACHE_VARIABLE", "cache_folder"]

CACHE_VARIABLE = "REACTIVESTREAMS_CACHE"
"""The environment variable that names another folder."""


def cache_folder() -> Path:
    """Return the folder; it need not exist.

    That is `$REACTIVESTREAMS_CACHE`, else the folder `reactivestreams` in the user's cache folder of this system:
    `~/Library/Caches` on macOS, `%LOCALAPPDATA%` on Windows, elsewhere `$XDG_CACHE_HOME` or `~/.cache`.

    Raises:
        RuntimeError: No variable names a folder, and the user has no home.
    """
    if named := os.environ.get(CACHE_VARIABLE):
        return Path(named)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "reactivestreams"
    parent = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    # The XDG base directory specification: a relative path must be ignored.
    return (Path(parent) if os.path.isabs(parent) else Path.home() / ".cache") / "reactivestreams"
