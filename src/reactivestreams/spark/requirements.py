"""Checks that the packages of the extra `spark` are installed in supported versions."""

import importlib
from importlib.metadata import PackageNotFoundError, version

from reactivestreams.spark.errors import SparkUnavailableError

__all__ = ["SUPPORTED_SPARK", "require_connect", "require_spark"]

SUPPORTED_SPARK = ((4, 2), (4, 4))
"""First supported version of PySpark, and the first unsupported one. Some of the calls used are not public."""

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

    Raises:
        SparkUnavailableError: One is missing, broken, or has an unsupported version; the message names what to install.
    """
    for package in ("pyspark", "pyarrow", "py4j"):
        try:
            importlib.import_module(package)
        except ImportError as error:
            raise SparkUnavailableError(
                f"the Spark part needs the package {package}, which cannot be imported ({error}); {REMEDY}"
            ) from error
    found = release("pyspark")
    first, last = SUPPORTED_SPARK
    if not first <= found[:2] < last:
        raise SparkUnavailableError(
            f"the Spark part needs pyspark >= {dotted(first)}, < {dotted(last)}, got {dotted(found)}: it uses calls of "
            f"Spark that change between versions; {REMEDY}"
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
