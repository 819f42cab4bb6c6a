"""The state of a bucket's operators between two runs."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from operator import itemgetter

from reactivestreams.spark.errors import PipelineError
from reactivestreams.spark.failures import with_details

__all__ = ["SavedRun", "refusal"]


@dataclass(frozen=True, slots=True)
class SavedRun:
    """The state of the operators of a bucket, as a run begins with it or has saved it.

    Attributes:
        records: The records of all operators.
        rows: Rows of the keyed operator's table by their numbers: at least those of the keys that come or end in the
            next run.
    """

    records: bytes
    rows: dict[int, bytes]

    def table(self) -> Callable[[str, int, int], list[tuple[int, bytes]]]:
        """Return what reads the rows, for `SnapshotReader`; the keyed operator alone has a table."""
        ordered = sorted(self.rows.items())

        def read(_: str, after: int, most: int) -> list[tuple[int, bytes]]:
            start = bisect_right(ordered, after, key=itemgetter(0))
            return ordered[start : start + most]

        return read


def refusal(operator: str, message: str) -> PipelineError:
    """Return the error for state that cannot be loaded, with details that survive as text."""
    return with_details(PipelineError(f"operator {operator}: {message}", operator=operator, cause=message))
