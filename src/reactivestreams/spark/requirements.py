"""Checks that the packages of the extra `spark` are installed in supported versions."""

import importlib
import warnings
from importlib.metadata import PackageNotFoundError, version

from reactivestreams.spark.errors import SparkUnavailableError, UntestedSparkWarning

__all__ = ["TESTED_SPARK", "require_connect", "require_spark"]

TESTED_SPARK = ((4, 2), (4, 3))
"""First and last version of PySpark with which this package is tested. Some of the calls used are not public."""

MINIMUM_PYARROW = 18
CONNECT_MODULES = {
    "grpc": "grpcio",
    "grpc_status": "grpcio-status",
    "google.rpc": "googleapis-common-protos",
    "zstandard": "zstandard",
}
"""What Spark Connect needs besides PySpark: each module and its package."""

REMEDY = 'pip install "reactive-streams-core[spark]"'


def require_spark() -> None:
    """Check that PySpark and PyArrow can be imported and are supported.

    A PySpark that is newer than those of the tests is used, with a warning once a process.

    Raises:
        SparkUnavailableError: One is missing, broken, or too old; the message names what to install.
        UntestedSparkWarning: PySpark is newer than those of the tests.
    """
    for package in ("pyspark", "pyarrow", "py4j"):
        try:
            importlib.import_module(package)
        except ImportError as error:
            raise SparkUnavailableError(
                f"the Spark part needs the package {package}, which cannot be imported ({error}); {REMEDY}"
            ) from error
    found = release("pyspark")
    first, last = TESTED_SPARK
    if found[:2] < first:
        raise SparkUnavailableError(
            f"the Spark part needs pyspark >= {dotted(first)}, got {dotted(found)}, which lacks calls that it uses; "
            f"{REMEDY}"
        )
    if found[:2] > last:
        warnings.warn(
            f"pyspark {dotted(found)} is newer than {dotted(last)}, the last version with which this package was "
            f"tested, and calls that it uses change between versions; if something fails, {REMEDY}",
            UntestedSparkWarning,
            stacklevel=1,  # one place for all callers, so that Python shows it once
        )
    arrow = release("pyarrow")
    if arrow[0] < MINIMUM_PYARROW:
        raise SparkUnavailableError(f"the Spark part needs pyarrow >= {MINIMUM_PYARROW}, got {dotted(arrow)}; {REMEDY}")


def require_connect() -> None:
    """Check that the packages that Spark Connect needs can be imported.

    Raises:
        SparkUnavailableError: Some are missing; the message names what to install.
    """
    missing = []
    for module, package in CONNECT_MODULES.items():
        try:
            importlib.import_module(module)
        except ImportError:
            missing.append(package)
    if missing:
        raise SparkUnavailableError(
            f"Spark Connect needs packages that cannot be imported: {', '.join(missing)}; pip install "
            '"reactive-streams-core[spark,connect]"'
        )


def release(package: str) -> tuple[int, ...]:
    """Return the leading numbers of an installed package's version."""
    try:
        text = version(package)
    except PackageNotFoundError:
        # PySpark is on the path as part of a Spark distribution, and not installed as a package.
        text = str(importlib.import_module(package).__version__)
    numbers = []
    for part in text.split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)


def dotted(numbers: tuple[int, ...]) -> str:
    """Return a version as text."""
    return ".".join(map(str, numbers))
