"""Wrong components that no check sees: each with the reason, reviewed by a person.

A component that is seen after all does not belong here any more: a test says so, and which check has seen it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.tck_selftest.mutant import Kit
from tests.tck_selftest.processors.own_relays import ErrorAfterElements, LosingTheDemandOfTheEarly
from tests.tck_selftest.processors.processor_case import relay_case
from tests.tck_selftest.subscribers.own_subscribers import TakingAfterAnError
from tests.tck_selftest.subscribers.subscriber_case import whitebox

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
        "goes on with elements after an error, as the white box sees it",
        "2.4",
        whitebox(TakingAfterAnError),
        "the check of elements after the end sends one after on_complete, and none after on_error; the black box sees "
        "the request that follows",
        Kit.WHITEBOX,
    ),
    Survivor(
        "lets an error wait behind elements",
        "4.2",
        relay_case(ErrorAfterElements),
        "an element waits in a relay only where a second subscriber has not asked for it; the check of errors that "
        "overtake has one subscriber, and is skipped for a processor that asks for no more than that does",
        Kit.PROCESSOR,
    ),
    Survivor(
        "forgets demand that came before its upstream",
        "3.8",
        relay_case(LosingTheDemandOfTheEarly),
        "no check requests of a processor that has no upstream yet; the elements have to come when it gets one",
        Kit.PROCESSOR,
    ),
)
