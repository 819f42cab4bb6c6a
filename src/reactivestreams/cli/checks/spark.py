"""Beyond Java and the packages: can Spark be started, reached through Connect, and given this package?"""

from importlib import import_module

from reactivestreams.cli.checks.finding import DISTRIBUTION, Finding, Status
from reactivestreams.cli.checks.packages import has_spark, installed_version, is_within

__all__ = ["CONNECT_PACKAGES", "check"]

CONNECT_PACKAGES = {
    "grpcio": ">=1.76",
    "grpcio-status": ">=1.76",
    "googleapis-common-protos": ">=1.71",
    "zstandard": ">=0.25",
}
"""What Spark Connect needs beside PySpark, as the extra `connect` asks for it."""

INSTALL_CONNECT = f"pip install '{DISTRIBUTION}[connect]'"
INSTALL_SPARK = f"pip install --force-reinstall '{DISTRIBUTION}[spark]'"


def check() -> list[Finding]:
    """Check Spark's own files, the packages of Spark Connect and the archive for executors; nothing without pyspark."""
    return [_home(), _connect(), _archive()] if has_spark() else []


def _home() -> Finding:
    home = import_module("reactivestreams.spark.sessions.spark_home").real_home()
    if home is None:
        remedy = f"unset SPARK_HOME, or let it name a whole Spark; else: {INSTALL_SPARK}"
        return Finding("spark", Status.PROBLEM, "no folder with Spark's bin and jars was found", remedy)
    return Finding("spark", Status.OK, f"at {home}")


def _connect() -> Finding:
    versions = {name: installed_version(name) for name in CONNECT_PACKAGES}
    missing = [name for name, version in versions.items() if version is None]
    if len(missing) == len(versions):
        detail = "its packages are not installed; only Spark Connect needs them"
        return Finding("connect", Status.OK, detail, f"for it: {INSTALL_CONNECT}")
    unfit = [
        f"{name} {version} is outside {CONNECT_PACKAGES[name]}"
        for name, version in versions.items()
        if version is not None and not is_within(version, CONNECT_PACKAGES[name])
    ]
    if missing or unfit:
        detail = "; ".join([*(f"{name} is missing" for name in missing), *unfit])
        return Finding("connect", Status.WARNING, f"Spark Connect will not work: {detail}", INSTALL_CONNECT)
    listed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return Finding("connect", Status.OK, listed)


def _archive() -> Finding:
    shipped = import_module("reactivestreams.spark.shipping.package_files")
    try:
        files = shipped.installed_files()
    except import_module("reactivestreams.spark.errors").PackageError as error:
        return Finding("shipping", Status.WARNING, str(error), "only executors that lack this package need it")
    (suffix, *_) = sorted(shipped.compiled_suffixes(files))
    platform = suffix.strip(".").rpartition(".")[0]
    return Finding("shipping", Status.OK, f"{len(files)} files can be shipped to executors with {platform}")
