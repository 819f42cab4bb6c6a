"""What a check found."""

from dataclasses import dataclass
from enum import Enum

__all__ = ["DISTRIBUTION", "Finding", "Status", "worst"]

DISTRIBUTION = "reactive-streams-core"


class Status(Enum):
    """How a check ended, from good to bad."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found.

    Attributes:
        name: What was checked.
        status: How it ended.
        detail: What is the case.
        remedy: What to do, None where nothing is to be done.
    """

    name: str
    status: Status
    detail: str
    remedy: str | None = None


def worst(findings: list[Finding]) -> Status:
    """Return the worst status among some findings, OK where there are none."""
    order = list(Status)
    return max((finding.status for finding in findings), key=order.index, default=Status.OK)
