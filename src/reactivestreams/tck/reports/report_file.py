"""A report as a file: its format is that of the path's suffix, and it is whole or not there."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from reactivestreams.errors import ArgumentError
from reactivestreams.tck.kit.report import Report
from reactivestreams.tck.reports import html_report, json_report, junit_report

__all__ = ["FORMATS", "check_report_path", "write_report"]

FORMATS: dict[str, Callable[..., str]] = {
    ".html": html_report.render,
    ".json": json_report.render,
    ".xml": junit_report.render,
}
"""What makes the text of a report, by the suffix of its file."""


def check_report_path(path: Path) -> None:
    """Raise where a report could not be written, before any work is done for it; folders that are missing are made.

    Raises:
        ArgumentError: The suffix is none of `FORMATS`, or the path is a folder.
        MissingExtraError: The format needs a package that is not installed.
        OSError: A folder cannot be made.
    """
    if path.suffix.lower() not in FORMATS:
        raise ArgumentError(f"there is no report of the kind {path.name!r}; end its name in {' or '.join(FORMATS)}")
    if path.is_dir():
        raise ArgumentError(f"the report {path} is a folder; give the path of a file")
    if FORMATS[path.suffix.lower()] is html_report.render:
        html_report.require_template_engine()
    path.parent.mkdir(parents=True, exist_ok=True)


def write_report(reports: Sequence[Report], path: Path, *, made: datetime | None = None) -> None:
    """Write reports to a file, in the format of its suffix.

    The file is written under another name in the same folder and put in place at once, so that a reader never sees half
    of it, and a former report stays where writing fails.

    Args:
        reports: What to report, a verification each.
        path: Where; its suffix is one of `FORMATS`.
        made: When the verifications ran, with a time zone; by default now.

    Raises:
        ArgumentError: The suffix is none of `FORMATS`, or the path is a folder.
        MissingExtraError: The format needs a package that is not installed.
        OSError: The file cannot be written.
    """
    check_report_path(path)
    text = FORMATS[path.suffix.lower()](reports, made=datetime.now(UTC) if made is None else made)
    part = path.parent / f".{path.name}.{uuid4().hex}"
    try:
        with part.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
