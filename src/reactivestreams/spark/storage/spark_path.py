"""Paths of this machine in Spark's form."""

from pathlib import Path

__all__ = ["spark_path"]


def spark_path(folder: Path) -> str:
    """Return an absolute path in the form of Spark's readers, writers, options and `LOCATION`.

    It has a scheme, since Spark's default file system may be another one, but is not escaped: Hadoop does not decode
    `%`, so `Path.as_uri` would name another folder if a name contains a space or a letter outside ASCII.
    """
    return f"file:///{folder.as_posix().lstrip('/')}"
