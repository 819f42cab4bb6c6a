"""Paths of this machine in Spark's form."""

from pathlib import Path

__all__ = ["is_local", "local_path", "spark_path"]

LOCAL = "file:///"


def spark_path(folder: Path) -> str:
    """Return an absolute path in the form of Spark's readers, writers, options and `LOCATION`.

    It has a scheme, since Spark's default file system may be another one, but is not escaped: Hadoop does not decode
    `%`, so `Path.as_uri` would name another folder if a name contains a space or a letter outside ASCII.
    """
    return LOCAL + folder.as_posix().lstrip("/")


def is_local(uri: str) -> bool:
    """Return whether a URI names a folder of this machine."""
    return uri.startswith(LOCAL)


def local_path(uri: str) -> Path:
    """Return the path that `spark_path` gave."""
    rest = uri.removeprefix(LOCAL)
    return Path(rest if rest[1:2] == ":" else f"/{rest}")  # a drive of Windows
