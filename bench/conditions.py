"""Where and with what the figures were taken: they mean nothing without."""

import os
import platform
import subprocess
from pathlib import Path

from rs_core import build_profile

CHECKOUT = Path(__file__).resolve().parent.parent
MEASURED_PROFILE = "release"


def wrong_profile(profile: str = build_profile.PROFILE) -> str | None:
    """Return why this build is not measured, or None."""
    if profile == MEASURED_PROFILE:
        return None
    return (
        f"the {profile} build is not measured, its figures would mislead; "
        f"build with RS_BUILD={MEASURED_PROFILE} and run the benchmarks again"
    )


def conditions() -> dict[str, str]:
    """Return machine, interpreter, build and commit."""
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}{_load()}",
        "interpreter": f"{platform.python_implementation()} {platform.python_version()} ({platform.python_compiler()})",
        "profile": f"{build_profile.PROFILE} ({build_profile.COMPILER}, Cython {build_profile.CYTHON})",
        "commit": _commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def _load() -> str:
    if not hasattr(os, "getloadavg"):
        return ""
    return f", load {os.getloadavg()[0]:.1f}"


def _commit() -> str:
    try:
        short = _git("rev-parse", "--short", "HEAD")
        return f"{short} with changes" if _git("status", "--porcelain", "--untracked-files=no") else short
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout.strip()
