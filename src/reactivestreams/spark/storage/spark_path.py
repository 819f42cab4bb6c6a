"""Folders of this machine as Spark takes them."""

from pathlib import Path

__all__ = ["spark_path"]


def spark_path(folder: Path) -> str:
    """Return an absolute path as Spark's readers and writers, its options and `LOCATION` take one.

    It has a scheme, since Spark may have another file system by default, but nothing in it is escaped: Hadoop takes `%`
    for itself, so that `Path.as_uri` would name another folder where a name has a space or a letter beyond ASCII.
    """
    return f"file:///{folder.as_posix().lstrip('/')}"
