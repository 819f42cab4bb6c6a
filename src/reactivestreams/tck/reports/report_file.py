"""A report as a file: the suffix decides the format, and the file is written atomically."""

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
"""The renderers of the text of a report, by the suffix of its file."""


def check_report_path(path: Path) -> None:
    """Raise if a report cannot be written, before any work is done for it; missing folders are made.

    Raises:
        ArgumentError: The suffix is not in `FORMATS`, or the path is a folder.
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

    The file is written under another name in the same folder and then renamed, so that a reader never sees half of it,
    and an older report stays if writing fails.

    Args:
        reports: The reports, one per verification.
        path: The path; its suffix is one of `FORMATS`.
        made: The time of the verifications, with a time zone; by default now.

    Raises:
        ArgumentError: The suffix is not in `FORMATS`, or the path is a folder.
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
