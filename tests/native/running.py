"""Reports how much the threads on a ring met each other."""

from tests.stress.outcomes import LEAST_CONTENDED_SHARE


def report_contention(ring: str, *, capacity: int, contended: int, operations: int) -> None:
    """Print which share of the operations was contended: found the ring full or empty, or evicted.

    With one place a ring is full or empty all the time, and must have been contended in a tenth of them. Threads that
    take turns fill a larger one and empty it, so that its share is as small as it is large.
    """
    subject = f"{ring}, {capacity} place(s)"
    print(f"{subject}: {contended / operations:.0%} of {operations} operations contended")
    assert capacity > 1 or contended >= LEAST_CONTENDED_SHARE * operations, f"{subject}: hardly contended"
