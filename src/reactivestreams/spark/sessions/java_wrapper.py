"""A Java home whose `bin/java` drops one argument, for runtimes without the incubating vector module.

Spark's launcher always passes `--add-modules=jdk.incubator.vector`. A runtime that lacks the module then does not
start, although Spark works without it. The wrapper is a home with a POSIX shell script that starts the real program.
"""

import atexit
import hashlib
import os
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from reactivestreams.spark.storage.atomic_write import atomic_write

__all__ = ["DROPPED_ARGUMENT", "wrapper_homes", "write_wrapper"]

DROPPED_ARGUMENT = "--add-modules=jdk.incubator.vector"

# The arguments are rotated once through "$@", which preserves spaces and quotes without arrays.
SCRIPT = """\
#!/bin/sh
for argument do
  shift
  case $argument in
    {dropped}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {java} "$@"
"""


def wrapper_script(real_home: Path) -> str:
    """Return the text of the script that starts `real_home/bin/java`."""
    return SCRIPT.format(dropped=DROPPED_ARGUMENT, java=shlex.quote(str(real_home / "bin" / "java")))


def wrapper_homes(real_home: Path) -> list[Path]:
    """Return the possible folders of a home's wrapper, best first: the user's cache folder, a private temporary folder.

    The name of the folder in the cache depends on the script's content, so that homes and versions never mix.
    """
    digest = hashlib.sha256(os.fsencode(wrapper_script(real_home))).hexdigest()[:16]
    return [folder / digest for folder in (*cache_folders(), private_temporary_folder())]


def cache_folders() -> list[Path]:
    """Return the folder for wrappers in the user's cache; empty if the user has no home."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    try:
        if sys.platform == "darwin":
            cache = Path.home() / "Library" / "Caches"
        else:
            # The XDG base directory specification: a relative path must be ignored.
            cache = Path(named) if os.path.isabs(named) else Path.home() / ".cache"
    except RuntimeError:
        return []
    return [cache / "reactivestreams" / "java"]


def private_temporary_folder() -> Path:
    """Return the path of this process's folder for wrappers; only `write_wrapper` makes it."""
    return Path(tempfile.gettempdir()) / f"reactivestreams-java-{os.getuid()}-{os.getpid()}"


def write_wrapper(real_home: Path, wrapper_home: Path) -> None:
    """Make `wrapper_home/bin/java`. Several processes may do so at the same time.

    Raises:
        OSError: The folder cannot be made or written, or belongs to another user.
    """
    script = os.fsencode(wrapper_script(real_home))
    folder = wrapper_home / "bin"
    if wrapper_home.parent == private_temporary_folder() and not wrapper_home.parent.exists():
        wrapper_home.parent.mkdir(mode=0o700)
        # A running JVM does not need the wrapper any more: the script is read before exec replaces the shell.
        atexit.register(shutil.rmtree, wrapper_home.parent, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    # The owner of any of these folders could replace the script.
    for place in (wrapper_home.parent, wrapper_home, folder):
        if place.stat().st_uid != os.getuid():
            raise PermissionError(f"{place} belongs to another user")
    target = folder / "java"
    if target.is_file() and target.read_bytes() == script and os.access(target, os.X_OK):
        return
    # Two processes that do this at the same time write the same content.
    atomic_write(target, script, mode=0o700)
