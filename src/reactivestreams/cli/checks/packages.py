"""Are the optional packages installed, and in versions that work together?"""

import re
from importlib import metadata

from reactivestreams.cli.checks.finding import DISTRIBUTION, Finding, Status

__all__ = ["SPARK_PACKAGES", "check", "has_spark", "installed_version", "is_within"]

SPARK_PACKAGES = {
    "pyspark": ">=4.2,<4.4",
    "pandas": ">=2.2,<3",
    "pyarrow": ">=18",
    "protobuf": ">=6.33.5",
    "cloudpickle": ">=3",
}
"""The packages for pipelines on Spark, with the versions of the extra `spark`."""

OPTIONAL_PACKAGES = {"rich": (">=13.7", "cli", "commands print plain text")}
INSTALL_SPARK = f"pip install '{DISTRIBUTION}[spark]'"


def check() -> list[Finding]:
    """Check the packages for Spark together, then each of the others."""
    return [*_spark(), *(_optional(name) for name in OPTIONAL_PACKAGES)]


def has_spark() -> bool:
    """Return whether pyspark is installed."""
    return installed_version("pyspark") is not None


def is_within(version: str, bounds: str) -> bool:
    """Return whether the release part of a version lies within bounds such as `">=4.3,<4.4"`."""
    release = _release(version)
    for bound in bounds.split(","):
        operator, limit = re.fullmatch(r"(>=|<)([\d.]+)", bound).groups()  # type: ignore[union-attr]  # our own tables
        if (release >= _release(limit)) != (operator == ">="):
            return False
    return True


def _release(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in re.match(r"\d+(?:\.\d+)*|", version)[0].split(".") if number]  # type: ignore[index]
    while numbers and numbers[-1] == 0:
        numbers.pop()  # 4.3.0 is 4.3
    return tuple(numbers)


def installed_version(name: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _spark() -> list[Finding]:
    if not has_spark():
        return [
            Finding(
                "pyspark", Status.OK, "not installed; only pipelines on Spark need it", f"for these: {INSTALL_SPARK}"
            )
        ]
    findings: list[Finding] = []
    for name, bounds in SPARK_PACKAGES.items():
        version = installed_version(name)
        if version is None:
            findings.append(Finding(name, Status.PROBLEM, f"missing; Spark needs {name}{bounds}", INSTALL_SPARK))
        elif not is_within(version, bounds):
            is_newer_spark = name == "pyspark" and is_within(version, bounds.partition(",")[0])
            status = Status.WARNING if is_newer_spark else Status.PROBLEM
            detail = f"{version} is outside {bounds}, with which Spark pipelines were tested"
            findings.append(Finding(name, status, detail, INSTALL_SPARK))
        else:
            findings.append(Finding(name, Status.OK, version))
    return findings


def _optional(name: str) -> Finding:
    bounds, extra, consequence = OPTIONAL_PACKAGES[name]
    version = installed_version(name)
    install = f"pip install '{DISTRIBUTION}[{extra}]'"
    if version is None:
        return Finding(name, Status.OK, f"not installed; {consequence}", f"for more: {install}")
    if not is_within(version, bounds):
        return Finding(name, Status.WARNING, f"{version} is outside {bounds}", install)
    return Finding(name, Status.OK, version)
