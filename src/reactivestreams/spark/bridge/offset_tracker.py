"""The number of elements of a replayable factory, found by reading them where batches are planned."""

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

from reactivestreams.spark.bridge.failures import stream_failure
from reactivestreams.spark.errors import PipelineError

__all__ = ["OffsetTracker"]

Factory = Callable[[int], Iterable[Any]]


class OffsetTracker:
    """Counts the elements of a factory, one batch at a time; one thread plans.

    Args:
        factory: A function from an offset to the elements from there on.
        form: One of `ELEMENT_FORMS`.
    """

    def __init__(self, factory: Factory, *, form: str) -> None:
        self.factory = factory
        self.form = form
        self.current: Iteration | None = None

    def plan(self, start: int, most_rows: int, wait_seconds: float, *, is_final: bool = False) -> int:
        """Return the end of a batch that starts at an offset.

        Args:
            start: The offset.
            most_rows: Maximum number of rows; a single element that is a batch may have more.
            wait_seconds: How long to wait for elements.
            is_final: Whether the end of the iterable is the end of the data; if not, the factory is called again.

        Raises:
            PipelineError: The factory or its iterable failed, and all elements before that have been planned.
        """
        deadline = time.monotonic() + wait_seconds
        current = self.current
        if current is None or not current.move_to(start) or (current.is_spent() and not is_final):
            if current is not None:
                current.stop()
            current = self.current = Iteration(self.factory, start, form=self.form)
        end = start + current.wait_for(most_rows, deadline)
        if end == start and not is_final:
            # Spark plans again at once if there is nothing new.
            time.sleep(max(0.0, deadline - time.monotonic()))
        return end

    def stop(self) -> None:
        """End the counter thread at its next element."""
        if self.current is not None:
            self.current.stop()


class Iteration:
    """One iteration over a factory's elements, in a separate thread, because the user's iterable may block.

    Roles: the *counter* thread iterates; one *planner* sets its limit and takes the counted elements.
    Invariants:
        I1  the counter reads an element only while fewer rows are counted than a plan has allowed, or one more if the
            plan gives up at that moment.
        I2  only the counter writes `counted` and appends to `sizes`; only the planner writes the other fields of the
            count, and removes from `sizes`. Each is read by the other without the lock, so a count may be read late.
    Progress: the planner waits for elements until its timeout; the counter takes the lock only to wait and to wake.
    """

    def __init__(self, factory: Factory, start: int, *, form: str) -> None:
        self.factory = factory
        self.start: int = start
        self.form = form
        self.changed: threading.Condition = threading.Condition()
        self.counted: int = 0
        self.taken: int = 0
        self.sizes: list[int] = []
        self.allowed: int = 0
        self.ended: bool = False
        self.stopped: bool = False
        self.failure: PipelineError | None = None
        threading.Thread(target=self.count, name=f"reactivestreams-count-from-{start}", daemon=True).start()

    def rows(self) -> int:
        """Return the number of counted rows that are not yet taken."""
        return self.counted - self.taken

    def move_to(self, start: int) -> bool:
        """Take the elements before an offset; return False if this iteration cannot continue there."""
        with self.changed:
            skipped = start - self.start
            if skipped < 0 or skipped > (self.rows() if self.form == "rows" else len(self.sizes)):
                return False
            self.taken += skipped if self.form == "rows" else sum(self.sizes[:skipped])
            del self.sizes[:skipped]
            self.start = start
            return self.failure is None or self.rows() > 0

    def is_spent(self) -> bool:
        """Return whether the iterable has ended and all elements were taken."""
        with self.changed:
            return self.ended and self.rows() == 0

    def wait_for(self, most_rows: int, deadline: float) -> int:
        """Return the number of elements with at most `most_rows` rows; wait for more until the deadline."""
        with self.changed:
            self.allowed = self.taken + most_rows
            self.changed.notify_all()
            while self.rows() < most_rows and not self.ended and self.failure is None:
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self.changed.wait(left)
            self.allowed = 0
            if self.rows() == 0 and self.failure is not None:
                raise self.failure
            if self.form == "rows":
                return min(self.rows(), most_rows)
            count = total = 0
            for size in self.sizes:
                if count and total + size > most_rows:
                    break
                count, total = count + 1, total + size
            return count

    def stop(self) -> None:
        """End the counter at its next element."""
        with self.changed:
            self.stopped = True
            self.allowed = 0
            self.changed.notify_all()

    def count(self) -> None:
        """Read elements while a plan may take them (I1)."""
        number = self.start
        try:
            if not self.is_wanted():
                return
            for element in self.factory(number):
                number += 1
                if self.form == "rows":
                    self.counted += 1
                else:
                    size = getattr(element, "num_rows", 1)
                    # Before the count, so that a reader of the count finds the sizes.
                    self.sizes.append(size)
                    self.counted += size
                if self.counted >= self.allowed and not self.is_wanted():
                    return
        except Exception as error:
            with self.changed:
                self.failure = stream_failure(error, element=number)
                self.changed.notify_all()
        else:
            with self.changed:
                self.ended = True
                self.changed.notify_all()

    def is_wanted(self) -> bool:
        """Wait until a plan allows one more element; False when the iteration was stopped."""
        with self.changed:
            self.changed.notify_all()
            while self.counted >= self.allowed and not self.stopped:
                self.changed.wait()
            return not self.stopped
