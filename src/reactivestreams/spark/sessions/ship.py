"""Sending this package to the executors of a running session."""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentTypeError
from reactivestreams.spark.error_line import first_line
from reactivestreams.spark.errors import PackageError
from reactivestreams.spark.requirements import require_spark
from reactivestreams.spark.sessions.archive import archive_bytes, files_to_ship, temporary_folder
from reactivestreams.spark.sessions.package_files import PACKAGES, compiled_suffixes
from reactivestreams.spark.sessions.running_session import is_connect_session
from reactivestreams.spark.storage.atomic_write import atomic_write

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

__all__ = ["ship"]


def ship(session: "SparkSession", *, wheel: "str | os.PathLike[str] | None" = None) -> None:
    """Send this package to the executors of a running session, classic or Connect.

    Executors unpack it into the first folder on the path of their Python workers, so it has precedence over an
    installed version. A small job first checks on one executor that it can load the compiled core. Shipping the same
    files again does nothing.

    Args:
        session: A running session.
        wheel: As for `package`: a wheel from which the files are taken, for executors with another platform.

    Raises:
        ArgumentError: The wheel is not valid, or of another version.
        ArgumentTypeError: `session` is not a session, or `wheel` is not a path.
        PackageError: The core is not compiled for this interpreter, or the executors cannot load it.
        SparkUnavailableError: PySpark is missing or of an unsupported version.
    """
    require_spark()
    from pyspark.sql import SparkSession

    is_connect = is_connect_session(session)
    if not is_connect and not isinstance(session, SparkSession):
        raise ArgumentTypeError(f"session must be a Spark session, got {session!r:.200}; pass what session() returns")
    files = files_to_ship(wheel)
    require_loadable(session, compiled_suffixes(files))
    for package in PACKAGES:
        content = archive_bytes(files, f"{package}/")
        archive = temporary_folder() / f"{package}-{hashlib.sha256(content).hexdigest()[:12]}.zip"
        if not archive.exists():
            atomic_write(archive, content)
        # A folder with the package's name, in a folder that every worker has on its path, needs no configuration.
        if is_connect:
            session.addArtifacts(f"{archive}#{package}", archive=True)
        else:
            session.sparkContext.addArchive(f"{archive}#{package}")


def require_loadable(session: "SparkSession", suffixes: Iterable[str]) -> None:
    """Check that an executor's interpreter can load modules with one of the suffixes."""
    from pyspark.errors import PySparkException

    try:
        ((implementation, loadable),) = (
            session.range(1).mapInArrow(platform_task(), "name string, suffixes string").collect()
        )
    except PySparkException as error:
        line = next((line.strip() for line in str(error).splitlines() if "MISMATCH" in line), first_line(error))
        raise PackageError(
            f"the Python of the executors is unknown: {line}; give them the Python version of this process "
            "(PYSPARK_PYTHON) and PyArrow"
        ) from error
    if not set(suffixes) & set(loadable.split()):
        raise PackageError(
            f"the executors run {implementation}, which loads modules that end in {loadable.split()[0]}, but the core "
            f"is compiled for {', '.join(sorted(suffixes))}; pass the wheel for them: ship(session, wheel=...)"
        )


def platform_task() -> "Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]":
    """Return the function that reports a worker's interpreter; it is sent by value, without this package."""

    def tell(batches: Any) -> Any:
        import platform
        from importlib.machinery import EXTENSION_SUFFIXES

        import pyarrow as pa

        name = f"{platform.python_implementation()} {platform.python_version()} on {platform.platform()}"
        for batch in batches:
            if batch.num_rows:
                yield pa.record_batch({"name": [name], "suffixes": [" ".join(EXTENSION_SUFFIXES)]})

    return tell
