"""The finding of a check."""

from dataclasses import dataclass
from enum import Enum

__all__ = ["DISTRIBUTION", "Finding", "Status", "worst"]

DISTRIBUTION = "reactive-streams-core"


class Status(Enum):
    """The result of a check, from good to bad."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of one check.

    Attributes:
        name: The subject of the check.
        status: Its result.
        detail: A description of the finding.
        remedy: What to do, or None.
    """

    name: str
    status: Status
    detail: str
    remedy: str | None = None


def worst(findings: list[Finding]) -> Status:
    """Return the worst status of findings, OK if there are none."""
    order = list(Status)
    return max((finding.status for finding in findings), key=order.index, default=Status.OK)
