"""What the ingresses from tables of databases have in common: rows in the order of a key that only grows."""

from abc import abstractmethod
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, ClassVar

from reactivestreams.engine.ingress import Ingress
from reactivestreams.engine.sqlite_table import quoted
from reactivestreams.errors import ArgumentError, ArgumentTypeError

__all__ = ["TableRows"]

LEAST_KEY = -(2**63)


class TableRows(Ingress):
    """The base of the ingresses from tables: a subclass finds the rows after a key.

    State: the key of the last row that was read.
    """

    parameter_mark: ClassVar[str] = "?"

    def __init__(
        self, table: str, columns: Sequence[str], *, key: str, follow: bool, poll_interval: timedelta, schema: str = ""
    ) -> None:
        kind = type(self).__name__
        if not isinstance(poll_interval, timedelta):
            raise ArgumentTypeError(
                f"{kind}(poll_interval) needs a timedelta, got {poll_interval!r} ({type(poll_interval).__name__}); "
                f"pass e.g. timedelta(seconds=1)"
            )
        if poll_interval <= timedelta():
            raise ArgumentError(f"{kind}(poll_interval) needs a time above 0, got {poll_interval}; pass one")
        if isinstance(columns, str) or not columns:
            raise ArgumentError(f"{kind}(columns) needs one name or more, got {columns!r}; name the columns")
        for name in (table, key, *columns):
            if not isinstance(name, str):
                raise ArgumentTypeError(
                    f"{kind} needs names that are texts, got {name!r} ({type(name).__name__}); pass e.g. 'orders'"
                )
            if not name or "\0" in name:
                raise ArgumentError(f"{kind} needs names that are not empty, got {name!r}; pass e.g. 'orders'")
        self.table: str = table
        self.poll_interval: timedelta = poll_interval
        self._follow = follow
        self._position = 0
        self._key: int | None = None
        self._from = f"{quoted(schema)}.{quoted(table)}" if schema else quoted(table)
        # Without the alias SQLite takes the quoted name of a column that is not there for a text.
        key_column, *others = (f"rows.{quoted(name)}" for name in (key, *columns))
        named = f"SELECT {key_column}, {', '.join(others)} FROM {self._from} AS rows WHERE {key_column} >"
        ordered = f"ORDER BY {key_column} LIMIT"
        if self.parameter_mark != "?":  # names are in a query where % begins a parameter
            named, ordered = named.replace("%", "%%"), ordered.replace("%", "%%")
        self._select = f"{named} {self.parameter_mark} {ordered} {self.parameter_mark}"

    @abstractmethod
    def _found(self, after: int, most: int) -> list[tuple[Any, ...]] | None:
        """Return the next rows, each with its key first; None: whether there are more cannot be said now."""

    def open(self, position: int, bookmark: Any) -> None:
        """Continue after the row of a position."""
        self._position = position
        self._key = bookmark

    def read(self, max_elements: int) -> list[tuple[int, Any]] | None:
        """Return the next rows."""
        found = self._found(LEAST_KEY if self._key is None else self._key, max_elements)
        rows: list[tuple[int, Any]] = []
        for key, *row in found or ():
            if not isinstance(key, int):
                raise ArgumentTypeError(
                    f"{self!r}: the key of a row is {key!r} ({type(key).__name__}); take a column of whole numbers "
                    f"that only grow"
                )
            rows.append((self._position + len(rows) + 1, tuple(row)))
            self._key = key
        self._position += len(rows)
        return None if found == [] and not self._follow else rows

    @property
    def bookmark(self) -> Any:
        """The key of the last row; None before the first one."""
        return self._key
