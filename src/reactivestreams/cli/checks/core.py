"""Can every compiled module be imported, and is it a release build?"""

import sys
import sysconfig
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from reactivestreams.cli.checks.finding import DISTRIBUTION, Finding, Status

__all__ = ["check"]

REBUILD = f"pip install --force-reinstall --no-deps {DISTRIBUTION}; in a checkout: python setup.py build_ext --inplace"


def check() -> list[Finding]:
    """Import each compiled module; check the build profile and, on a free-threaded build, the GIL."""
    findings = [_modules()]
    if findings[0].status is Status.OK:
        findings.append(_profile())
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        findings.append(_gil())
    return findings


def _modules() -> Finding:
    names = _names()
    failures: list[str] = []
    for name in names:
        try:
            module = import_module(f"rs_core.{name}")
        except Exception as error:  # any error while loading is a finding
            failures.append(f"{name} ({error})")
            continue
        if not str(module.__file__).endswith(tuple(EXTENSION_SUFFIXES)):
            failures.append(f"{name} (not compiled)")
    if failures:
        return Finding("core", Status.PROBLEM, f"cannot be loaded: {'; '.join(failures)}", REBUILD)
    return Finding("core", Status.OK, f"{len(names)} compiled modules can be loaded")


def _names() -> list[str]:
    # A stub exists even if its module is missing; a module without Python names has no stub.
    folder = Path(import_module("rs_core").__file__ or "").parent
    compiled = [path for path in folder.rglob("*") if path.name.endswith(tuple(EXTENSION_SUFFIXES))]
    files = [path.relative_to(folder) for path in [*compiled, *folder.rglob("*.pyi")]]
    return sorted({".".join([*file.parent.parts, file.name.partition(".")[0]]) for file in files} - {"__init__"})


def _profile() -> Finding:
    profile = import_module("rs_core.build_profile").PROFILE
    if profile == "release":
        return Finding("build", Status.OK, "release profile")
    return Finding(
        "build",
        Status.WARNING,
        f"built with the profile {profile}, which is slow and meant for tests",
        "build again with RS_BUILD=release",
    )


def _gil() -> Finding:
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        return Finding(
            "gil",
            Status.WARNING,
            "the interpreter is free-threaded, but the GIL is on",
            "unset PYTHON_GIL, or find the module that turned it on with python -W error",
        )
    return Finding("gil", Status.OK, "off")
