"""Small files and folders on Spark's file systems: what this package keeps beside the files that Spark writes itself.

What an operation promises when it has returned, on each file system. Nothing is renamed anywhere.

| operation | local disk | HDFS | S3 by s3a |
|---|---|---|---|
| `read`, `names` | see all that returned before | the same | the same |
| `create` | of two at the same time only one succeeds | the same | both may succeed |
| `write` | a kill may leave it empty or cut | the same | the file is as before or as after |
| `delete` | no folder with files in it | a folder at once | a folder file by file |

A kill during `create` may leave an empty file on a local disk and on HDFS, and on S3 nothing. So what is created is
read again, and an empty file counts as missing.
"""

import secrets
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from reactivestreams.errors import ArgumentError
from reactivestreams.spark.failures import failure_summary
from reactivestreams.spark.jvm_calls import hadoop_configuration, has_jvm, java_class
from reactivestreams.spark.storage.spark_path import is_local, local_path

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

__all__ = ["MAX_FILE_BYTES", "FileSystem", "file_system", "require_answer", "require_listing"]

ANSWER_SECONDS = 10.0
"""How long a server may take to accept a connection."""

MAX_FILE_BYTES = 64 * 2**20
"""Most bytes that `read` returns of a file."""

ERRORS: dict[str, type[OSError]] = {
    "FileNotFoundException": FileNotFoundError,
    "FileAlreadyExistsException": FileExistsError,
    "AccessControlException": PermissionError,  # of HDFS
    "AccessDeniedException": PermissionError,  # of S3
}
"""Errors by the names of the JVM's exceptions."""


def file_system(uri: str, session: "SparkSession") -> "FileSystem":
    """Return the operations on the file system of a URI.

    A path of the form `file:///` is one of this machine, which the JVM has, too, or the server of Spark Connect shares.
    Elsewhere a classic session has Hadoop's file systems, and through Spark Connect Spark's public readers and writers
    do what they can.
    """
    if is_local(uri):
        return LocalFiles()
    return JvmFiles(session) if has_jvm(session) else ConnectFiles(session)


def require_answer(uri: str, session: "SparkSession") -> None:
    """Check that the server of a file system accepts connections, for which Hadoop's clients try up to 15 minutes.

    Only a server that the URI or `fs.s3a.endpoint` names is asked, from a driver in this process and without a proxy.

    Raises:
        OSError: It does not accept one within `ANSWER_SECONDS`.
    """
    place, source = urlsplit(uri), "the URI"
    if not has_jvm(session):
        return
    if place.scheme == "s3a":
        options, source = hadoop_configuration(session), "the option spark.hadoop.fs.s3a.endpoint"
        endpoint = "" if options.get("fs.s3a.proxy.host") else options.get("fs.s3a.endpoint") or ""
        place = urlsplit(endpoint if "//" in endpoint or not endpoint else f"https://{endpoint}")
    port = place.port or {"http": 80, "https": 443}.get(place.scheme)
    if not place.hostname or port is None:
        return
    try:
        socket.create_connection((place.hostname, port), ANSWER_SECONDS).close()
    except OSError as error:
        raise OSError(
            f"{place.hostname} accepts no connection at port {port}, which {source} names ({error}), so start that "
            "server, or open the port in the firewalls before it"
        ) from None


def require_listing(uri: str, session: "SparkSession") -> None:
    """Check that a folder lists a file as soon as it is written.

    Spark moves the files of a batch that are listed, and repeats a batch whose files in the checkpoint are not: where a
    store lists late, rows would be lost or repeated without an error. The check writes a file and deletes it. A path of
    this machine is not checked, and nothing through Spark Connect.

    Raises:
        OSError: It does not, or the user may not write there.
    """
    if is_local(uri) or not has_jvm(session):
        return
    files = JvmFiles(session)
    folder, name = f"{uri}/.listing-{secrets.token_hex(8)}", "written"
    try:
        files.create(f"{folder}/{name}", b"1")
        is_listed = name in files.names(folder)
    finally:
        with suppress(OSError):  # the first error is the one that is shown
            files.delete(f"{folder}/{name}")  # by its name: else a store that does not list it would keep it
            files.delete(folder)
    if not is_listed:
        raise OSError(
            f"{uri} does not list a file that was just written, and rows would be lost or repeated there without an "
            "error; use a file system that lists what was written, such as HDFS or the S3 of AWS"
        )


