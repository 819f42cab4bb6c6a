"""The archive of this package for executors on which it is not installed."""

import atexit
import hashlib
import io
import os
import shutil
import tempfile
import threading
import zipfile
from collections.abc import Mapping
from pathlib import Path

import reactivestreams
from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.spark.sessions.package_files import compiled_suffixes, installed_files, wheel_files
from reactivestreams.spark.storage.atomic_write import atomic_write

__all__ = ["PACKAGE_FOLDER", "archive_bytes", "files_to_ship", "package", "package_settings", "temporary_folder"]

PACKAGE_FOLDER = "reactivestreams_package"
"""Name of the folder into which executors unpack the archive."""

# The oldest time of the zip format, so that equal files make equal archives, whenever they were installed.
EPOCH = (1980, 1, 1, 0, 0, 0)
MODE = 0o644 << 16

one_folder: threading.Lock = threading.Lock()
folders: list[Path] = []


def package(path: "str | os.PathLike[str] | None" = None, *, wheel: "str | os.PathLike[str] | None" = None) -> Path:
    """Make the archive of this package for executors on which it is not installed: a zip with the compiled core.

    Equal files make an equal archive, byte by byte. For a running session `ship` does all that is needed.

    Args:
        path: File to write, ending in `.zip`, or a folder, in which the name contains the version, the platform and a
            digest. The default is a temporary folder that is removed when the process ends.
        wheel: A wheel of this version from which the files are taken, for executors with another Python or platform
            than this process. The default is the files of this installation.

    Returns:
        The archive.

    Raises:
        ArgumentError: The path is not a zip file in an existing folder; the wheel is not valid, or of another version.
        ArgumentTypeError: An argument is not a path.
        PackageError: The core is not compiled for this interpreter.
        OSError: The archive cannot be written.

    Threads:
        May be called in any thread; the file appears completely or not at all.

    Example:
        >>> from reactivestreams import spark
        >>> archive = spark.package()
        >>> archive.suffix
        '.zip'
        >>> spark.package() == archive
        True
    """
    target = None if path is None else checked_path("path", path)
    files = files_to_ship(wheel)
    content = archive_bytes(files)
    if target is None or target.is_dir():
        (suffix,) = sorted(compiled_suffixes(files))[:1]
        digest = hashlib.sha256(content).hexdigest()[:12]
        platform = suffix.strip(".").rpartition(".")[0]
        name = f"reactivestreams-{reactivestreams.__version__}-{platform}-{digest}.zip"
        target = (target or temporary_folder()) / name
    elif target.suffix != ".zip" or not target.parent.is_dir():
        raise ArgumentError(
            f"path {str(target)!r} cannot be written: it must be an existing folder, or a file in one that ends in "
            ".zip, which tells Spark how to unpack it"
        )
    atomic_write(target, content)
    return target


def package_settings(archive: "str | os.PathLike[str]") -> dict[str, str]:
    """Return the options that send an archive to the executors of a session that has not started.

    Pass them to `session(config=...)` or, each as `--conf name=value`, to spark-submit. Executors unpack the archive in
    their working folder, and their Python workers import it from there.

    Args:
        archive: The result of `package`, or an address that executors can read, such as `hdfs://...`.

    Returns:
        The options `spark.archives` and `spark.executorEnv.PYTHONPATH`. Add other paths that executors need to the
        second one.

    Raises:
        ArgumentTypeError: The archive is not a path.

    Example:
        >>> from reactivestreams import spark
        >>> spark.package_settings("hdfs://name/reactivestreams.zip")["spark.executorEnv.PYTHONPATH"]
        'reactivestreams_package'
    """
    if not isinstance(archive, (str, os.PathLike)):
        raise ArgumentTypeError(f"archive must be a path, got {archive!r}; pass what package() returns")
    return {
        "spark.archives": f"{os.fspath(archive)}#{PACKAGE_FOLDER}",
        "spark.executorEnv.PYTHONPATH": PACKAGE_FOLDER,
    }


def files_to_ship(wheel: object = None) -> dict[str, bytes]:
    """Return the files that executors need, from a wheel or from this installation."""
    return installed_files() if wheel is None else wheel_files(checked_path("wheel", wheel))


def archive_bytes(files: Mapping[str, bytes], below: str = "") -> bytes:
    """Return a zip of the files below a folder, with names relative to it; equal files make equal bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as file:
        for name in sorted(files):
            if name.startswith(below):
                member = zipfile.ZipInfo(name.removeprefix(below), EPOCH)
                member.external_attr = MODE
                member.create_system = 3  # POSIX, on every platform
                file.writestr(member, files[name], zipfile.ZIP_DEFLATED)
    return content.getvalue()


def temporary_folder() -> Path:
    """Return this process's folder for archives; it is removed when the process ends."""
    with one_folder:
        if not folders:
            folders.append(Path(tempfile.mkdtemp(prefix="reactivestreams-package-")))
            atexit.register(shutil.rmtree, folders[0], ignore_errors=True)
        return folders[0]


def checked_path(name: str, path: object) -> Path:
    """Check an argument that names a file."""
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"{name} must be a path, got {path!r}; pass a text or a pathlib.Path")
    return Path(path)
