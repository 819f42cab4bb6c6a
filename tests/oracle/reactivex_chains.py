"""The same pipelines by the operators of reactivex, which know no demand, in the thread of the caller."""

from dataclasses import replace
from typing import Any

import reactivex as rx
from reactivex import operators as ops

from tests.models.stream_model import Sent
from tests.oracle.case import NAMES, Chain, Result
from tests.oracle.catalog import written_for_rx
from tests.oracle.models import Merged, name_of

OVERTAKEN = ("ops.concat_map", "ops.sequence_equal", "ops.zip")
"""Operators in which an error overtakes the elements that wait there for another stream."""

OUR_NAMES = {
    "ArgumentOutOfRangeException": "EmptyStreamError",
    "SequenceContainsNoElementsError": "EmptyStreamError",
    "Sequence contains more than one element": "MoreThanOneElementError",
}
"""How errors of reactivex are called here, by their kind or, where they have none, by what they say."""


def is_comparable(chain: Chain) -> bool:
    """Return whether reactivex has to give the same; NOT_COMPARED in the catalogue says where it need not."""
    again = [step for step in chain.steps if str(step.rx).startswith(("ops.repeat", "ops.retry"))]
    if len(again) > 1 or (again and any(str(step.rx).startswith("ops.map_indexed") for step in chain.steps)):
        return False
    return all(
        step.rx is not None and not (step.rx.startswith(OVERTAKEN) and fails_before(chain, place))
        for place, step in enumerate(chain.steps)
    )


def fails_before(chain: Chain, place: int) -> bool:
    """Return whether an operator is given an error."""
    outcome = replace(chain, steps=chain.steps[:place]).outcome()
    lanes = outcome.lanes if isinstance(outcome, Merged) else [outcome]
    return any(isinstance(lane, Sent) and lane.error is not None for lane in lanes)


def rx_noted(notification: Any) -> tuple[Any, ...]:
    """Return the same for what `materialize` sends there as `noted` for what it sends here."""
    match notification.kind:
        case "N":
            return "next", notification.value
        case "E":
            return "error", _our_name(notification.exception)
        case _:
            return ("complete",)


def by_reactivex(chain: Chain) -> Result:
    """Return what reactivex gives for a chain."""
    operators = ", ".join(str(step.rx) for step in chain.steps)
    observable = eval(f"{written_for_rx(chain.source.sent)}.pipe({operators})", RX_NAMES)
    came: list[Any] = []
    ends: list[str | None] = []
    observable.subscribe(came.append, lambda error: ends.append(_our_name(error)), lambda: ends.append(None))
    assert len(ends) == 1, "it has not ended"
    return came, ends[0]


def _our_name(error: Exception) -> str:
    name = name_of(error)
    return OUR_NAMES.get(name, OUR_NAMES.get(str(error), name))


RX_NAMES: dict[str, Any] = {**NAMES, "rx": rx, "ops": ops, "rx_noted": rx_noted}
"""What the text of a pipeline of reactivex names."""
