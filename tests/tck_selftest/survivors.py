"""Wrong components that no check sees: each with the reason, reviewed by a person.

A component that is seen after all does not belong here any more: a test says so, and which check has seen it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.tck_selftest.mutant import Kit
from tests.tck_selftest.publishers import own_demand as demand
from tests.tck_selftest.publishers import own_life_cycles as life
from tests.tck_selftest.publishers import own_races as races
from tests.tck_selftest.publishers.numbers import on_a_thread
from tests.tck_selftest.publishers.publisher_case import numbers_case

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


SURVIVORS = (
    Survivor(
        "refuses on the caller's thread",
        "1.3",
        numbers_case(races.RefusingOnTheCallersThread, run=on_a_thread),
        "no check makes a bad request from another thread while on_next is held; on_error must not begin before that "
        "has returned",
    ),
    Survivor(
        "completes before it ends",
        "1.7",
        numbers_case(races.CompletingBeforeItEnds),
        "no check requests from another thread while on_complete is held; the end must not be signalled again",
    ),
    Survivor(
        "deaf to bad requests while it sends",
        "3.9",
        numbers_case(demand.DeafToBadRequestsWhileSending),
        "no check makes a bad request inside on_next; on_error has to follow that",
    ),
    Survivor(
        "deaf to cancel in on_subscribe",
        "3.12",
        numbers_case(life.DeafToCancelInOnSubscribe),
        "no check requests without bound and cancels inside on_subscribe; silence has to follow that",
    ),
)
