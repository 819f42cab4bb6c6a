"""Elements that wait for the watermark, as saved bytes; rows of Spark are loaded as rows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.operators.keyed.expiry import WaitingElement
from reactivestreams.state import decode_value, default_registry, encode_value

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["loaded_elements", "saved_elements"]


@default_registry.register(name="rx/spark/row")
@dataclass(frozen=True, slots=True)
class SavedRow:
    """A row of Spark in saved state.

    Attributes:
        names: Its columns.
        values: Its values, in the order of the columns.
    """

    names: list[str]
    values: list[Any]


def saved_elements(waiting: list[WaitingElement]) -> list[WaitingElement]:
    """Return waiting elements as bytes, each saved separately, so that the limits of saved values apply to each."""
    return [
        each._replace(
            element=encode_value(changed(each.element, saved_row)),
            origin=None if each.origin is None else encode_value(changed(each.origin, saved_row)),
        )
        for each in waiting
    ]


def loaded_elements(waiting: list[WaitingElement]) -> list[WaitingElement]:
    """Return the elements that `saved_elements` has saved."""
    return [
        each._replace(
            element=changed(decode_value(each.element), loaded_row),
            origin=None if each.origin is None else changed(decode_value(each.origin), loaded_row),
        )
        for each in waiting
    ]


def changed(value: Any, change: "Callable[[Any], Any]") -> Any:
    """Return a value in which all rows are changed, also inside plain containers."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind(changed(item, change) for item in value)
    if kind is dict:
        return {key: changed(item, change) for key, item in value.items()}
    return change(value)


def saved_row(value: Any) -> Any:
    """Return a row of Spark as a value that can be saved; anything else is returned unchanged."""
    from pyspark.sql import Row

    if not isinstance(value, Row):
        return value
    return SavedRow(list(getattr(value, "__fields__", ())), [changed(item, saved_row) for item in value])


def loaded_row(value: Any) -> Any:
    """Return a saved row of Spark as a row; anything else is returned unchanged."""
    from pyspark.sql import Row

    if type(value) is not SavedRow:
        return value
    values = [changed(item, loaded_row) for item in value.values]
    return Row(*value.names)(*values) if value.names else Row(*values)
