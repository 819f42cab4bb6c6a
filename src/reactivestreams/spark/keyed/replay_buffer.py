"""What has come to the operators of a bucket since their state was saved, and what became of it."""

from collections.abc import Iterable, Iterator

from reactivestreams.operators.keyed.expiry import TimeReached
from reactivestreams.spark.keyed.router import Traveller
from reactivestreams.spark.on_error.row_failures import FailedRow

__all__ = ["Came", "HandledElements"]

Came = Traveller | TimeReached | FailedRow
"""An element, a time, or a failure of the step before."""


class HandledElements:
    """What has come, in its order; results stand in a list of the operators' own, one behind the other.

    Invariants: `ends` has an entry for each of `causes`, the number of results up to and with this one; `failures` has
        an entry for each that gave a failure in place of results.
    """

    def __init__(self) -> None:
        self.causes: list[Came] = []
        self.ends: list[int] = []
        self.failures: dict[int, FailedRow] = {}
        """By position in `causes`."""

    def add(self, cause: Came, end: int) -> None:
        """Add what has given results."""
        self.causes.append(cause)
        self.ends.append(end)

    def add_failure(self, cause: Came, failure: FailedRow) -> None:
        """Add what has failed."""
        self.failures[len(self.causes)] = failure
        self.add(cause, self.ends[-1] if self.ends else 0)

    def take_behind(self, position: int) -> Iterable[Came]:
        """Remove and return what came behind a position, without the times, which elements bring again."""
        behind = self.causes[position + 1 :]
        del self.causes[position + 1 :], self.ends[position + 1 :]
        self.failures = {place: failure for place, failure in self.failures.items() if place <= position}
        return [cause for cause in behind if not isinstance(cause, TimeReached)]

    def without_failures(self) -> Iterator[tuple[int, Traveller | TimeReached]]:
        """Yield what the operators have to get again, with its positions."""
        for position, cause in enumerate(self.causes):
            if position not in self.failures:
                assert not isinstance(cause, FailedRow)
                yield position, cause

    def last_time(self) -> int | None:
        """Return the last time that was told; None where none was."""
        return next((cause.now for cause in reversed(self.causes) if isinstance(cause, TimeReached)), None)

    def clear(self) -> None:
        """Forget everything: the state is saved."""
        self.causes.clear()
        self.ends.clear()
        self.failures.clear()