class JvmFiles:
    """The file systems of a classic session, by Hadoop's `FileSystem` with the options of the session.

    Args:
        session: The session.
    """

    def __init__(self, session: "SparkSession") -> None:
        self.context: SparkContext = session.sparkContext
        self.configuration: Any = hadoop_configuration(session)

    def at(self, uri: str) -> tuple[Any, Any]:
        """Return the file system of a URI, and the URI as its path."""
        path = java_class(self.context, "org.apache.hadoop.fs.Path")(uri)
        return path.getFileSystem(self.configuration), path

    def read(self, uri: str) -> bytes | None:
        """Return the content of a file, or of the file in a folder that Spark wrote; None if there is none."""
        try:
            with failures_of(uri):
                files, path = self.at(uri)
                if not files.exists(path):  # asked, since each of the JVM's exceptions takes PySpark 15 ms
                    return None
                stream = files.open(path)
                try:
                    return bytes(stream.readNBytes(MAX_FILE_BYTES))
                finally:
                    stream.close()
        except FileNotFoundError:  # which HDFS says of a folder
            inside = [name for name in self.names(uri) if not name.startswith(("_", "."))]
            return self.read(f"{uri}/{inside[0]}") if inside else None

    def create(self, uri: str, content: bytes) -> bool:
        """Write a file, and make its folder, unless there is one; return whether it was written."""
        try:
            self.put(uri, content, overwrite=False)
        except FileExistsError:
            return False
        return True

    def names(self, uri: str) -> list[str]:
        """Return the names in a folder; none if it is missing."""
        try:
            with failures_of(uri):
                files, path = self.at(uri)
                return [status.getPath().getName() for status in files.listStatus(path)]
        except FileNotFoundError:
            return []

    def write(self, uri: str, content: bytes) -> None:
        """Write a file, in place of one that is there."""
        try:
            self.put(uri, content, overwrite=True)
        except (FileExistsError, FileNotFoundError):  # a folder that Spark wrote; a mounted disk says the latter
            self.delete(uri)
            self.put(uri, content, overwrite=True)

    def put(self, uri: str, content: bytes, *, overwrite: bool) -> None:
        """Write a file, and make its folder."""
        with failures_of(uri):
            files, path = self.at(uri)
            stream = files.create(path, overwrite)
            stream.write(content)
            stream.close()

    def delete(self, uri: str) -> None:
        """Delete a file, or a folder with what is in it, unless it is missing."""
        with failures_of(uri):
            files, path = self.at(uri)
            files.delete(path, True)


class LocalFiles:
    """Folders of this machine, without the JVM: this starts a process to set permissions, 10 ms for each file."""

    def read(self, uri: str) -> bytes | None:
        """See `JvmFiles`."""
        try:
            with local_path(uri).open("rb") as file:
                return file.read(MAX_FILE_BYTES)
        except FileNotFoundError:
            return None

    def create(self, uri: str, content: bytes) -> bool:
        """See `JvmFiles`."""
        local_path(uri).parent.mkdir(parents=True, exist_ok=True)
        try:
            with local_path(uri).open("xb") as file:
                file.write(content)
        except FileExistsError:
            return False
        return True

    def names(self, uri: str) -> list[str]:
        """See `JvmFiles`."""
        return [path.name for path in local_path(uri).iterdir()] if local_path(uri).is_dir() else []

    def write(self, uri: str, content: bytes) -> None:
        """See `JvmFiles`."""
        path = local_path(uri)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)  # of what the JVM wrote there
        path.write_bytes(content)

    def delete(self, uri: str) -> None:
        """See `JvmFiles`. This package deletes files and empty folders."""
        path = local_path(uri)
        if path.is_dir():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


class ConnectFiles:
    """Another file system through Spark Connect, by public readers and writers: each call is a job of the server.

    Args:
        session: The session.
    """

    def __init__(self, session: "SparkSession") -> None:
        self.session = session

    def read(self, uri: str) -> bytes | None:
        """See `JvmFiles`."""
        rows = self.rows(uri, "content")
        return bytes(rows[0].content) if rows else None

    def create(self, uri: str, content: bytes) -> bool:
        """See `JvmFiles`. What is written is a folder with one file; of two at the same time both may succeed."""
        with failures_of(uri):
            if self.rows(uri, "path"):
                return False
            self.text(content).write.mode("append").text(uri)
            return True

    def names(self, uri: str) -> list[str]:
        """See `JvmFiles`. Hidden files, empty ones and empty folders are not among them."""
        depth = len(uri.split("/"))
        return sorted({row.path.split("/")[depth] for row in self.rows(uri, "path")})

    def write(self, uri: str, content: bytes) -> None:
        """See `JvmFiles`. What is written is a folder with one file."""
        with failures_of(uri):
            self.text(content).write.mode("overwrite").text(uri)

    def delete(self, uri: str) -> None:
        """Refuse: no public function does it."""
        raise ArgumentError(
            f"{uri!r} cannot be deleted through Spark Connect, which has no access to its file system; use a classic "
            "session, or a folder that client and server share"
        )

    def text(self, content: bytes) -> Any:
        """Return a DataFrame with one line of text."""
        return self.session.createDataFrame([(content.decode().removesuffix("\n"),)], "value string").coalesce(1)

    def rows(self, uri: str, column: str) -> list[Any]:
        """Return a column of Spark's description of the files of a URI."""
        with failures_of(uri):
            try:
                reader = self.session.read.format("binaryFile").option("recursiveFileLookup", True)
                return list(reader.load(uri).select(column).collect())
            except Exception as error:
                if "PATH_NOT_FOUND" not in str(error):
                    raise
                return []


FileSystem: TypeAlias = JvmFiles | LocalFiles | ConnectFiles
"""What is done with small files. Each path is a URI, and each failure an `OSError` that names it."""


@contextmanager
def failures_of(uri: str) -> Iterator[None]:
    """Convert an exception of the JVM or of the server into an `OSError` with one line."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except (Py4JJavaError, PySparkException) as error:
        java = getattr(error, "java_exception", None)
        kind = ERRORS.get(java.getClass().getSimpleName() if java is not None else "", OSError)
        if kind is PermissionError:
            raise PermissionError(
                f"{uri} is closed to the user of the session: {failure_summary(error)}; give that user the permission "
                "to read and write there, or start the session with the credentials of one who has it"
            ) from error
        raise kind(f"{uri} cannot be reached: {failure_summary(error)}") from error
