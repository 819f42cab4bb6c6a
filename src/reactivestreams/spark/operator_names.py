"""Names of operators in messages, and the operator whose function raised, from the note that the core adds."""

import re
from dataclasses import dataclass

from reactivestreams.stream import Operator

__all__ = ["FailedOperator", "failed_operator", "place_of", "short_name"]

NOTE = re.compile(r"in (?P<operator>.+?), assembled at (?P<assembly>.+?)(?:, for element .*)?", re.DOTALL)
"""The note that the core adds to the exception of an operator's function; of the element messages say the row."""


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
    """Return the operator whose function raised, or None."""
    found = next(filter(None, map(NOTE.fullmatch, getattr(error, "__notes__", ()))), None)
    return None if found is None else FailedOperator(last_part(found["operator"]), found["assembly"])


def short_name(operator: Operator) -> str:
    """Return the name of an operator as users know it: the last part of its id."""
    return last_part(operator.definition.id)


def place_of(operator: Operator) -> str:
    """Return the name and the line of an operator, such as `"map, built at file.py:3 in main"`."""
    return f"{short_name(operator)}, built at {operator.assembly}"


def last_part(operator_id: str) -> str:
    """Return the last part of an operator's id."""
    return operator_id.rpartition("/")[2]
