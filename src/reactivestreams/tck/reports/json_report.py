"""The report as JSON; `report.schema.json` in this folder describes its content."""

import json
from collections.abc import Sequence
from datetime import datetime
from importlib import resources
from typing import Any

from reactivestreams.tck.kit.report import Report

__all__ = ["FORMAT", "VERSION", "as_data", "render", "schema"]

FORMAT = "reactivestreams.tck"
"""The value of the member `format`, which identifies the document."""

VERSION = 1
"""The version of the schema. New members need no new number; removed or changed members do."""


def as_data(reports: Sequence[Report], *, made: datetime) -> dict[str, Any]:
    """Return the reports as plain values, as the schema describes them.

    Args:
        reports: The reports.
        made: The time of the verifications, with a time zone.
    """
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_at": made.isoformat(timespec="seconds"),
        "is_success": bool(reports) and all(report.is_success for report in reports),
        "verifications": [report.as_data() for report in reports],
    }


def render(reports: Sequence[Report], *, made: datetime) -> str:
    """Return the reports as JSON: indented, in ASCII.

    Args:
        reports: The reports.
        made: The time of the verifications, with a time zone.
    """
    return json.dumps(as_data(reports, made=made), indent=2) + "\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the report.

    Example:
        >>> schema()["properties"]["version"]["const"] == VERSION
        True
    """
    text = resources.files("reactivestreams.tck.reports").joinpath("report.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded
