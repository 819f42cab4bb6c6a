"""Tracks which rows of a table of an operator are not yet stored durably."""

from typing import Any

__all__ = ["TableChanges"]


class _Save:
    """What one save has taken, until it is known to be stored."""

    __slots__ = ("changed", "deleted", "generation", "is_whole")

    def __init__(self, is_whole: bool, changed: list[Any], deleted: list[int]) -> None:
        self.generation: int = 0  # not saved yet
        self.is_whole = is_whole
        self.changed = changed
        self.deleted = deleted


class TableChanges:
    """Track which rows the next save has to write, through save, commit and failure, as `StateChanged` does for a node.

    What a save took is written again by the next one, unless a commit was reported meanwhile that had it in it. Until
    the whole table was stored once, each save writes all of it.

    Args:
        is_stored: Whether the store has the whole table, from which it was loaded.

    Threads: one at a time; a report of a commit may come while elements flow, since nothing of it is used there.

    Example:
        >>> changes = TableChanges(is_stored=True)
        >>> changes.take(False, ["ant"], [])
        (['ant'], [])
        >>> changes.saved_as(1)
        >>> changes.take(False, ["bee"], [7])  # the first one is not known to be stored
        (['ant', 'bee'], [7])
        >>> changes.saved_as(2)
        >>> changes.was_stored(2)
        >>> changes.take(False, [], [])
        ([], [])
    """

    __slots__ = ("_saves", "is_stored")

    def __init__(self, *, is_stored: bool = False) -> None:
        self.is_stored: bool = is_stored
        self._saves: list[_Save] = []  # those that are not known to be stored, the oldest first

    def take(self, is_full: bool, changed: list[Any], deleted: list[int]) -> tuple[list[Any], list[int]] | None:
        """Return what a save writes: the changed rows, some perhaps twice, and the deleted ones; None: all rows.

        Args:
            is_full: Whether all are wanted.
            changed: What has changed since the last save.
            deleted: The numbers of the rows that were deleted since.
        """
        is_whole = is_full or not self.is_stored
        self._saves.append(_Save(is_whole, changed, deleted))
        if is_whole:
            return None
        return [row for save in self._saves for row in save.changed], [
            row for save in self._saves for row in save.deleted
        ]

    def saved_as(self, generation: int) -> None:
        """Record the number of the snapshot that has what `take` has returned last."""
        self._saves[-1].generation = generation

    def was_stored(self, generation: int) -> None:
        """Record that a snapshot was stored; does nothing for one that has no rows of this table."""
        for place, save in enumerate(self._saves):
            if save.generation == generation:
                if save.is_whole:
                    self.is_stored = True
                del self._saves[: place + 1]
                return
