"""Which operator's function raised an exception: read back from the note that the core leaves on it."""

import re
from dataclasses import dataclass

__all__ = ["FailedOperator", "failed_operator"]

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
    return None if found is None else FailedOperator(found["operator"].rpartition("/")[2], found["assembly"])
