"""Records of saved state in a list: what stands in for real ones where a test is about who is visited."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reactivestreams.errors import StateError
from reactivestreams.lifecycle import TransitioningOperator, Version

Record = tuple[str, Version, list[Any]]


class _Writer:
    def __init__(self, values: list[Any]) -> None:
        self._values = values

    def write(self, value: Any, /) -> None:
        self._values.append(value)


class _Reader:
    def __init__(self, version: Version, values: list[Any]) -> None:
        self._version = version
        self._unread = list(values)

    @property
    def version(self) -> Version:
        return self._version

    def read(self) -> Any:
        return self._unread.pop(0)


class ListedRecords:
    """Makes a record for each node, in `records`."""

    def __init__(self) -> None:
        self.records: list[Record] = []

    @contextmanager
    def create(self, node: Any, /) -> Iterator[_Writer]:
        values: list[Any] = []
        yield _Writer(values)
        self.records.append((node.name, node.version, values))


class ReadRecords:
    """Gives each node its record, in their order; a transitioning node may have none."""

    def __init__(self, records: list[Record]) -> None:
        self.unread = list(records)

    @contextmanager
    def create(self, node: Any, /) -> Iterator[_Reader | None]:
        if not self.unread or self.unread[0][0] != node.name:
            if not isinstance(node, TransitioningOperator):
                raise StateError(f"{node.name} has no record here; it is {self.unread[:1]}'s turn")
            yield None
            return
        _, version, values = self.unread.pop(0)
        yield _Reader(version, values)
