"""Is the installed package complete, and not partly replaced by another distribution?

Another distribution, `rsocket`, also contains a package `reactivestreams`. The files of the distribution that was
installed last replace those of the other, and uninstalling one removes the files that both have. Our modules of the
same names serve its users too, so the repair is to install this distribution again, last.
"""

import base64
import csv
import hashlib
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module, metadata
from pathlib import Path

from reactivestreams.cli.checks.finding import DISTRIBUTION, Finding, Status

__all__ = ["check"]

PACKAGES = ("reactivestreams", "rs_core")
SHARED_MODULES = {"publisher": "Publisher", "subscriber": "Subscriber", "subscription": "Subscription"}
NAMES_SHOWN = 5


def check() -> list[Finding]:
    """Check the location of the packages, the origin of their files, and other distributions that own some of them."""
    return [_location(), _modules(), _files(), _neighbours()]


def repair() -> str:
    """Return the command that restores all files of the installed version of this distribution."""
    python = shlex.quote(sys.executable) if os.name == "posix" else subprocess.list2cmdline([sys.executable])
    try:
        wanted = f"{DISTRIBUTION}=={metadata.version(DISTRIBUTION)}"
    except metadata.PackageNotFoundError:
        wanted = DISTRIBUTION
    return f"{python} -m pip install --force-reinstall --no-deps {wanted}"


def _location() -> Finding:
    ours = Path(__file__).resolve().parents[3]
    core = Path(import_module("rs_core").__file__ or "").resolve().parents[1]
    if core == ours:
        return Finding("location", Status.OK, str(ours))
    return Finding(
        "location",
        Status.WARNING,
        f"reactivestreams is loaded from {ours}, rs_core from {core}",
        "remove one of the two from the module search path, so that both come from one installation",
    )


def _modules() -> Finding:
    foreign = [name for name, cls in SHARED_MODULES.items() if not _is_ours(name, cls)]
    if getattr(import_module("reactivestreams"), "__version__", None) is None:
        foreign.insert(0, "__init__")
    if not foreign:
        return Finding("modules", Status.OK, "the modules of reactivestreams are ours")
    listed = ", ".join(_described(f"reactivestreams/{name}.py") for name in foreign)
    return Finding("modules", Status.PROBLEM, f"missing or not ours: {listed}", repair())


def _described(name: str) -> str:
    """Return the name of a file with its current owner, if that can be determined."""
    path = Path(__file__).resolve().parents[3] / name
    if not path.is_file():
        return f"{name} (missing)"
    for other in _others():
        distribution = metadata.distribution(other)
        for recorded, digest, _ in csv.reader((distribution.read_text("RECORD") or "").splitlines()):
            if recorded == name and digest and digest == _digest(path, digest.partition("=")[0]):
                return f"{name} (that of {other} {distribution.version})"
    return f"{name} (of unknown origin)"


def _is_ours(name: str, cls: str) -> bool:
    try:
        shared = import_module(f"reactivestreams.{name}")
    except ImportError:
        return False
    return getattr(shared, cls, None) is getattr(import_module("reactivestreams.spec"), cls)


def _files() -> Finding:
    try:
        distribution = metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        return Finding("files", Status.OK, f"{DISTRIBUTION} is not installed; it runs from its source folder")
    here = Path(__file__).resolve()
    if Path(str(distribution.locate_file("reactivestreams/cli/checks/installation.py"))).resolve() != here:
        return Finding("files", Status.OK, f"{DISTRIBUTION} {distribution.version}, running from elsewhere")
    damaged = list(_damaged(distribution))
    if not damaged:
        return Finding("files", Status.OK, f"{DISTRIBUTION} {distribution.version}, all files as installed")
    listed = ", ".join(damaged[:NAMES_SHOWN]) + (" ..." if len(damaged) > NAMES_SHOWN else "")
    return Finding("files", Status.PROBLEM, f"changed or missing since installation: {listed}", repair())


def _damaged(distribution: metadata.Distribution) -> Iterator[str]:
    # The record is read directly, because Distribution.files leaves out missing files.
    for name, digest, _ in csv.reader((distribution.read_text("RECORD") or "").splitlines()):
        if name.partition("/")[0] not in PACKAGES or not digest:
            continue
        path = Path(str(distribution.locate_file(name)))
        if not path.is_file() or digest != _digest(path, digest.partition("=")[0]):
            yield name


def _digest(path: Path, algorithm: str) -> str:
    digest = hashlib.new(algorithm, path.read_bytes()).digest()
    return f"{algorithm}={base64.urlsafe_b64encode(digest).rstrip(b'=').decode('ascii')}"


def _neighbours() -> Finding:
    others = _others()
    if not others:
        return Finding("neighbours", Status.OK, "no other distribution has a package reactivestreams")
    return Finding(
        "neighbours",
        Status.WARNING,
        f"{', '.join(others)} also contains a package reactivestreams: installing or removing it damages this one",
        f"after each change to it: {repair()} (it works with our modules; if you do not need it, uninstall it first)",
    )


def _others() -> list[str]:
    owners = {name for package in PACKAGES for name in metadata.packages_distributions().get(package, ())}
    return sorted(owners - {DISTRIBUTION})
