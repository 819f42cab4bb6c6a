"""A home for Spark that consists of links, without Spark's copy of PySpark.

Spark puts `python/lib/pyspark.zip` of its home first on the path of every Python worker. Modules in a zip have no byte
code, so each worker would compile PySpark again. Without that file the workers import the PySpark that this process
imports. The executors of `local-cluster` can also write their `work` folders into a home of links.
"""

import atexit
import hashlib
import os
import shutil
import tempfile
import threading
from pathlib import Path

from reactivestreams.cache_folder import cache_folder

__all__ = ["LEFT_OUT", "linked_home", "real_home"]

LEFT_OUT = frozenset({"python", "work", "logs"})
"""Not linked: PySpark's copy, and the folders into which Spark writes."""

one_home: threading.Lock = threading.Lock()
own_homes: dict[Path, Path] = {}


def linked_home(master: str) -> Path | None:
    """Return the home of links to `real_home()` for a master on this machine; it is made where it is missing.

    Its path is the same in all processes, so that Java finds its class archive: the links are in the user's cache. A
    `local-cluster` writes into its home, so that it gets one of this process, which is removed when the process ends.

    Returns:
        The folder. None if there is no real home, or if this user may not make links, as on Windows without developer
        mode; Spark then runs from its real home.
    """
    real = real_home()
    if real is None:
        return None
    try:
        if not master.startswith("local-cluster"):
            return kept_home(real)
    except (OSError, RuntimeError):
        pass  # there is no cache, or it cannot be written
    try:
        return own_home(real)
    except OSError:
        return None


def kept_home(real: Path) -> Path:
    """Return the home of links in the user's cache. Its name depends on what it links to, so that homes never mix.

    Where it is made, homes are removed whose links lead nowhere any more.

    Raises:
        OSError: It cannot be made, or belongs to another user, who could replace its links.
        RuntimeError: The user has no cache.
    """
    described = "\n".join([str(real), *sorted(entry.name for entry in real.iterdir() if entry.name not in LEFT_OUT)])
    folder = cache_folder() / "spark"
    home = folder / hashlib.sha256(os.fsencode(described)).hexdigest()[:16]
    if not home.exists():
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        made = linked(real, folder)
        try:
            made.rename(home)
        except OSError:  # another process was faster
            shutil.rmtree(made, ignore_errors=True)
        for other in folder.iterdir():
            if (other / "jars").is_symlink() and not (other / "jars").exists():  # of a PySpark that is gone
                shutil.rmtree(other, ignore_errors=True)
    if hasattr(os, "getuid") and {folder.stat().st_uid, home.stat().st_uid} != {os.getuid()}:
        raise PermissionError(f"{home} belongs to another user")
    return home


def own_home(real: Path) -> Path:
    """Return the home of links of this process.

    Raises:
        OSError: It cannot be made.
    """
    with one_home:
        if real not in own_homes:
            own_homes[real] = made = linked(real, None)
            atexit.register(shutil.rmtree, made, ignore_errors=True)
        return own_homes[real]


def linked(real: Path, folder: Path | None) -> Path:
    """Make a new home of links in a folder; None is the system's folder for temporary files."""
    made = Path(tempfile.mkdtemp(prefix="reactivestreams-spark-home-", dir=folder))
    try:
        for entry in real.iterdir():
            if entry.name not in LEFT_OUT:
                (made / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())
    except OSError:
        shutil.rmtree(made, ignore_errors=True)
        raise
    return made


def real_home() -> Path | None:
    """Return the home of Spark that SPARK_HOME names, else the home of PySpark; None if it has no jars."""
    import pyspark

    package = Path(pyspark.__file__).resolve().parent
    named = os.environ.get("SPARK_HOME")
    # The package of pip is a home itself; in a distribution of Spark the package is in the home's folder `python`.
    places = [Path(named).resolve()] if named else [package, package.parent.parent]
    return next((place for place in places if (place / "jars").is_dir() and (place / "bin").is_dir()), None)
