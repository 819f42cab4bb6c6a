"""Whether the calling thread is one in which the tasks of a scheduler run."""

from typing import Any

__all__ = ["runs_elsewhere"]


def runs_elsewhere(scheduler: Any) -> bool:
    """Return whether what this scheduler runs must not run in the calling thread; never runs user code.

    Args:
        scheduler: What the context has, or None: everything runs in the caller.
    """
    if scheduler is None or getattr(scheduler, "is_immediate", False):
        return False
    check_access = getattr(scheduler, "check_access", None)
    return check_access is None or not check_access()
