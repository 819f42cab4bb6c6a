"""Wrong components that no check sees: each with the reason, reviewed by a person.

A component that is seen after all does not belong here any more: a test says so, and which check has seen it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.tck_selftest.mutant import Kit

__all__ = ["SURVIVORS", "Survivor"]


@dataclass(frozen=True, slots=True)
class Survivor:
    """A wrong component that passes the whole kit.

    Attributes:
        defect: What is wrong with it.
        rule: The rule that it breaks.
        subject: Makes the verification that makes the component.
        reason: Why it passes, and what a check would have to do.
        kit: The kit that it passes.
    """

    defect: str
    rule: str
    subject: Callable[[], Any]
    reason: str
    kit: Kit = Kit.PUBLISHER


SURVIVORS: tuple[Survivor, ...] = ()
