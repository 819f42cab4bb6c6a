"""Operators as messages name them, and which one's function raised: read from the note that the core leaves."""

import re
from dataclasses import dataclass

from reactivestreams.stream import Operator

__all__ = ["FailedOperator", "failed_operator", "place_of", "short_name"]

NOTE = re.compile(r"in (?P<operator>.+), assembled at (?P<assembly>.+)", re.DOTALL)
"""The note by which the core says which operator's function raised."""


@dataclass(frozen=True, slots=True)
class FailedOperator:
    """An operator whose function raised.

    Attributes:
        name: Its name, such as `"map"`.
        assembly: Where the user built it, as `file:line in function`.
    """

    name: str
    assembly: str


def failed_operator(error: BaseException) -> FailedOperator | None:
    """Return the operator whose function raised; None where no function of an operator did."""
    found = next(filter(None, map(NOTE.fullmatch, getattr(error, "__notes__", ()))), None)
    return None if found is None else FailedOperator(last_part(found["operator"]), found["assembly"])


def short_name(operator: Operator) -> str:
    """Return the last part of an operator's id, which is the name that users know."""
    return last_part(operator.definition.id)


def place_of(operator: Operator) -> str:
    """Return name and line of an operator, as in `"map, built at file.py:3 in main"`."""
    return f"{short_name(operator)}, built at {operator.assembly}"


def last_part(operator_id: str) -> str:
    """Return the last part of an operator's id."""
    return operator_id.rpartition("/")[2]
