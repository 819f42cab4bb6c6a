"""Columns of a batch that are named or computed: what `project` and `with_columns` do with each batch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactivestreams.errors import ArgumentError, ArgumentTypeError
from reactivestreams.operators.arrow.expressions import (
    checked_batch,
    checked_expression,
    computed_columns,
    shown_expression,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["AddedColumns", "ProjectedColumns", "checked_computed", "checked_names"]


@dataclass(frozen=True, slots=True, eq=False)
class ProjectedColumns:
    """Returns a batch of some of the columns of another one, and of computed ones."""

    names: tuple[str, ...]
    computed: Mapping[str, Any]

    def __call__(self, element: Any) -> "pa.RecordBatch":
        """Return the batch of the columns."""
        batch = checked_batch(element, operator="project")
        present = batch.schema.names
        for name in self.names:
            if present.count(name) != 1:
                found = "has two of that name" if name in present else f"has {', '.join(present) or 'no columns'}"
                raise ArgumentError(f"project names the column {name!r}, but the batch {found}; name another one")
        if not self.computed:
            return batch.select(list(self.names))
        values = computed_columns(batch, [*self.computed.values()], [*self.computed], operator="project")
        return joined(batch.select(list(self.names)), values)

    def __repr__(self) -> str:
        return ", ".join([*map(repr, self.names), *shown_columns(self.computed)])


@dataclass(frozen=True, slots=True, eq=False)
class AddedColumns:
    """Returns a batch with computed columns added, or put in the place of those of the same name."""

    computed: Mapping[str, Any]

    def __call__(self, element: Any) -> "pa.RecordBatch":
        """Return the batch with the columns."""
        batch = checked_batch(element, operator="with_columns")
        result = batch
        values = computed_columns(batch, [*self.computed.values()], [*self.computed], operator="with_columns")
        for field, column in zip(values.schema, values.columns, strict=True):
            places = result.schema.get_all_field_indices(field.name)
            if len(places) > 1:
                raise ArgumentError(
                    f"with_columns replaces the column {field.name!r}, but the batch has two of that name; rename one"
                )
            result = result.set_column(places[0], field, column) if places else result.append_column(field, column)
        return result

    def __repr__(self) -> str:
        return ", ".join(shown_columns(self.computed))


def joined(left: "pa.RecordBatch", right: "pa.RecordBatch") -> "pa.RecordBatch":
    """Return the columns of two batches of the same rows side by side."""
    import pyarrow as pa

    fields = [*left.schema, *right.schema]
    return pa.RecordBatch.from_arrays([*left.columns, *right.columns], schema=pa.schema(fields))


def shown_columns(computed: Mapping[str, Any]) -> list[str]:
    """Return computed columns as one would write them."""
    return [f"{name}={shown_expression(expression)}" for name, expression in computed.items()]


def checked_names(names: tuple[object, ...], *, operator: str) -> tuple[str, ...]:
    """Return names of columns, or raise.

    Raises:
        ArgumentTypeError: One is no text.
        ArgumentError: One stands twice.
    """
    checked: list[str] = []
    for name in names:
        if not isinstance(name, str):
            raise ArgumentTypeError(
                f"{operator}(names) needs names of columns, got {name!r:.200} ({type(name).__name__}); pass texts, and "
                "expressions with the name of their column, as in new=expression"
            )
        if name in checked:
            raise ArgumentError(f"{operator} names the column {name!r} twice; name it once")
        checked.append(name)
    return tuple(checked)


def checked_computed(computed: Mapping[str, object], *, operator: str) -> dict[str, Any]:
    """Return computed columns by their names, or raise.

    Raises:
        ArgumentTypeError: One is no expression.
    """
    return {name: checked_expression(value, operator=operator, name=name) for name, value in computed.items()}
