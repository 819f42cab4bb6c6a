"""The command `version`: show the installed version, its build and its platform."""

import argparse
import platform
import sys
import sysconfig
from importlib import import_module
from typing import Any

from reactivestreams.cli.exit_status import ExitStatus
from reactivestreams.cli.output import Output, print_json
from reactivestreams.cli.subparsers import Subparsers
from rs_core.version import __version__

__all__ = ["describe", "register", "run"]


def register(subparsers: Subparsers) -> None:
    """Add the parser of this command."""
    parser = subparsers.add_parser(
        "version", help="show versions", description="Show the versions of the project, its core and the interpreter."
    )
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def run(args: argparse.Namespace) -> int:
    """Print the versions."""
    facts = describe()
    if args.json:
        print_json(facts)
        return ExitStatus.SUCCESS
    core, python = facts["core"], facts["python"]
    built = f"{core['profile']} build, {core['cython']}, {core['compiler']}" if core["compiled"] else "not built"
    interface = f"ABI {core['abi']}" if core["compiled"] else "not built"
    threading = ("without the GIL" if not python["gil_enabled"] else "with the GIL") + (
        ", free-threaded build" if python["free_threaded"] else ""
    )
    Output().table(
        ["", ""],
        [
            ["reactivestreams", facts["version"]],
            ["rs_core", built],
            ["C interface", interface],
            ["interpreter", f"{python['implementation']} {python['version']}, {threading}"],
            ["platform", facts["platform"]],
        ],
    )
    return ExitStatus.SUCCESS


def describe() -> dict[str, Any]:
    """Return the versions as plain data.

    Returns:
        `version` of the distribution; `core` with `compiled`, `abi` (the number of the C interface), `profile`,
        `cython` and `compiler`, the latter four None where the core is not built; `python` with `implementation`,
        `version`, `free_threaded` (how it was built) and `gil_enabled` (how it runs now); `platform`.
    """
    return {
        "version": __version__,
        "core": _core(),
        "python": {
            "implementation": platform.python_implementation(),
            "version": platform.python_version(),
            "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
            "gil_enabled": getattr(sys, "_is_gil_enabled", lambda: True)(),
        },
        "platform": platform.platform(),
    }


def _core() -> dict[str, Any]:
    try:
        build: Any = import_module("rs_core.build_profile")
        abi: Any = import_module("rs_core.abi")
    except ImportError:
        return {"compiled": False, "abi": None, "profile": None, "cython": None, "compiler": None}
    return {
        "compiled": True,
        "abi": abi.ABI_NUMBER,
        "profile": build.PROFILE,
        "cython": f"Cython {build.CYTHON}",
        "compiler": build.COMPILER,
    }
