"""The same pipelines by the operators of reactivex, which know no demand, in the thread of the caller."""

from dataclasses import replace
from typing import Any

import reactivex as rx
from reactivex import operators as ops

from tests.models.stream_model import Sent
from tests.oracle.case import NAMES, Chain, Result
from tests.oracle.catalog import written_for_rx
from tests.oracle.models import name_of

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
        step.rx is not None and not (step.rx.startswith("ops.concat_map") and fails_before(chain, place))
        for place, step in enumerate(chain.steps)
    )


def fails_before(chain: Chain, place: int) -> bool:
    """Return whether an operator is given an error."""
    outcome = replace(chain, steps=chain.steps[:place]).outcome()
    return isinstance(outcome, Sent) and outcome.error is not None


def by_reactivex(chain: Chain) -> Result:
    """Return what reactivex gives for a chain."""
    operators = ", ".join(str(step.rx) for step in chain.steps)
    observable = eval(f"{written_for_rx(chain.source.sent)}.pipe({operators})", {**NAMES, "rx": rx, "ops": ops})
    came: list[Any] = []
    ends: list[str | None] = []
    observable.subscribe(came.append, lambda error: ends.append(_our_name(error)), lambda: ends.append(None))
    assert len(ends) == 1, "it has not ended"
    return came, ends[0]


def _our_name(error: Exception) -> str:
    name = name_of(error)
    return OUR_NAMES.get(name, OUR_NAMES.get(str(error), name))
