"""Operators only for keyed pipelines: folds that are sent at the end, and distinct."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, cast

from reactivestreams.arguments import checked_callable, checked_count
from reactivestreams.errors import ArgumentError, ArgumentTypeError, CapacityError
from rs_core.operators.keyed import AGGREGATES, Aggregates
from rs_core.operators.python_operator import PythonStage

__all__ = ["DEFAULT_MAX_VALUES", "DistinctStage", "FoldStage", "checked_aggregates", "counted"]

DEFAULT_MAX_VALUES = 1_000_000
"""Default maximum number of values of a key for `distinct`."""

Fold = Callable[[Any, Any], Any]


def counted(count: int, element: Any) -> int:
    """Return the next count."""
    return count + 1


class FoldStage(PythonStage[Any, Any]):
    """Fold the elements and send the last accumulator at the end, if there was an element.

    State: the accumulator, and whether there was an element.
    """

    name = "rx://operators/fold"
    demand: ClassVar[Literal["per_element", "own"]] = "own"
    prefetch = 1
    capacity = 1

    def __init__(self, function: Fold, seed: Any) -> None:
        self.function = function
        self.accumulator: Any = seed
        self.is_empty: bool = True

    def on_request(self, n: int) -> None:
        """Request every element."""
        self.request_upstream(2**63 - 1)

    def on_next(self, element: Any) -> None:
        """Process an element."""
        self.accumulator = self.function(self.accumulator, element)
        self.is_empty = False

    def on_complete(self) -> None:
        """Send the accumulator."""
        if not self.is_empty:
            self.emit(self.accumulator)
        self.complete()

    def save_fields(self, writer: Any) -> None:
        """Write the state."""
        writer.write(self.accumulator)
        writer.write(self.is_empty)

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Read the state."""
        self.accumulator = reader.read()
        self.is_empty = reader.read(bool)


class DistinctStage(PythonStage[Any, Any]):
    """Pass on an element if its value, the result of a function, has not occurred before.

    State: the values so far, in order.
    """

    name = "rx://operators/distinct"

    def __init__(self, selector: Callable[[Any], Any] | None, max_values: int) -> None:
        self.selector = selector
        self.max_values = max_values
        self.seen: dict[Any, None] = {}

    def on_next(self, element: Any) -> None:
        """Process an element."""
        value = element if self.selector is None else self.selector(element)
        if value in self.seen:
            return
        if len(self.seen) >= self.max_values:
            raise CapacityError(
                f"value {value!r:.200} would be number {self.max_values + 1} of its key, but "
                f"distinct(max_values={self.max_values}) allows {self.max_values}; increase max_values, or let keys "
                "end by expire_after()"
            )
        self.seen[value] = None
        self.emit(element)

    def save_fields(self, writer: Any) -> None:
        """Write the state."""
        writer.write(list(self.seen))

    def load_fields(self, reader: Any, version: tuple[int, ...]) -> None:
        """Read the state."""
        self.seen = dict.fromkeys(reader.read(list))


def checked_aggregates(aggregates: dict[str, Any]) -> Aggregates:
    """Return the checked arguments of `aggregate`.

    Raises:
        ArgumentTypeError: One is neither a kind nor a pair of a kind and a function.
        ArgumentError: There is none, a kind is unknown, or a name is reserved.
    """
    if not aggregates:
        raise ArgumentError("aggregate() needs one aggregate or more; write such as worst=('max', lambda row: row[1])")
    kinds: list[tuple[str, str, Callable[[Any], Any] | None]] = []
    for name, wanted in aggregates.items():
        kind, function = kind_and_function(wanted)
        if not isinstance(kind, str):
            raise ArgumentTypeError(
                f"aggregate({name}) needs a kind or a pair of a kind and a function, got {wanted!r:.200}; write such "
                f"as {name}=('max', lambda row: row[1])"
            )
        if kind not in AGGREGATES:
            raise ArgumentError(
                f"aggregate({name}) must be one of {', '.join(AGGREGATES)}, got {kind!r}; take one of them"
            )
        if name == "key":
            raise ArgumentError("aggregate(key) is the entry that holds the key; take another name")
        if function is not None:
            checked_callable(function, operator="key_by().aggregate", name=name)
        kinds.append((name, kind, function))
    return Aggregates(tuple(kinds))


def kind_and_function(wanted: Any) -> tuple[Any, Any]:
    """Return the two parts of a pair; for any other value, the value and None."""
    if not isinstance(wanted, tuple):
        return wanted, None
    parts = cast("Sequence[Any]", wanted)
    return (parts[0], parts[1]) if len(parts) == 2 else (parts, None)


def checked_distinct(selector: Any, max_values: object) -> tuple[Callable[[Any], Any] | None, int]:
    """Return the checked arguments of `distinct`."""
    if selector is not None:
        checked_callable(selector, operator="key_by().distinct", name="selector")
    return selector, checked_count(max_values, operator="key_by().distinct", name="max_values", at_least=1)
